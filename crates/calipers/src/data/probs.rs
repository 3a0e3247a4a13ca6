//! Predictions that were checked, read row by row.

mod values;

use std::borrow::Cow;
use std::ops::Range;

use ndarray::{Array2, ArrayView2, CowArray, Ix2};

pub use values::{Real, Values};

use crate::error::{Error, Result};

/// How far from 1 a row's sum may lie and still be renormalised.
///
/// Networks give probabilities in half precision. bfloat16 keeps eight significant bits: rounding
/// moves each probability, and so their sum, by at most 2⁻⁸ of it, which is 0.0039. float16 keeps
/// three bits more. Rows that were rounded to two decimals, or that are no probabilities, are
/// further off, and are refused.
pub const SUM_TOLERANCE: f64 = 4e-3;

/// Sums this close to 1, and probabilities this close to 0, are rounding of single precision and not
/// worth a word.
const SUM_ROUNDING: f64 = 1e-6;

/// What a probability may be, before its row is divided by its sum.
const LEAST: f64 = -SUM_ROUNDING;
const MOST: f64 = 1.0 + SUM_TOLERANCE;

/// With more classes than this, the sums of rows that are borrowed are kept: adding a row up again
/// for every cell that is read would take longer than everything else, and the sums are at most an
/// eighth as large as the rows.
const MOST_ADDED_AGAIN: usize = 16;

/// Predictions that were checked: every row that is read is a point of the simplex.
///
/// Owned tables are divided by their rows' sums once. Borrowed numbers stay as they are: single
/// precision is widened and a row divided by its sum whenever it is read, to the same bits.
#[derive(Debug, Clone)]
pub(crate) struct Probs<'a> {
    values: Values<'a>,
    classes: usize,
    /// Whether some rows are still to be brought onto the simplex.
    divide: bool,
    /// The rows' sums, if they are needed and there are more than [`MOST_ADDED_AGAIN`] classes.
    sums: Option<Cow<'a, [f64]>>,
}

impl<'a> Probs<'a> {
    /// Checks a table and divides each row by its sum; also says how many sums were off by more than
    /// rounding.
    pub fn owned(table: Array2<f64>) -> Result<(Self, usize)> {
        let (len, classes) = (table.len(), table.ncols());
        let mut cells = if table.is_standard_layout() {
            // A part of an array keeps the rest of its memory.
            let (mut cells, offset) = table.into_raw_vec_and_offset();
            cells.drain(..offset.unwrap_or(0));
            cells.truncate(len);
            cells
        } else {
            table.iter().copied().collect()
        };
        let mut off = 0;
        for (row, values) in cells.chunks_exact_mut(classes).enumerate() {
            let Checked { sum, .. } = check_row(row, values)?;
            put_on_simplex(values, sum);
            off += usize::from(is_off(sum));
        }
        Ok((Self::trusted(cells.into(), classes), off))
    }

    /// Checks numbers that stay as they are; also says how many sums were off by more than rounding.
    /// The probabilities of a single column must have been checked by [`check_column`].
    pub fn borrowed(values: Values<'a>) -> Result<(Self, usize)> {
        let (rows, classes) = values.dim();
        let keep = classes > MOST_ADDED_AGAIN;
        let mut sums = Vec::with_capacity(if keep { rows } else { 0 });
        let (mut off, mut divide) = (0, false);
        let mut buffer = vec![0.0; classes];
        for row in 0..rows {
            let held = match &values {
                Values::Rows { cells, .. } => &cells[row * classes..(row + 1) * classes],
                _ => {
                    values.read(row, &mut buffer);
                    &buffer
                }
            };
            let Checked { sum, outside } = check_row(row, held)?;
            divide |= outside || needs_division(sum, classes);
            off += usize::from(is_off(sum));
            if keep {
                sums.push(sum);
            }
        }
        let sums = (divide && keep).then(|| sums.into());
        Ok((Self { values, classes, divide, sums }, off))
    }

    /// Probabilities of class 1, all of them from 0 to 1: there is nothing to be divided.
    pub fn shares(values: Values<'a>) -> Self {
        Self { values, classes: 2, divide: false, sums: None }
    }

    /// Rows, one after the other, that are points of the simplex.
    pub fn trusted(cells: Cow<'a, [f64]>, classes: usize) -> Self {
        let values = Values::Rows { cells, classes };
        Self { values, classes, divide: false, sums: None }
    }

    /// The same predictions, borrowed.
    pub fn view(&self) -> Probs<'_> {
        Probs {
            values: self.values.view(),
            classes: self.classes,
            divide: self.divide,
            sums: self.sums.as_deref().map(Cow::Borrowed),
        }
    }

    /// Some of the rows, borrowed.
    pub fn some(&self, rows: Range<usize>) -> Probs<'_> {
        Probs {
            sums: self.sums.as_ref().map(|sums| Cow::Borrowed(&sums[rows.clone()])),
            values: self.values.some(rows),
            classes: self.classes,
            divide: self.divide,
        }
    }

    /// A row's sum, if it was kept.
    #[inline]
    fn sum(&self, row: usize) -> Option<f64> {
        self.sums.as_ref().map(|sums| sums[row])
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.values.dim().0
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// All rows, one after the other, if that is how they are held.
    #[inline]
    pub fn as_slice(&self) -> Option<&[f64]> {
        match &self.values {
            Values::Rows { cells, .. } if !self.divide => Some(cells),
            _ => None,
        }
    }

    /// All rows as a table, which is a copy unless that is how they are held.
    pub fn table(&self) -> CowArray<'_, f64, Ix2> {
        let held = match &self.values {
            Values::Rows { cells, .. } => ArrayView2::from_shape(self.values.dim(), cells).ok(),
            Values::Double(table) => Some(table.view()),
            _ => None,
        };
        if let Some(table) = held
            && !self.divide
        {
            return table.into();
        }
        let mut table = Array2::zeros(self.values.dim());
        let cells = table.as_slice_mut().unwrap_or_default();
        let rows = cells.chunks_exact_mut(self.classes).enumerate();
        rows.for_each(|(row, to)| self.read(row, to));
        table.into()
    }

    /// A row, as it is held or read into the buffer, which must have room for it.
    #[inline]
    pub fn row<'b>(&'b self, row: usize, buffer: &'b mut [f64]) -> &'b [f64] {
        match self.as_slice() {
            Some(all) => &all[row * self.classes..(row + 1) * self.classes],
            None => {
                self.read(row, buffer);
                buffer
            }
        }
    }

    /// Reads a row.
    #[inline]
    pub fn read(&self, row: usize, to: &mut [f64]) {
        self.values.read(row, to);
        if self.divide {
            let sum = self.sum(row).unwrap_or_else(|| add_up(to));
            put_on_simplex(to, sum);
        }
    }

    /// Whether a row is this prediction, to the bit; the buffer has room for it.
    pub fn is(&self, row: usize, f: &[f64], buffer: &mut [f64]) -> bool {
        let own = self.row(row, buffer);
        own.iter().zip(f).all(|(one, other)| one.to_bits() == other.to_bits())
    }

    /// One class's probability in a row.
    #[inline]
    pub fn at(&self, row: usize, class: usize) -> f64 {
        let value = self.values.at(row, class);
        if !self.divide {
            return value;
        }
        let again = || total((0..self.classes).map(|class| self.values.at(row, class)));
        on_simplex(value, self.sum(row).unwrap_or_else(again), self.classes)
    }
}

/// Checks the probabilities of class 1, if that is what the numbers are.
pub(crate) fn check_column(values: &Values<'_>) -> Result<()> {
    let check = |(row, value)| check_probability(row, 1, value);
    match values {
        Values::DoubleColumn(column) => column.iter().copied().enumerate().try_for_each(check),
        Values::SingleColumn(column) => {
            column.iter().map(|&value| value.into()).enumerate().try_for_each(check)
        }
        Values::Rows { .. } | Values::Double(_) | Values::Single(_) => Ok(()),
    }
}

/// A row that may pass.
struct Checked {
    sum: f64,
    /// Whether any of its numbers is below 0 or above 1, by rounding.
    outside: bool,
}

/// Checks a row of probabilities.
#[inline]
fn check_row(row: usize, values: &[f64]) -> Result<Checked> {
    // Looking at all is done several at a time; stopping at the first that is wrong is not.
    let outside = values.iter().fold(false, |any, value| any | !(0.0..=1.0).contains(value));
    if outside {
        for (column, &value) in values.iter().enumerate() {
            check_probability(row, column, value)?;
        }
    }
    let sum = add_up(values);
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(Error::RowSum { row, sum, tolerance: SUM_TOLERANCE });
    }
    Ok(Checked { sum, outside })
}

#[inline]
fn check_probability(row: usize, column: usize, value: f64) -> Result<()> {
    let reason = if !value.is_finite() {
        "is not finite"
    } else if value < LEAST {
        "is negative"
    } else if value > MOST {
        "is above 1"
    } else {
        return Ok(());
    };
    Err(Error::Probability { row, column, value, reason })
}

/// The sum of a row.
#[inline]
fn add_up(row: &[f64]) -> f64 {
    total(row.iter().copied())
}

/// The sum from the first class on, what rounding has left below 0 taken as 0: every way of reading a
/// row must add up to the same bits.
#[inline]
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value.max(0.0))
}

/// Whether a sum differs from 1 by more than rounding allows. A row that does not is left alone:
/// dividing it would only move its last bits, and break ties.
#[inline]
fn needs_division(sum: f64, classes: usize) -> bool {
    (sum - 1.0).abs() > f64::EPSILON * classes as f64
}

/// Divides a row that was checked by its sum.
#[inline]
fn put_on_simplex(row: &mut [f64], sum: f64) {
    let classes = row.len();
    row.iter_mut().for_each(|value| *value = on_simplex(*value, sum, classes));
}

/// A probability of a row with this sum. What rounding has left below 0 or above 1 is taken as that:
/// 1 and an ulp would leave less than nothing for the others.
#[inline]
fn on_simplex(value: f64, sum: f64, classes: usize) -> f64 {
    let value = if needs_division(sum, classes) { value / sum } else { value };
    value.clamp(0.0, 1.0)
}

/// Whether a sum is worth a word.
fn is_off(sum: f64) -> bool {
    (sum - 1.0).abs() > SUM_ROUNDING
}

#[cfg(test)]
mod tests;
