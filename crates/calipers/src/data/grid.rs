//! Features in few cells: what trees, tests and segments ask about.

use rayon::prelude::*;

use super::feature::{Feature, MISSING, Values};
use crate::numeric::borders;

/// The most borders of a number, and the most levels of a category that have a cell of their own.
pub(crate) const MOST_CELLS: usize = 31;

/// Borders are chosen by at most so many values, evenly taken.
const MOST_VALUES: usize = 20_000;

/// A level of fewer rows has no cell of its own.
const FEWEST: usize = 5;

/// Every feature of every row by the number of its cell.
#[derive(Debug)]
pub(crate) struct Grid {
    pub columns: Vec<Cells>,
}

/// One feature.
#[derive(Debug)]
pub(crate) struct Cells {
    pub kind: Kind,
    /// The cell of each row.
    pub of_row: Vec<u8>,
}

/// What cells are.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Numbers between borders: so many borders lie below the value. Those that are missing lie below all.
    Number { borders: Vec<f64> },
    /// Levels by their codes, the most frequent first; after them the cell of all others, and that of what is
    /// missing.
    Category { levels: Vec<u32> },
}

impl Cells {
    /// Whether the first cell is that of numbers which are missing.
    pub fn has_missing(&self) -> bool {
        match &self.kind {
            Kind::Number { borders } => borders.first().is_some_and(|first| *first <= f64::MIN),
            Kind::Category { .. } => false,
        }
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        match &self.kind {
            Kind::Number { borders } => borders.len() + 1,
            Kind::Category { levels } => levels.len() + 2,
        }
    }
}

impl Grid {
    pub fn of(columns: &[Feature]) -> Self {
        let cells = |column: &Feature| match &column.values {
            Values::Numbers(values) => numbers(values),
            Values::Categories { levels, codes } => categories(levels.len(), codes),
        };
        Self { columns: columns.par_iter().map(cells).collect() }
    }
}

fn numbers(values: &[f64]) -> Cells {
    let step = values.len().div_ceil(MOST_VALUES).max(1);
    let known = values.iter().copied().step_by(step).filter(|value| !value.is_nan());
    let mut borders = borders::choose(known.collect(), MOST_CELLS);
    if values.iter().any(|value| value.is_nan()) {
        // Below every number, so that one border sets apart what is missing.
        borders.truncate(MOST_CELLS - 1);
        borders.insert(0, f64::MIN);
    }
    let of_row = values.iter().map(|&value| number(&borders, value)).collect();
    Cells { kind: Kind::Number { borders }, of_row }
}

/// The cell of a number.
#[inline]
pub(crate) fn number(borders: &[f64], value: f64) -> u8 {
    borders::bin(borders, if value.is_nan() { f64::NEG_INFINITY } else { value })
}

fn categories(count: usize, codes: &[u32]) -> Cells {
    let mut sizes = vec![0usize; count];
    codes.iter().filter(|code| **code != MISSING).for_each(|&code| {
        sizes[code as usize] += 1;
    });
    let mut levels: Vec<u32> = (0..count as u32).collect();
    levels.sort_by_key(|&level| (std::cmp::Reverse(sizes[level as usize]), level));
    levels.retain(|&level| sizes[level as usize] >= FEWEST);
    levels.truncate(MOST_CELLS - 1);
    let mut place = vec![levels.len() as u8; count];
    levels.iter().enumerate().for_each(|(at, &level)| place[level as usize] = at as u8);
    let missing = levels.len() as u8 + 1;
    let of = |&code: &u32| if code == MISSING { missing } else { place[code as usize] };
    let of_row: Vec<u8> = codes.iter().map(of).collect();
    Cells { kind: Kind::Category { levels }, of_row }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_have_a_cell_of_their_own_below_all() {
        let cells = numbers(&[3.0, f64::NAN, -1e300, 5.0, f64::NAN]);
        let Kind::Number { borders } = &cells.kind else { panic!() };
        assert_eq!((borders.len(), cells.of_row.as_slice()), (3, [2, 0, 1, 3, 0].as_slice()));
        assert_eq!(number(borders, f64::NEG_INFINITY), 0);
    }

    #[test]
    fn frequent_levels_have_cells_and_rare_ones_share_one() {
        let mut codes = vec![2; 9];
        codes.extend([0; 6]);
        codes.extend([1, 1, MISSING]);
        let cells = categories(3, &codes);
        let Kind::Category { levels } = &cells.kind else { panic!() };
        assert_eq!((levels.as_slice(), cells.count()), ([2, 0].as_slice(), 4));
        assert_eq!((cells.of_row[0], cells.of_row[9]), (0, 1));
        assert_eq!(cells.of_row[15..], [2, 2, 3]);
    }
}
