//! From tallies to a report: the sample's part and the rest's, put together.

use ndarray::Array2;

use super::cells::{Cells, Coarse, Count};
use super::plan::{OwnFacts, Plan};
use super::sums::MetricSums;
use super::tally::{GroupTally, Tally, Whole};
use crate::error::{Error, Result};
use crate::estimate::bound::{Inflation, Parts, Spread, Sums};
use crate::estimate::scorer::Scorer;
use crate::estimate::{Estimate, FEWEST_ROWS, Group, GroupErrors, Report, adjust, aware, parts_of};
use crate::words::thousands;

/// What the rows outside the sample come to, for one metric.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    plain: Sums,
    hedged: Option<Sums>,
    infinite: u64,
    /// Σ w times the loss of f.
    loss: f64,
}

impl Rest {
    /// From the sums of a metric's scores, measured in this unit.
    fn of(sums: &MetricSums, unit: f64, scorer: &Scorer) -> Self {
        Self {
            plain: sums.plain(unit),
            hedged: scorer.hedges().then(|| sums.hedged(unit)),
            infinite: sums.infinite_rows(),
            loss: sums.loss(),
        }
    }

    /// What the lower bound is taken from.
    fn bounded(&self) -> Spread {
        self.hedged.as_ref().unwrap_or(&self.plain).spread()
    }
}

impl Plan {
    /// The report of all rows, from tallies that have seen each of them once.
    ///
    /// # Errors
    /// A tally of another plan, or one that has not met every row of the sample once: rows are missing,
    /// or were counted twice. Sums that grew too large.
    pub fn finish(&self, tally: &Tally) -> Result<Report> {
        self.check(tally)?;
        let mut report = self.facts.report.clone();
        report.constant = self.facts.sample.constant.is_some() && tally.counts.others == 0;
        if self.is_everything() {
            return Ok(report);
        }
        let (rest, classes) = self.rest(tally)?;
        let weight: f64 = classes.iter().sum();
        let own = &self.facts.sample;
        let share = weight / (weight + own.weight);
        let rows = self.rows().saturating_add(tally.counts.rows);
        report.rows = rows as usize;
        report.sample = Some(self.rows() as usize);
        report.renormalised_rows = tally.counts.renormalised as usize;
        let both: Vec<f64> = own.classes.iter().zip(&classes).map(|(a, b)| a + b).collect();
        let factors: Vec<f64> = self.scorers()?.iter().map(|scorer| scorer.factor).collect();
        let found = rest.iter().zip(self.metrics.iter().zip(factors));
        for (one, (rest, (metric, factor))) in report.estimates.iter_mut().zip(found) {
            let loss = one.decomposition.map(|parts| parts.loss);
            combine(one, rest, share, &self.facts.inflation, report.confidence);
            one.rows = rows as usize;
            one.scores = Vec::new();
            one.decomposition =
                loss.zip(metric.plain(self.facts.floor)).and_then(|(loss, plain)| {
                    let mean = (1.0 - share) * loss / factor + share * rest.loss / weight;
                    parts_of(&plain, &both, mean, factor, one.value)
                });
        }
        if self.facts.groups.is_some() {
            report.groups = Some(self.groups(tally, weight + own.weight)?);
        }
        Ok(report)
    }

    /// Refuses tallies that do not add up to all rows, each once.
    fn check(&self, tally: &Tally) -> Result<()> {
        let refuse = |reason: String| Err(Error::Tally { reason });
        if tally.counts.plan != self.number() {
            return refuse("the tally is of another plan".to_owned());
        }
        let (expected, found) = (self.rows(), tally.counts.sampled);
        if found != expected || tally.counts.fingerprint != self.facts.sample.fingerprint {
            let what = match found.cmp(&expected) {
                std::cmp::Ordering::Less => "rows are missing",
                std::cmp::Ordering::Equal => "the rows are not those that the plan was made of",
                std::cmp::Ordering::Greater => "rows were counted twice",
            };
            let (expected, found) = (thousands(expected), thousands(found));
            return refuse(format!(
                "{what}: of the {expected} rows of the plan's sample the tallies have met {found}"
            ));
        }
        if tally.is_full() {
            return refuse("the weights are too far apart to be added up".to_owned());
        }
        Ok(())
    }

    /// What the rest comes to for each metric, and the weight of each class in it.
    fn rest(&self, tally: &Tally) -> Result<(Vec<Rest>, Vec<f64>)> {
        match &tally.whole {
            Whole::Counted(cells) => self.rest_of_cells(cells),
            Whole::Weighed(cells) => self.rest_of_cells(cells),
            Whole::Summed(sums) => {
                let scorers = self.scorers()?;
                let rest = sums.iter().zip(&self.facts.units).zip(&scorers);
                let rest = rest.map(|((sums, &unit), scorer)| Rest::of(sums, unit, scorer));
                let classes = tally.counts.classes.iter().map(|weight| weight.value());
                Ok((rest.collect(), classes.collect()))
            }
        }
    }

    /// Scores each cell as if all of its rows had been given the mean of what they were.
    fn rest_of_cells<C: Count>(&self, cells: &Cells<C>) -> Result<(Vec<Rest>, Vec<f64>)> {
        let coarse = cells.coarse();
        let mut rest = vec![Rest::default(); self.metrics.len()];
        let weights = (0..2).map(|class| coarse.iter().map(|cell| cell.weights[class]).sum());
        let weights: Vec<f64> = weights.collect();
        let Some(maps) = self.maps.as_ref().filter(|_| !coarse.is_empty()) else {
            return Ok((rest, weights));
        };
        let (scorers, f) = (self.scorers()?, table(&coarse));
        for class in 0..2 {
            let labels = vec![class as u32; coarse.len()];
            let scored = maps.score(&scorers, f.view(), &labels)?;
            for (rest, (scored, scorer)) in rest.iter_mut().zip(scored.iter().zip(&scorers)) {
                for (cell, scored) in coarse.iter().zip(scored) {
                    let (weight, square) = (cell.weights[class], cell.squares[class]);
                    rest.plain.add_many(weight, square, scored.plain);
                    if weight > 0.0 && scored.plain.score.is_infinite() {
                        // A cell of certainty: without weights its rows are so many.
                        rest.infinite = rest.infinite.saturating_add(weight.ceil() as u64);
                    }
                    if let Some(hedged) = scored.hedged.filter(|_| scorer.hedges()) {
                        rest.hedged.get_or_insert_default().add_many(weight, square, hedged);
                    }
                }
            }
        }
        for (rest, metric) in rest.iter_mut().zip(&self.metrics) {
            let Some(plain) = metric.plain(self.facts.floor) else { continue };
            for cell in &coarse {
                for class in (0..2).filter(|&class| cell.weights[class] > 0.0) {
                    rest.loss += cell.weights[class] * plain(&cell.f, class);
                }
            }
        }
        Ok((rest, weights))
    }

    /// The errors within groups.
    fn groups(&self, tally: &Tally, total: f64) -> Result<GroupErrors> {
        let sample = self.facts.groups.as_deref().unwrap_or_default();
        let mut names: Vec<&str> = tally.groups.keys().map(String::as_str).collect();
        names.extend(sample.iter().map(|group| group.name.as_str()));
        names.sort_unstable();
        names.dedup();
        let nothing = GroupTally::default();
        let both = |name: &str| {
            let place = sample.binary_search_by(|group| group.name.as_str().cmp(name)).ok();
            (place.map(|place| &sample[place]), tally.groups.get(name).unwrap_or(&nothing))
        };
        let is_large = |name: &&str| {
            let (sample, rest) = both(name);
            sample.is_some_and(|group| group.own.is_some()) || rest.rows >= FEWEST_ROWS as u64
        };
        let tested = names.iter().filter(|name| is_large(name)).count();
        let confidence = 1.0 - (1.0 - self.facts.report.confidence) / tested.max(1) as f64;
        let scorers = self.scorers()?;
        let (mut found, mut shares) = (Vec::new(), Vec::new());
        for name in names {
            let (sample, rest) = both(name);
            let (rows, weight) = sample.map_or((0, 0.0), |group| (group.rows, group.weight));
            let (rows, weight) = (rows.saturating_add(rest.rows), weight + rest.weight.value());
            let own = sample.and_then(|group| group.own.as_ref());
            // Without a g of its own, a group's rows of the sample have no scores of their own either.
            let share = own.map_or(1.0, |_| rest.weight.value() / weight);
            let estimates = is_large(&name).then(|| {
                let mut estimates = self.of_group(own, rest, share, &scorers, confidence);
                estimates.iter_mut().for_each(|one| one.rows = rows as usize);
                estimates
            });
            shares.push(weight / total);
            found.push(Group { name: name.to_owned(), rows: rows as usize, estimates });
        }
        let aware = aware(&found, &shares, Some(Inflation::none()), self.facts.report.confidence);
        adjust(&mut found);
        Ok(GroupErrors { groups: found, aware, confidence })
    }

    /// The estimates of one group, of which the rest has this share.
    fn of_group(
        &self,
        own: Option<&OwnFacts>,
        rest: &GroupTally,
        share: f64,
        scorers: &[Scorer],
        confidence: f64,
    ) -> Vec<Estimate> {
        let units = own.map_or(&self.facts.units, |own| &own.units);
        let inflation = own.map_or(Inflation::none(), |own| own.inflation);
        let of = |(place, one): (usize, &Estimate)| {
            let mut one = match own {
                Some(own) => own.estimates[place].clone(),
                None => Estimate {
                    p_value: None,
                    draws: None,
                    in_sample: None,
                    infinite_rows: 0,
                    ..one.clone()
                },
            };
            let sums = rest.sums.get(place).copied().unwrap_or_default();
            let rest = Rest::of(&sums, units[place], &scorers[place]);
            combine(&mut one, &rest, share, &inflation, confidence);
            (one.decomposition, one.scores) = (None, Vec::new());
            one
        };
        self.facts.report.estimates.iter().enumerate().map(of).collect()
    }
}

/// Turns the sample's estimate into that of sample and rest.
fn combine(one: &mut Estimate, rest: &Rest, share: f64, inflation: &Inflation, confidence: f64) {
    let sample = Spread { mean: one.value, ..one.spread };
    let plain = Parts { sample, rest: rest.plain.spread(), share };
    let bounded = Parts { sample: one.bounded, rest: rest.bounded(), share };
    one.value = plain.mean();
    one.stderr = plain.stderr(inflation);
    one.lower = bounded.lower(inflation, confidence);
    one.infinite_rows = one.infinite_rows.saturating_add(rest.infinite as usize);
    // What was to be allowed for is in the variance from here on.
    let spread = |parts: &Parts| Spread {
        mean: parts.mean(),
        variance: parts.stderr(inflation).powi(2),
        rows: parts.rows(),
    };
    (one.spread, one.bounded) = (spread(&plain), spread(&bounded));
}

fn table(coarse: &[Coarse]) -> Array2<f64> {
    let mut f = Array2::zeros((coarse.len(), 2));
    for (mut row, cell) in f.rows_mut().into_iter().zip(coarse) {
        row.iter_mut().zip(cell.f).for_each(|(to, from)| *to = from);
    }
    f
}
