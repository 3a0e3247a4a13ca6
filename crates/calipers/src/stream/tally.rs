//! What has been seen of a stream so far.

use std::collections::BTreeMap;

use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cells::{Cells, Counted, Weighed};
use super::identity::Ranks;
use super::maps::Maps;
use super::plan::Plan;
use super::rows::Rows;
use super::sums::MetricSums;
use crate::error::{Error, Result};
use crate::estimate::scorer::{Scored, Scorer};
use crate::loss::Plain;
use crate::numeric::exact::Exact;

/// Cells (rows × classes) whose scores are held at once, and those that are scored together: what is made
/// of these is to stay in a near cache.
const HELD: usize = 1 << 18;
const BLOCK: usize = 1 << 15;

/// Groups at the most: each takes a few hundred bytes a metric.
const MOST_GROUPS: usize = 200_000;

/// Sums over the rows of a stream, or over some of them.
///
/// The rows of the plan's sample are recognised, and counted so that none is missed or met twice; all
/// others are scored. Whole numbers are added up, so that rows in any order, in any parts, on any number
/// of threads and machines come to the same bits.
///
/// Its size: some 100,000 numbers for two classes and a few for each metric for more, whatever the number
/// of rows, and a few hundred bytes for each metric of a group.
#[derive(Debug, Clone)]
pub struct Tally {
    pub(super) counts: Counts,
    pub(super) whole: Whole,
    pub(super) groups: BTreeMap<String, GroupTally>,
}

/// How many rows there were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// The plan's own number, so that tallies of two plans are not mixed up.
    pub plan: u64,
    /// Rows of the sample, and Σ of their ranks.
    pub sampled: u64,
    pub fingerprint: u64,
    /// All other rows.
    pub rows: u64,
    pub renormalised: u64,
    /// Of them, those that are not the one prediction which all rows of the sample have; 0 where it has several.
    pub others: u64,
    /// The weight of each class among the other rows; of two classes the cells have it.
    pub classes: Vec<Exact>,
}

/// The sums of all rows that are not in the sample.
#[derive(Debug, Clone)]
pub(super) enum Whole {
    Counted(Cells<Counted>),
    Weighed(Cells<Weighed>),
    /// One a metric.
    Summed(Vec<MetricSums>),
}

/// Those of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GroupTally {
    pub rows: u64,
    pub weight: Exact,
    pub sums: Vec<MetricSums>,
}

impl Plan {
    /// A tally that has seen nothing yet.
    pub fn tally(&self) -> Tally {
        Tally::new(self)
    }
}

impl Tally {
    /// One that has seen nothing.
    fn new(plan: &Plan) -> Self {
        let classes = plan.classes().len();
        let whole = match (classes, plan.facts.weigh) {
            (2, None) => Whole::Counted(Cells::new()),
            (2, Some(_)) => Whole::Weighed(Cells::new()),
            _ => Whole::Summed(vec![MetricSums::default(); plan.metrics.len()]),
        };
        let counts = Counts {
            plan: plan.number(),
            classes: vec![Exact::default(); classes],
            ..Counts::default()
        };
        Self { counts, whole, groups: BTreeMap::new() }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Labels that are no class, another number of classes than the plan's, weights or groups where the
    /// plan has none or none where it has; a weight that is too large to be added up; more than 200,000
    /// groups.
    pub fn add(&mut self, plan: &Plan, rows: &Rows<'_>) -> Result<()> {
        self.fits(plan, rows)?;
        let ranks = Ranks::new(plan.facts.sample.seed);
        self.counts.renormalised += rows.renormalised;
        let mut rest: Vec<u32> = Vec::with_capacity(rows.count());
        for row in 0..rows.count() {
            match plan.sampled(ranks, rows.identities.of(row)) {
                Some(rank) => {
                    self.counts.sampled += 1;
                    self.counts.fingerprint = self.counts.fingerprint.wrapping_add(rank);
                }
                None => rest.push(row as u32),
            }
        }
        self.counts.rows += rest.len() as u64;
        if let Some(constant) = &plan.facts.sample.constant {
            let mut buffer = vec![0.0; constant.len()];
            let other = |&&row: &&u32| !rows.f.is(row as usize, constant, &mut buffer);
            self.counts.others += rest.iter().filter(other).count() as u64;
        }
        match &mut self.whole {
            Whole::Counted(cells) => {
                let mut pair = [0.0; 2];
                for &row in &rest {
                    rows.f.read(row as usize, &mut pair);
                    cells.add(pair, rows.labels[row as usize] as usize, ());
                }
            }
            Whole::Weighed(cells) => {
                let mut pair = [0.0; 2];
                for &row in &rest {
                    let (at, weigh) = (row as usize, plan.facts.weigh);
                    let weight = weigh.and_then(|weigh| weigh.steps(rows.weight(at)));
                    let weight = weight.ok_or_else(|| too_heavy(rows, at))?;
                    rows.f.read(at, &mut pair);
                    cells.add(pair, rows.labels[at] as usize, weight);
                }
            }
            Whole::Summed(sums) => {
                let Some(maps) = &plan.maps else { return Ok(()) };
                let work = Work::new(plan, maps)?;
                work.each(rows, &rest, |row, weight, scored, losses| {
                    let class = rows.labels[row] as usize;
                    self.counts.classes[class].add(weight);
                    for (place, sums) in sums.iter_mut().enumerate() {
                        sums.add(weight, &scored[place], plan.facts.units[place]);
                        if let Some(loss) = losses[place] {
                            sums.add_loss(weight, loss);
                        }
                    }
                })?;
            }
        }
        if rows.groups.is_some() && plan.maps.is_some() {
            self.add_groups(plan, rows, &rest)?;
        }
        Ok(())
    }

    /// Adds the scores of groups, each by the g that it has.
    fn add_groups(&mut self, plan: &Plan, rows: &Rows<'_>, rest: &[u32]) -> Result<()> {
        let (Some(groups), Some(own)) = (rows.groups, &plan.facts.groups) else { return Ok(()) };
        let (Some(shared), Some(names)) = (&plan.maps, groups.names) else { return Ok(()) };
        let mut rows_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut together: Vec<u32> = Vec::new();
        let mut place_of: BTreeMap<u32, Option<usize>> = BTreeMap::new();
        for &row in rest {
            let code = groups.codes[row as usize];
            let place = *place_of.entry(code).or_insert_with(|| {
                let name = &names[code as usize];
                let place = own.binary_search_by(|group| group.name.cmp(name)).ok();
                place.filter(|&place| own[place].own.is_some())
            });
            match place {
                Some(_) => rows_of.entry(code).or_default().push(row),
                None => together.push(row),
            }
        }
        let metrics = plan.metrics.len();
        let tallies = &mut self.groups;
        let mut add = |maps: &Maps, units: &[f64], some: &[u32]| -> Result<()> {
            Work::new(plan, maps)?.each(rows, some, |row, weight, scored, _| {
                let name = &names[groups.codes[row] as usize];
                if !tallies.contains_key(name) {
                    let sums = vec![MetricSums::default(); metrics];
                    tallies.insert(name.clone(), GroupTally { sums, ..GroupTally::default() });
                }
                let Some(tally) = tallies.get_mut(name) else { return };
                tally.rows += 1;
                tally.weight.add(weight);
                for (sums, (scored, unit)) in tally.sums.iter_mut().zip(scored.iter().zip(units)) {
                    sums.add(weight, scored, *unit);
                }
            })
        };
        for (code, some) in &rows_of {
            let place = place_of.get(code).copied().flatten();
            let found = place.and_then(|place| {
                plan.own_maps.get(place)?.as_ref().zip(own.get(place)?.own.as_ref())
            });
            if let Some((maps, own)) = found {
                add(maps, &own.units, some)?;
            }
        }
        add(shared, &plan.facts.units, &together)?;
        if self.groups.len() > MOST_GROUPS {
            let reason = format!("more than {MOST_GROUPS} different ones");
            return Err(Error::Setting { name: "groups", reason });
        }
        Ok(())
    }

    /// Refuses rows that the plan is not about.
    fn fits(&self, plan: &Plan, rows: &Rows<'_>) -> Result<()> {
        if self.counts.plan != plan.number() {
            return Err(Error::Tally { reason: "the tally is of another plan".to_owned() });
        }
        let (expected, found) = (plan.classes().len(), rows.f.classes());
        if expected != found {
            return Err(Error::Length { what: "classes", expected, found });
        }
        let odd = [
            ("weights", plan.facts.weigh.is_some(), rows.weights.is_some()),
            (
                "groups",
                plan.facts.groups.is_some(),
                rows.groups.is_some_and(|all| all.names.is_some()),
            ),
        ];
        if let Some((name, planned, _)) = odd.into_iter().find(|(_, own, theirs)| own != theirs) {
            let (plan, rows) = if planned { ("has", "have none") } else { ("has no", "have some") };
            let reason = format!("the plan {plan} {name}, and these rows {rows}");
            return Err(Error::Tally { reason });
        }
        match rows.labels.iter().position(|&label| label as usize >= expected) {
            Some(row) => {
                let value = rows.labels[row].to_string();
                Err(Error::Label { row, value, classes: expected })
            }
            None => Ok(()),
        }
    }

    /// Adds what another one has seen: rows that this one has not.
    ///
    /// # Errors
    /// A tally of another plan.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.counts.plan != other.counts.plan {
            return Err(Error::Tally { reason: "the tallies are of two plans".to_owned() });
        }
        self.counts.merge(&other.counts);
        match (&mut self.whole, &other.whole) {
            (Whole::Counted(own), Whole::Counted(other)) => own.merge(other),
            (Whole::Weighed(own), Whole::Weighed(other)) => own.merge(other),
            (Whole::Summed(own), Whole::Summed(other)) => {
                own.iter_mut().zip(other).for_each(|(own, other)| own.merge(other));
            }
            _ => return Err(Error::Tally { reason: "the tallies are of two kinds".to_owned() }),
        }
        for (name, other) in &other.groups {
            match self.groups.get_mut(name) {
                Some(own) => own.merge(other),
                None => {
                    self.groups.insert(name.clone(), other.clone());
                }
            }
        }
        Ok(())
    }

    /// How many rows it has seen, those of the sample included.
    pub fn rows(&self) -> u64 {
        self.counts.rows.saturating_add(self.counts.sampled)
    }
}

impl Counts {
    fn merge(&mut self, other: &Self) {
        // What is read from bytes may be any number.
        self.sampled = self.sampled.saturating_add(other.sampled);
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        self.rows = self.rows.saturating_add(other.rows);
        self.renormalised = self.renormalised.saturating_add(other.renormalised);
        self.others = self.others.saturating_add(other.others);
        self.classes.iter_mut().zip(&other.classes).for_each(|(own, other)| own.merge(*other));
    }
}

impl GroupTally {
    fn merge(&mut self, other: &Self) {
        self.rows = self.rows.saturating_add(other.rows);
        self.weight.merge(other.weight);
        self.sums.iter_mut().zip(&other.sums).for_each(|(own, other)| own.merge(other));
    }
}

/// Scoring rows by one set of maps.
struct Work<'a> {
    plan: &'a Plan,
    maps: &'a Maps,
    scorers: Vec<Scorer>,
    /// The loss of f itself, for metrics whose mean loss can be split.
    plain: Vec<Option<Plain>>,
}

impl<'a> Work<'a> {
    fn new(plan: &'a Plan, maps: &'a Maps) -> Result<Self> {
        let floor = plan.facts.floor;
        let plain = plan.metrics.iter().map(|metric| metric.plain(floor)).collect();
        Ok(Self { plan, maps, scorers: plan.scorers()?, plain })
    }

    /// Calls for each of some rows, with its weight, the scores of all metrics, and the losses of f.
    fn each(
        &self,
        rows: &Rows<'_>,
        some: &[u32],
        mut visit: impl FnMut(usize, f64, &[Scored], &[Option<f64>]),
    ) -> Result<()> {
        let classes = rows.f.classes();
        let size = (BLOCK / classes).max(1);
        for some in some.chunks(HELD / BLOCK * size) {
            let blocks = some.par_chunks(size).map(|some| self.block(rows, some));
            let blocks: Vec<Block> = blocks.collect::<Result<_>>()?;
            for (some, block) in some.chunks(size).zip(&blocks) {
                for (at, &row) in some.iter().enumerate() {
                    let (row, metrics) = (row as usize, self.scorers.len());
                    let weight = rows.weight(row);
                    let weight =
                        self.plan.facts.weigh.map_or(weight, |weigh| weigh.relative(weight));
                    let own = at * metrics..(at + 1) * metrics;
                    visit(row, weight, &block.scored[own.clone()], &block.losses[own]);
                }
            }
        }
        Ok(())
    }

    /// Scores some rows.
    fn block(&self, rows: &Rows<'_>, some: &[u32]) -> Result<Block> {
        let classes = rows.f.classes();
        let mut cells = vec![0.0; some.len() * classes];
        for (&row, cells) in some.iter().zip(cells.chunks_exact_mut(classes)) {
            rows.f.read(row as usize, cells);
        }
        let f = ArrayView2::from_shape((some.len(), classes), &cells)
            .map_err(|error| Error::External { reason: error.to_string() })?;
        let labels: Vec<u32> = some.iter().map(|&row| rows.labels[row as usize]).collect();
        let found = self.maps.score(&self.scorers, f, &labels)?;
        let scored = (0..some.len()).flat_map(|at| found.iter().map(move |all| all[at])).collect();
        let each = cells.chunks_exact(classes).zip(&labels);
        let losses = each.flat_map(|(f, &label)| {
            let of = move |plain: &Option<Plain>| Some(plain.as_ref()?(f, label as usize));
            self.plain.iter().map(of)
        });
        Ok(Block { scored, losses: losses.collect() })
    }
}

/// What was made of some rows: row after row, one of each metric.
struct Block {
    scored: Vec<Scored>,
    losses: Vec<Option<f64>>,
}

fn too_heavy(rows: &Rows<'_>, row: usize) -> Error {
    let reason = "is too far above the others to be added up";
    Error::Weight { row, value: rows.weight(row), reason }
}
