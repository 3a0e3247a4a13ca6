//! The binned error with as many bins as the data bear.

use super::bins::{By, bins, mass_cut, norm};
use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use crate::error::Result;
use crate::params::{Parameter, Params};
use crate::run::stop;

/// The binned error with bins of equal mass, one more at a time for as long as the frequencies of
/// the bins ascend.
///
/// Default: p = 1. Cost: a sort, and of the order of B² for B bins; where the labels are nearly
/// sorted by f, only the rows that are not cost anything.
///
/// ## Reference
/// Roelofs et al., *Mitigating bias in calibration error estimation*, 2022, algorithm 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    p: f64,
}

impl Listed for Sweep {
    const NAME: &'static str = "sweep";
    const ABOUT: &'static str = "binned error with the most equal-mass bins that still ascend";
}

impl Tunable for Sweep {
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("p", "1", "the power; inf: the largest gap")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { p: params.power("p")? })
    }
}

impl Rule for Sweep {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let count = most_bins(line);
        let bins = bins(line, count, By::Mass);
        Ok(Found::new(norm(&bins, self.p)).with("bins", bins.len() as f64))
    }

    fn power(&self) -> Option<f64> {
        Some(self.p)
    }
}

/// The largest number of bins up to which all ascend.
fn most_bins(line: &Line) -> usize {
    let all = line.rows();
    // Means of neighbouring runs of an ascending sequence ascend: if the finest bins do, all do.
    if bins(line, all, By::Mass).is_sorted_by(|a, b| a.y <= b.y) {
        return all;
    }
    let runs = Runs::new(line);
    let ascend = |count: &usize| runs.ascend(*count) && !stop::requested();
    (2..=all).take_while(ascend).last().unwrap_or(1)
}

/// What it takes to see quickly whether bins ascend.
struct Runs {
    /// How often it happened before each place.
    happened: Vec<f64>,
    /// Where the rows that share the prediction before each place end.
    ends: Vec<usize>,
    /// Before this place, which no tie crosses, it never happened; from the second on always.
    mixed: (usize, usize),
}

impl Runs {
    #[allow(clippy::float_cmp, reason = "a tie is a prediction of the same bits")]
    fn new(line: &Line) -> Self {
        let all = line.rows();
        let mut happened = Vec::with_capacity(all + 1);
        happened.push(0.0);
        for (row, y) in line.y.iter().enumerate() {
            happened.push(happened[row] + y);
        }
        let mut ends = vec![all; all + 1];
        ends[0] = 0;
        for place in (1..all).rev() {
            let tied = line.f[place] == line.f[place - 1];
            ends[place] = if tied { ends[place + 1] } else { place };
        }
        let first = line.y.iter().position(|&y| y > 0.0).unwrap_or(all);
        let start = line.f.partition_point(|&f| f < line.f[first.min(all - 1)]);
        let last = line.y.iter().rposition(|&y| y < 1.0).map_or(0, |row| row + 1);
        Self { happened, ends, mixed: (start.min(first), last) }
    }

    /// Whether the frequencies of this many bins of equal mass ascend.
    fn ascend(&self, count: usize) -> bool {
        let all = self.ends.len() - 1;
        let (size, larger) = (all / count, all % count);
        // The bins that end before it first happened have a frequency of 0.
        let (from, to) = self.mixed;
        let skipped = if from <= larger * (size + 1) {
            from / (size + 1)
        } else {
            larger + (from - larger * (size + 1)) / size
        };
        let mut end = self.ends[mass_cut(all, count, skipped)];
        let mut before = 0.0;
        for bin in skipped..count {
            let cut = mass_cut(all, count, bin + 1);
            if cut <= end {
                continue;
            }
            let next = self.ends[cut];
            let frequency = (self.happened[next] - self.happened[end]) / (next - end) as f64;
            if frequency < before {
                return false;
            }
            (before, end) = (frequency, next);
            if end >= to {
                break;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against making every number of bins in turn.
        #[test]
        fn it_stops_where_the_plain_search_does(
            rows in prop::collection::vec((0u8..30, any::<bool>()), 1..80), sorted in any::<bool>(),
        ) {
            let mut rows = rows;
            if sorted {
                rows.sort_by_key(|(f, y)| (*y, *f));
                for (place, row) in rows.iter_mut().enumerate() {
                    row.0 = (place / 2) as u8;
                }
            }
            let line = Line::new(rows.len(), |r| f64::from(rows[r].0) / 80.0, |r| rows[r].1);
            let ascending = |count: usize| {
                bins(&line, count, By::Mass).is_sorted_by(|a, b| a.y <= b.y)
            };
            let plain = (2..=line.rows()).take_while(|&count| ascending(count)).last();
            let plain = bins(&line, plain.unwrap_or(1), By::Mass);
            prop_assert_eq!(bins(&line, most_bins(&line), By::Mass), plain);
        }
    }
}
