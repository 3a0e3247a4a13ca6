//! Features in coarse cells, and the conditions on them.

use std::cmp::Reverse;

use crate::data::{Cells, Feature, Kind, MISSING, Values};

/// Where numbers are cut, by the number of conditions: tails as well where there is one, less finely where
/// segments are many.
const CUTS: [&[f64]; 3] = [
    &[0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, 0.99],
    &[1.0 / 6.0, 2.0 / 6.0, 0.5, 4.0 / 6.0, 5.0 / 6.0],
    &[0.2, 0.5, 0.8],
];

/// How much one-sided ranges of numbers weigh beside those with two ends.
const ONE_SIDED: [f64; 3] = [0.7, 0.7, 0.8];

/// Levels that have a cell of their own, the most frequent, the last cell being that of all others.
const LEVELS: [usize; 3] = [12, 8, 6];

/// Numbers of so few different values are not cut but told apart.
const TOLD_APART: usize = 8;

/// Cuts are chosen by at most so many values, evenly taken.
const MOST_VALUES: usize = 20_000;

/// Cells from one to before another, and how much it weighs to be among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub from: usize,
    pub to: usize,
    pub weight: f64,
}

/// A feature in cells.
pub(super) struct Coded {
    /// The cell of each row that is looked at.
    pub of_row: Vec<u8>,
    pub cells: usize,
    /// The conditions.
    pub ranges: Vec<Range>,
    /// For each cell the mean rank of its rows, from −1/2 to 1/2; 0 for what is missing. None for categories.
    pub centres: Option<Vec<f64>>,
}

impl Coded {
    /// A feature of some rows, for so many conditions, from 0.
    pub fn of(feature: &Feature, cells: &Cells, order: usize, rows: &[u32]) -> Self {
        match (&feature.values, &cells.kind) {
            (Values::Numbers(values), _) => {
                let own: Vec<f64> = rows.iter().map(|&row| values[row as usize]).collect();
                numbers(&own, order)
            }
            (Values::Categories { codes, .. }, kind) => {
                let levels = if let Kind::Category { levels } = kind { levels.len() } else { 0 };
                let own = rows.iter().map(|&row| {
                    let missing = codes[row as usize] == MISSING;
                    (missing, cells.of_row[row as usize] as usize)
                });
                categories(own, levels, order)
            }
        }
    }
}

fn numbers(values: &[f64], order: usize) -> Coded {
    let cuts = cuts(values, CUTS[order]);
    let missing = values.iter().any(|value| value.is_nan());
    let last = cuts.len();
    let of_row: Vec<u8> = values
        .iter()
        .map(|&value| match value.is_nan() {
            true => last as u8 + 1,
            false => cuts.partition_point(|&cut| cut < value) as u8,
        })
        .collect();
    let known = last + 1;
    let mut ranges = Vec::new();
    for from in 0..known {
        for to in from + 1..=known {
            if missing || from > 0 || to < known {
                ranges.push((Range { from, to, weight: 0.0 }, from == 0 || to == known));
            }
        }
    }
    if missing {
        ranges.push((Range { from: known, to: known + 1, weight: 0.0 }, true));
    }
    let one_sided = ranges.iter().filter(|(_, one)| *one).count() as f64;
    let two_sided = ranges.len() as f64 - one_sided;
    let share = if two_sided > 0.0 { ONE_SIDED[order] } else { 1.0 };
    let weighted = ranges.into_iter().map(|(range, one)| Range {
        weight: if one { share / one_sided } else { (1.0 - share) / two_sided },
        ..range
    });
    let ranges = weighted.collect();
    let cells = known + usize::from(missing);
    let mut counts = vec![0.0; cells];
    of_row.iter().for_each(|&cell| counts[cell as usize] += 1.0);
    let total: f64 = counts[..known].iter().sum::<f64>().max(1.0);
    let mut before = 0.0;
    let mut centres: Vec<f64> = counts[..known]
        .iter()
        .map(|count| {
            let centre = (before + 0.5 * count) / total - 0.5;
            before += count;
            centre
        })
        .collect();
    centres.resize(cells, 0.0);
    Coded { of_row, cells, ranges, centres: Some(centres) }
}

/// Values up to which numbers go into one cell.
fn cuts(values: &[f64], quantiles: &[f64]) -> Vec<f64> {
    let step = values.len().div_ceil(MOST_VALUES).max(1);
    let mut some: Vec<f64> =
        values.iter().copied().step_by(step).filter(|value| !value.is_nan()).collect();
    some.sort_unstable_by(f64::total_cmp);
    let Some(&largest) = some.last() else { return Vec::new() };
    let mut different = some.clone();
    different.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let mut cuts = if different.len() <= TOLD_APART.min(quantiles.len() + 1) {
        different
    } else {
        let at = |quantile: &f64| {
            let place = (quantile * some.len() as f64).ceil() as usize;
            some[place.clamp(1, some.len()) - 1]
        };
        quantiles.iter().map(at).collect()
    };
    cuts.dedup_by(|a, b| a.total_cmp(b).is_eq());
    cuts.retain(|cut| *cut < largest);
    cuts
}

/// Levels come by their frequency, then all others, then what is missing.
fn categories(
    own: impl Iterator<Item = (bool, usize)> + Clone,
    levels: usize,
    order: usize,
) -> Coded {
    let most = LEVELS[order];
    let last = most - 1;
    // One cell more for what is missing.
    let place = |(missing, cell): (bool, usize)| match missing {
        true => most,
        false => cell.min(levels).min(last),
    };
    let mut counts = vec![0usize; most + 1];
    own.clone().for_each(|row| counts[place(row)] += 1);
    let mut used: Vec<usize> = (0..=most).filter(|&cell| counts[cell] > 0).collect();
    used.sort_by_key(|&cell| (Reverse(counts[cell]), cell));
    let mut cell_of = vec![0u8; most + 1];
    used.iter().enumerate().for_each(|(at, &cell)| cell_of[cell] = at as u8);
    let of_row = own.map(|row| cell_of[place(row)]).collect();
    let (cells, weight) = (used.len().max(1), 1.0 / used.len().max(1) as f64);
    let ranges = (0..cells).map(|from| Range { from, to: from + 1, weight }).collect();
    Coded { of_row, cells, ranges, centres: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_at_quantiles_and_what_is_missing_is_a_condition() {
        let mut values: Vec<f64> = (1..=100).map(f64::from).collect();
        values.push(f64::NAN);
        let coded = numbers(&values, 2);
        assert_eq!((coded.cells, coded.of_row[19], coded.of_row[20]), (5, 0, 1));
        assert_eq!(coded.of_row[100], 4);
        // Ten ranges of four cells, all numbers among them, and what is missing.
        assert_eq!(coded.ranges.len(), 11);
        assert!((coded.ranges.iter().map(|range| range.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        let centres = coded.centres.unwrap();
        assert!((centres[0] + 0.4).abs() < 1e-12 && centres[4].abs() < 1e-12);
    }

    #[test]
    fn few_values_are_told_apart_and_one_is_no_condition() {
        let coded = numbers(&[2.0, 1.0, 2.0, 3.0], 1);
        assert_eq!(coded.of_row, [1, 0, 1, 2]);
        assert_eq!(numbers(&[7.0; 5], 0).ranges.len(), 0);
        assert_eq!(numbers(&[f64::NAN; 5], 0).cells, 2);
    }

    #[test]
    fn rare_levels_share_a_cell() {
        let rows: Vec<(bool, usize)> = (0..100).map(|row| (row == 99, row % 10)).collect();
        let coded = categories(rows.iter().copied(), 9, 2);
        assert_eq!((coded.cells, coded.ranges.len()), (7, 7));
        let others = coded.of_row[5];
        assert!((5..10).all(|row| coded.of_row[row] == others));
        assert_eq!(coded.of_row.iter().filter(|cell| **cell == coded.of_row[99]).count(), 1);
    }
}
