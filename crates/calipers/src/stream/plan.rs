//! What is done with every row of a stream.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use super::identity::Ranks;
use super::maps::Maps;
use super::sampler::Drawn;
use super::sums::unit;
use super::weigh::Weigh;
use crate::data::{Origin, Predictions};
use crate::error::Result;
use crate::estimate::bound::Inflation;
use crate::estimate::score_test::automatic_draws;
use crate::estimate::scorer::Scorer;
use crate::estimate::{Estimate, Estimator, Nobody, Report};
use crate::loss::{BinaryNorm, Metric};
use crate::run::Stop;

/// Groups that are at least this share of the sample get a g of their own.
const OWN_MAP: usize = 500;

/// Which rows are the sample, what was found in it, and the g that scores all other rows.
///
/// The rows of the sample are estimated as [`Estimator::estimate`] does it, by cross-fitting; one more g
/// is fitted to all of them. Where the sample is everything, there is nothing left to score, and the
/// report is that estimate bit for bit. A plan can be written down ([`to_bytes`](Self::to_bytes)) and
/// sent to wherever the rows are.
///
/// Cost: an estimate of the sample and a fourth of it for one more fit; groups of at least 1/500 of the
/// sample are fitted apart as well.
///
/// ```
/// use calipers::{Estimator, Identities, Plan, Probabilities, Rows, Sampler, simulate};
///
/// let stream = simulate("binary-overconfident", 20_000, 0)?;
/// let f = Probabilities::new(stream.probs().into_owned())?;
/// let rows = Rows::new(&f, stream.labels(), Identities::Numbered { part: 0, first: 0 })?;
///
/// let mut sampler = Sampler::new(2_000, 0);
/// sampler.add(&rows)?;
/// let classes = ["no", "yes"].map(str::to_owned);
/// let plan = Plan::fit(&Estimator::new(), sampler.finish()?, &[0, 1], &classes, &[])?;
///
/// let mut tally = plan.tally();
/// tally.add(&plan, &rows)?;
/// let report = plan.finish(&tally)?;
/// assert_eq!((report.rows, report.sample), (20_000, Some(2_000)));
/// let l1 = report.get("l1").unwrap();
/// assert!((l1.value - 0.137).abs() < 4.0 * l1.stderr);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Clone)]
pub struct Plan {
    pub(super) facts: Facts,
    pub(super) metrics: Vec<Metric>,
    /// None where the sample is everything.
    pub(super) maps: Option<Maps>,
    /// Those of each group of the facts; none for groups that are too small for a g of their own.
    pub(super) own_maps: Vec<Option<Maps>>,
}

/// Everything about a plan that is data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Facts {
    /// What was found in the sample.
    pub report: Report,
    pub binary: BinaryNorm,
    pub floor: f64,
    pub inflation: Inflation,
    pub sample: SampleFacts,
    /// How weights are measured; none if there are none.
    pub weigh: Option<Weigh>,
    /// What the scores of each metric are measured in.
    pub units: Vec<f64>,
    /// The groups of the sample, by name; none if rows have no groups.
    pub groups: Option<Vec<GroupFacts>>,
    /// What whoever made it has to say about it.
    pub notes: String,
}

/// The sample.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SampleFacts {
    pub seed: u64,
    /// The rank where it ends; none if it is everything.
    pub end: Option<u64>,
    pub rows: u64,
    /// Σ of its rows' ranks.
    pub fingerprint: u64,
    /// How many rows it was drawn from, and how many of them were renormalised.
    pub seen: u64,
    pub renormalised: u64,
    /// The weight of each class.
    pub classes: Vec<f64>,
    /// Σ w.
    pub weight: f64,
    /// The one prediction that all of its rows have, if they do.
    pub constant: Option<Vec<f64>>,
}

/// A group's part of the sample.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GroupFacts {
    pub name: String,
    pub rows: u64,
    pub weight: f64,
    pub own: Option<OwnFacts>,
}

/// What was found in a group that has a g of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OwnFacts {
    pub inflation: Inflation,
    pub estimates: Vec<Estimate>,
    pub units: Vec<f64>,
}

impl Plan {
    /// Estimates a sample, and fits what scores the rest. `class_of` is the class of each code of labels,
    /// `groups` the name of each code of groups.
    ///
    /// # Errors
    /// As [`Estimator::estimate`] and [`Drawn::into_predictions`].
    pub fn fit(
        asked: &Estimator,
        drawn: Drawn,
        class_of: &[u32],
        classes: &[String],
        groups: &[String],
    ) -> Result<Self> {
        asked.refuse_assumption()?;
        // A guess is of rows that are all in memory.
        let asked = &asked.clone().best(false);
        let mut facts = SampleFacts {
            seed: drawn.seed,
            end: drawn.end,
            rows: drawn.rows() as u64,
            fingerprint: drawn.fingerprint(),
            seen: drawn.seen(),
            renormalised: drawn.renormalised(),
            classes: vec![0.0; classes.len()],
            weight: 0.0,
            constant: None,
        };
        let weigh = drawn.weights().map(|weights| Weigh::of(Some(weights)));
        let weights: Option<Vec<f64>> = drawn
            .weights()
            .zip(weigh)
            .map(|(weights, weigh)| weights.iter().map(|&weight| weigh.relative(weight)).collect());
        let (sample, folds) = drawn.into_predictions(class_of, classes, groups)?;
        let asked = &folds.map_or_else(|| asked.clone(), |folds| asked.clone().fold_plan(folds));
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        for (row, &label) in sample.labels().iter().enumerate() {
            facts.classes[label as usize] += weight(row);
            facts.weight += weight(row);
        }
        facts.constant = sample.constant();
        let everything = facts.end.is_none();
        asked.pooled(|| {
            let estimate = || match everything || sample.groups().is_none() {
                true => asked.estimate_all(&sample),
                // The rows of groups are estimated below: those of the sample alone say little.
                false => asked.estimate_all(&sample.clone().without_groups()),
            };
            let metrics = asked.metrics_or_default(sample.classes())?;
            let scorers = scorers(&metrics, sample.classes(), asked.binary, asked.floor())?;
            // Five folds and one more fit are shared by two threads as five alone are not.
            let map = || (!everything).then(|| Maps::fit(asked, &sample, &scorers)).transpose();
            let (report, maps) = rayon::join(estimate, map);
            let (mut report, maps) = (report?, maps?);
            report.renormalised_rows = facts.renormalised as usize;
            let (own, own_maps) = match everything {
                true => (Vec::new(), Vec::new()),
                false => fit_groups(asked, &sample, &scorers, &weight)?,
            };
            let facts = Facts {
                units: report.estimates.iter().map(|one| unit(&one.scores)).collect(),
                groups: sample.groups().map(|_| own),
                inflation: Inflation::of(&asked.folds, asked.repeats),
                binary: asked.binary,
                floor: asked.floor(),
                sample: facts,
                weigh,
                report,
                notes: String::new(),
            };
            Ok(Self { facts, metrics, maps, own_maps })
        })
    }

    /// Says which columns the rows are read from; the report shows it.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.facts.report.origin = Some(origin);
        self
    }

    /// Adds a text for whoever reads the plan, such as which files it is about.
    #[must_use]
    pub fn with_notes(mut self, notes: String) -> Self {
        self.facts.notes = notes;
        self
    }

    /// The text that was added.
    pub fn notes(&self) -> &str {
        &self.facts.notes
    }

    /// The classes' names.
    pub fn classes(&self) -> &[String] {
        &self.facts.report.classes
    }

    /// How many rows the sample has.
    pub fn rows(&self) -> u64 {
        self.facts.sample.rows
    }

    /// Whether the sample is everything, so that no row is left to be scored.
    pub fn is_everything(&self) -> bool {
        self.facts.sample.end.is_none()
    }

    /// What was found in the sample.
    pub fn sample_report(&self) -> &Report {
        &self.facts.report
    }

    /// A number of its own: that of its sample, of what is measured and of what was found.
    pub(super) fn number(&self) -> u64 {
        let facts = &self.facts;
        let mut text = format!(
            "{} {:?} {} {} {} {:?}",
            facts.sample.seed,
            facts.sample.end,
            facts.sample.rows,
            facts.sample.fingerprint,
            facts.floor,
            facts.report.classes,
        );
        for one in &facts.report.estimates {
            text.push_str(&format!(" {} {:x}", one.metric, one.value.to_bits()));
        }
        XxHash64::oneshot(0, text.as_bytes())
    }

    /// The rank of an identity if it is in the sample.
    #[inline]
    pub(super) fn sampled(&self, ranks: Ranks, identity: u64) -> Option<u64> {
        let rank = ranks.of(identity);
        self.facts.sample.end.is_none_or(|end| rank < end).then_some(rank)
    }

    /// The metrics at work.
    pub(super) fn scorers(&self) -> Result<Vec<Scorer>> {
        scorers(&self.metrics, self.classes().len(), self.facts.binary, self.facts.floor)
    }
}

fn scorers(
    metrics: &[Metric],
    classes: usize,
    binary: BinaryNorm,
    floor: f64,
) -> Result<Vec<Scorer>> {
    metrics.iter().map(|metric| Scorer::new(metric, classes, binary, floor)).collect()
}

/// The groups of a sample by name: those that are large enough are estimated, and get a g of their own.
fn fit_groups(
    asked: &Estimator,
    sample: &Predictions<'_>,
    scorers: &[Scorer],
    weight: &dyn Fn(usize) -> f64,
) -> Result<(Vec<GroupFacts>, Vec<Option<Maps>>)> {
    let (mut facts, mut maps) = (Vec::new(), Vec::new());
    let Some(groups) = sample.groups() else { return Ok((facts, maps)) };
    let mut rows_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, &group) in groups.ids.iter().enumerate() {
        rows_of.entry(&groups.names[group as usize]).or_default().push(row);
    }
    let large = |rows: &Vec<usize>| rows.len() * OWN_MAP >= sample.rows();
    let tested = rows_of.values().filter(|rows| large(rows)).count().max(1);
    let stop = Stop::new();
    for (name, rows) in &rows_of {
        let folds = asked.folds_within(rows, sample).filter(|_| large(rows));
        let (mut own, mut map) = (None, None);
        if let Some(folds) = folds {
            let rows = sample.select(rows);
            // Holm's method multiplies p-values: more drawings keep them small.
            let draws = automatic_draws(rows.rows(), rows.classes()).max((100 * tested).min(9_999));
            let inflation = Inflation::of(&folds, asked.repeats);
            let within = asked.within(folds, asked.confidence, draws);
            let mut estimates = within.whole(&rows, &stop, &mut Nobody)?.estimates;
            let units = estimates.iter().map(|one| unit(&one.scores)).collect();
            estimates.iter_mut().for_each(|one| one.scores = Vec::new());
            map = Some(Maps::fit(&within, &rows, scorers)?);
            own = Some(OwnFacts { inflation, estimates, units });
        }
        let (name, weight) = ((*name).to_owned(), rows.iter().map(|&row| weight(row)).sum());
        facts.push(GroupFacts { name, rows: rows.len() as u64, weight, own });
        maps.push(map);
    }
    Ok((facts, maps))
}
