//! The next segment: up to three conditions under which labels are not what f says.

use std::ops::RangeInclusive;
use std::sync::Arc;

use rayon::prelude::*;

use crate::data::{Cells, Features, Kind, Predictions, Values};
use crate::estimate::report::{Condition, Wanted};

/// The most conditions.
const MOST_CONDITIONS: usize = 3;

/// So many candidates of each length are extended.
const BEAM: usize = 8;

/// A segment has at least so many rows, and so much variance if labels were drawn from f.
const FEWEST: f64 = 30.0;
const LEAST_VARIANCE: f64 = 3.0;

/// What each condition has to add to z²/2 beyond the logarithm of the number of features: borders and levels
/// are chosen, too.
const PRICE: f64 = 2.5;

/// The most rows that are looked at, evenly taken.
const MOST_ROWS: usize = 50_000;

/// Cells of one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Range {
    feature: usize,
    cells: RangeInclusive<u8>,
}

/// Conditions that a row may fulfil.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    ranges: Vec<Range>,
    /// Whether more happens than f says.
    pub above: bool,
    /// What speaks for it, less what its conditions cost.
    pub evidence: f64,
}

/// A search under way.
pub(super) struct Search<'a> {
    features: &'a Arc<Features>,
    rows: Vec<u32>,
    /// For each of the rows: w (y − f), and w² f (1 − f).
    left: Vec<[f64; 2]>,
    price: f64,
}

/// Sums over rows: what is left over, its variance, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    left: f64,
    variance: f64,
    rows: f64,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.left += other.left;
        self.variance += other.variance;
        self.rows += other.rows;
    }

    /// z²/2, if there is enough of it to say so.
    fn evidence(&self) -> Option<f64> {
        let enough = self.rows >= FEWEST && self.variance >= LEAST_VARIANCE;
        enough.then(|| 0.5 * self.left * self.left / self.variance)
    }
}

/// A rule with the rows that fulfil it, by their places.
struct Candidate {
    rule: Rule,
    places: Vec<u32>,
}

impl<'a> Search<'a> {
    pub fn new(
        predictions: &Predictions<'_>,
        features: &'a Arc<Features>,
        rows: &[u32],
        class: usize,
    ) -> Self {
        let step = rows.len().div_ceil(MOST_ROWS).max(1);
        let rows: Vec<u32> = rows.iter().copied().step_by(step).collect();
        let left = |&row: &u32| {
            let row = row as usize;
            let f = predictions.held().at(row, class);
            let weight = predictions.weights().map_or(1.0, |weights| weights[row]);
            let observed = f64::from(predictions.labels()[row] as usize == class);
            [weight * (observed - f), weight * weight * f * (1.0 - f)]
        };
        let left = rows.iter().map(left).collect();
        let price = PRICE + (features.count() as f64).ln();
        Self { features, rows, left, price }
    }

    /// The best rule; what it explains is taken away before the next is looked for. None if no rule is worth
    /// its conditions.
    pub fn next(&mut self) -> Option<Rule> {
        let whole = Rule { ranges: Vec::new(), above: true, evidence: 0.0 };
        let mut beam =
            vec![Candidate { rule: whole, places: (0..self.rows.len() as u32).collect() }];
        let mut best: Option<Rule> = None;
        for _ in 0..MOST_CONDITIONS {
            let longer: Vec<Rule> =
                beam.par_iter().flat_map_iter(|candidate| self.longer(candidate)).collect();
            beam = self.kept(longer);
            let better = beam.iter().map(|candidate| &candidate.rule);
            let better = better
                .filter(|rule| rule.evidence > 0.0)
                .max_by(|a, b| a.evidence.total_cmp(&b.evidence));
            if let Some(rule) = better
                && best.as_ref().is_none_or(|best| rule.evidence > best.evidence)
            {
                best = Some(rule.clone());
            }
        }
        let best = best?;
        self.explain(&best);
        Some(best)
    }

    /// The rule with one more condition, the best for each feature.
    fn longer(&self, candidate: &Candidate) -> Vec<Rule> {
        let grid = self.features.grid();
        let asked =
            |feature: &usize| candidate.rule.ranges.iter().all(|range| range.feature != *feature);
        let conditions = candidate.rule.ranges.len() as f64 + 1.0;
        let one = |feature: usize| {
            let cells = &grid.columns[feature];
            let mut sums = vec![Sums::default(); cells.count()];
            for &place in &candidate.places {
                let row = self.rows[place as usize] as usize;
                let [left, variance] = self.left[place as usize];
                sums[cells.of_row[row] as usize].add(Sums { left, variance, rows: 1.0 });
            }
            let (cells, sums, evidence) = best_range(cells, &sums)?;
            let mut ranges = candidate.rule.ranges.clone();
            ranges.push(Range { feature, cells });
            ranges.sort_by_key(|range| range.feature);
            let evidence = evidence - self.price * conditions;
            Some(Rule { ranges, above: sums.left > 0.0, evidence })
        };
        (0..grid.columns.len()).filter(asked).filter_map(one).collect()
    }

    /// The best of them, each once, with their rows.
    fn kept(&self, mut rules: Vec<Rule>) -> Vec<Candidate> {
        rules.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        let mut kept: Vec<Candidate> = Vec::new();
        for rule in rules {
            if kept.len() == BEAM {
                break;
            }
            if kept.iter().any(|known| known.rule.ranges == rule.ranges) {
                continue;
            }
            let rows = self.rows.iter().enumerate();
            let places = rows.filter(|(_, row)| rule.holds(self.features, **row));
            let places = places.map(|(place, _)| place as u32).collect();
            kept.push(Candidate { rule, places });
        }
        kept
    }

    /// Takes away what a rule explains: a share of each row's variance, such that nothing is left over.
    fn explain(&mut self, rule: &Rule) {
        let inside = |row: u32| rule.holds(self.features, row);
        let mut sums = Sums::default();
        for (&row, &[left, variance]) in self.rows.iter().zip(&self.left) {
            if inside(row) {
                sums.add(Sums { left, variance, rows: 1.0 });
            }
        }
        let share = sums.left / sums.variance.max(f64::MIN_POSITIVE);
        for (&row, own) in self.rows.iter().zip(&mut self.left) {
            if inside(row) {
                own[0] -= share * own[1];
            }
        }
    }
}

/// The range of cells with the most evidence: one level, what is missing, or numbers from one border to another.
fn best_range(cells: &Cells, sums: &[Sums]) -> Option<(RangeInclusive<u8>, Sums, f64)> {
    let mut best: Option<(RangeInclusive<u8>, Sums, f64)> = None;
    let mut consider = |range: RangeInclusive<u8>, sums: Sums| {
        if let Some(evidence) = sums.evidence()
            && best.as_ref().is_none_or(|(_, _, most)| evidence > *most)
        {
            best = Some((range, sums, evidence));
        }
    };
    match &cells.kind {
        Kind::Category { levels } => {
            // The cell of all other levels is no condition that could be said.
            for (cell, &own) in sums.iter().enumerate().filter(|(cell, _)| *cell != levels.len()) {
                consider(cell as u8..=cell as u8, own);
            }
        }
        Kind::Number { .. } => {
            let first = usize::from(cells.has_missing());
            if first > 0 {
                consider(0..=0, sums[0]);
            }
            for from in first..sums.len() {
                let mut own = Sums::default();
                for to in from..sums.len() {
                    own.add(sums[to]);
                    // All numbers are no condition.
                    if first > 0 || from > 0 || to + 1 < sums.len() {
                        consider(from as u8..=to as u8, own);
                    }
                }
            }
        }
    }
    best
}

impl Rule {
    /// Whether a row fulfils it.
    pub fn holds(&self, features: &Features, row: u32) -> bool {
        let cells = &features.grid().columns;
        self.ranges
            .iter()
            .all(|range| range.cells.contains(&cells[range.feature].of_row[row as usize]))
    }

    /// It in words.
    pub fn conditions(&self, features: &Features) -> Vec<Condition> {
        let one = |range: &Range| {
            let column = &features.columns()[range.feature];
            let cells = &features.grid().columns[range.feature];
            let (from, to) = (*range.cells.start() as usize, *range.cells.end() as usize);
            let wanted = match (&cells.kind, &column.values) {
                (Kind::Category { levels }, Values::Categories { levels: names, .. }) => {
                    let name = levels.get(from).and_then(|&level| names.get(level as usize));
                    name.map_or(Wanted::Missing, |name| Wanted::Level(name.clone()))
                }
                (Kind::Number { borders }, _) => match (cells.has_missing(), from, to) {
                    (true, 0, 0) => Wanted::Missing,
                    (missing, from, to) => Wanted::Between {
                        above: (from > usize::from(missing)).then(|| borders[from - 1]),
                        up_to: borders.get(to).copied(),
                    },
                },
                _ => Wanted::Missing,
            };
            Condition { feature: column.name.clone(), wanted }
        };
        self.ranges.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::derive_seed;

    fn draw(row: usize, stream: u64) -> f64 {
        (derive_seed(stream, &[row as u64]) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Every range of cells, added up anew.
    #[test]
    fn the_best_range_is_the_best_of_all() {
        let borders = [&[f64::MIN][..], &[1.0, 2.0, 3.0, 4.0]].concat();
        for (missing, borders) in [(true, borders), (false, vec![1.0, 2.0, 3.0, 4.0])] {
            let cells = Cells { kind: Kind::Number { borders }, of_row: Vec::new() };
            for seed in 0..50 {
                let sums: Vec<Sums> = (0..cells.count())
                    .map(|cell| Sums {
                        left: 40.0 * (draw(cell, seed) - 0.5),
                        variance: 5.0 * draw(cell, seed + 100),
                        rows: 60.0 * draw(cell, seed + 200),
                    })
                    .collect();
                let mut most = 0.0f64;
                for from in 0..sums.len() {
                    for to in from..sums.len() {
                        let over = missing && from == 0 && to > 0;
                        let whole = !missing && from == 0 && to + 1 == sums.len();
                        let mut own = Sums::default();
                        sums[from..=to].iter().for_each(|sums| own.add(*sums));
                        if !over && !whole && own.rows >= 30.0 && own.variance >= 3.0 {
                            most = most.max(0.5 * own.left * own.left / own.variance);
                        }
                    }
                }
                let found = best_range(&cells, &sums).map_or(0.0, |(_, _, evidence)| evidence);
                // Sums in another order.
                assert!((found - most).abs() < 1e-9 * (1.0 + most), "{seed}: {found} {most}");
            }
        }
    }

    /// A segment of two conditions is found as it is, and then hardly anything is left.
    #[test]
    fn a_planted_segment_is_found_once() {
        let rows = 4_000;
        let x: Vec<f64> = (0..rows).map(|row| draw(row, 1)).collect();
        let noise: Vec<f64> = (0..rows).map(|row| draw(row, 2)).collect();
        let south = |row: usize| draw(row, 3) < 0.5;
        let regions: Vec<_> =
            (0..rows).map(|row| Some(if south(row) { "south" } else { "north" })).collect();
        let labels: Vec<usize> = (0..rows)
            .map(|row| {
                let more = if x[row] > 0.7 && south(row) { 0.3 } else { 0.0 };
                usize::from(draw(row, 4) < 0.4 + more)
            })
            .collect();
        let features = Features::new()
            .number("x", x)
            .and_then(|all| all.number("noise", noise))
            .and_then(|all| all.category("region", &regions))
            .unwrap();
        let predictions = Predictions::binary(vec![0.4; rows], &labels).unwrap();
        let (all, features): (Vec<u32>, _) = ((0..rows as u32).collect(), Arc::new(features));
        let mut search = Search::new(&predictions, &features, &all, 1);
        let found = search.next().unwrap();
        let words: Vec<String> =
            found.conditions(&features).iter().map(ToString::to_string).collect();
        assert!(words[0].starts_with("x > 0.") && words[1] == "region = south", "{words:?}");
        // What is left is what chance leaves.
        let next = search.next().map_or(0.0, |next| next.evidence);
        assert!(found.above && next < 0.2 * found.evidence, "{next} {}", found.evidence);
    }
}
