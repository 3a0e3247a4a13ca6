//! Rows of like predictions, put together.

use crate::data::Column;

/// About as many cells: the estimates of 100 are a little lower, those of 400 no higher.
pub(super) const CELLS: usize = 200;

/// At most about as many small cells, for what is not smooth; and at least so many rows in each of them,
/// unless they share a prediction.
const SMALL_CELLS: usize = 4_096;
const LEAST_ROWS: f64 = 16.0;

/// Predictions that differ by less than this share of themselves, or of their distance to 1, are the
/// same one: the last bits are rounding.
const TIE: f64 = 1e-12;

/// A cell that a group of ties would make larger than this many times its share is closed before.
const OVERFULL: f64 = 1.5;

/// Weights that differ by less than this share are equal: the order in which they were added up, which
/// is that of the rows, must not decide where a cell ends.
const ROUNDING: f64 = 1e-9;

/// Neighbouring rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cell {
    /// The rows' weight.
    pub mass: f64,
    /// The weight of those of class 1.
    pub observed: f64,
    /// The rows' mean prediction. With this as the cell's own prediction, calibrated rows make a
    /// calibrated cell.
    pub prediction: f64,
}

impl Cell {
    /// Adds rows; until the cell is closed, `prediction` is a sum.
    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.observed += other.observed;
        self.prediction += other.prediction;
    }
}

/// Rows in cells of equal weight, ascending, that no group of ties is split between.
pub(super) struct Divided {
    /// At most 4/3 · [`CELLS`] + 1 of them, because of two neighbours one is full, or both together are
    /// over-full.
    pub cells: Vec<Cell>,
    /// More of them.
    pub small: Vec<Cell>,
    /// Whether one of the first holds rows of different predictions.
    pub merged: bool,
}

/// Divides rows, whose masses then add up to `total`.
pub(super) fn divide(column: Column<'_>, total: f64) -> Divided {
    let weight: f64 = column.iter().map(|(_, _, weight)| weight).sum();
    // Two-class problems come sorted, and need no copy.
    let (mut smallest, some) = if column.iter().is_sorted_by(|a, b| a.0 <= b.0) {
        divide_sorted(column.iter(), weight / SMALL_CELLS as f64)
    } else {
        let mut rows: Vec<(f64, f64, f64)> = column.iter().collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        divide_sorted(rows.into_iter(), weight / SMALL_CELLS as f64)
    };
    for cell in &mut smallest {
        cell.mass *= total / weight;
        cell.observed *= total / weight;
    }
    let rows =
        || smallest.iter().map(|cell| (cell.prediction, cell.observed / cell.mass, cell.mass));
    let (cells, more) = divide_sorted(rows(), total / CELLS as f64);
    let (small, _) = divide_sorted(rows(), LEAST_ROWS);
    Divided { cells, small, merged: some || more }
}

/// Cells of a share of the rows' weight each, and whether one of them holds different predictions.
fn divide_sorted(rows: impl Iterator<Item = (f64, f64, f64)>, share: f64) -> (Vec<Cell>, bool) {
    // Room for all at once: a table that grows would be moved from one piece of fresh memory to the next.
    let most = rows.size_hint().0.min(SMALL_CELLS * 4 / 3 + 1);
    let mut cells: Vec<Cell> = Vec::with_capacity(most);
    let mut merged = false;
    let mut open = Cell::default();
    let mut rows = rows.peekable();
    while let Some(row) = rows.next() {
        let (position, mut ties) = (row.0, single(row));
        let reach = position + TIE * position.min(1.0 - position);
        while let Some(row) = rows.next_if(|next| next.0 <= reach) {
            ties.add(&single(row));
        }
        if open.mass > 0.0 && open.mass + ties.mass > OVERFULL * share * (1.0 + ROUNDING) {
            cells.push(std::mem::take(&mut open));
        }
        merged |= open.mass > 0.0;
        open.add(&ties);
        if open.mass >= share * (1.0 - ROUNDING) {
            cells.push(std::mem::take(&mut open));
        }
    }
    if open.mass > 0.0 {
        cells.push(open);
    }
    cells.iter_mut().for_each(|cell| cell.prediction /= cell.mass);
    (cells, merged)
}

fn single((prediction, observed, weight): (f64, f64, f64)) -> Cell {
    Cell { mass: weight, observed: weight * observed, prediction: weight * prediction }
}
