//! Logits as probabilities.

use fearless_simd::{Level, dispatch};
use ndarray::{Array2, ArrayView1, ArrayView2, aview1};

use super::probs::Real;
use crate::error::{Error, Result};
use crate::numeric::simd::{padded, softmax_rows, widely};

/// Numbers that are handled together, about: few enough to stay in a near cache.
const NUMBERS: usize = 1 << 13;

/// The softmax of each row, one after the other; a single column is the logit of class 1 above class 0.
pub(super) fn softmax<T: Real>(logits: ArrayView2<'_, T>) -> Result<Vec<f64>> {
    let mut block = Block::new(logits.ncols());
    let mut cells = Vec::with_capacity(logits.nrows() * block.classes);
    for first in (0..logits.nrows()).step_by(block.rows) {
        block.take(logits, first)?;
        block.each().for_each(|masses| cells.extend_from_slice(masses));
    }
    Ok(cells)
}

/// As [`softmax`], of several columns, where they are.
pub(super) fn softmax_in_place(logits: &mut Array2<f64>) -> Result<()> {
    let mut block = Block::new(logits.ncols());
    for first in (0..logits.nrows()).step_by(block.rows) {
        block.take(logits.view(), first)?;
        let rows = logits.outer_iter_mut().skip(first);
        rows.zip(block.each()).for_each(|(mut row, masses)| row.assign(&aview1(masses)));
    }
    Ok(())
}

/// Some rows, on their way from logits to probabilities.
struct Block {
    /// How many rows there may be: vectors take four at a time.
    rows: usize,
    /// How many there are.
    count: usize,
    classes: usize,
    scores: Vec<f64>,
    largest: Vec<f64>,
    sums: Vec<f64>,
}

impl Block {
    fn new(columns: usize) -> Self {
        let classes = if columns == 1 { 2 } else { columns };
        let rows = (NUMBERS / padded(classes)).clamp(4, 64) / 4 * 4;
        let scores = vec![f64::NEG_INFINITY; rows * padded(classes)];
        Self { rows, count: 0, classes, scores, largest: vec![0.0; rows], sums: vec![0.0; rows] }
    }

    /// Takes as many rows as there may be, from one on.
    fn take<T: Real>(&mut self, logits: ArrayView2<'_, T>, first: usize) -> Result<()> {
        let (classes, single) = (self.classes, logits.ncols() == 1);
        let stride = padded(classes);
        self.count = self.rows.min(logits.nrows() - first);
        let rows = (first..first + self.count).zip(self.scores.chunks_exact_mut(stride));
        for (row, scores) in rows {
            // What filled the row up was made 0 by the block before.
            scores[classes..].fill(f64::NEG_INFINITY);
            // Class 0, where only class 1 is given.
            scores[0] = 0.0;
            let to = &mut scores[usize::from(single)..classes];
            let logits = logits.row(row);
            to.iter_mut().zip(logits).for_each(|(to, &logit)| *to = logit.into());
            if !are_logits(to, single) {
                return Err(fault(row, logits));
            }
        }
        let (largest, sums) = (&mut self.largest[..self.count], &mut self.sums[..self.count]);
        let scores = &mut self.scores[..self.count.next_multiple_of(4) * stride];
        dispatch!(Level::new(), simd => softmax_rows(simd, scores, stride, largest, sums));
        let rows = (first..).zip(scores.chunks_exact_mut(stride)).zip(largest.iter().zip(sums));
        for ((row, masses), (largest, sum)) in rows {
            let masses = &mut masses[..classes];
            let is_any_none = widely(
                classes,
                #[inline(always)]
                || {
                    masses.iter_mut().for_each(|mass| *mass /= *sum);
                    masses.iter().fold(false, |any, mass| any | (*mass <= 0.0))
                },
            );
            // Vectors take what is hardly more than 0 for 0.
            if is_any_none {
                let logit = |class: usize| match single {
                    true if class == 0 => 0.0,
                    true => logits[[row, 0]].into(),
                    false => logits[[row, class]].into(),
                };
                for (class, mass) in masses.iter_mut().enumerate().filter(|(_, mass)| **mass <= 0.0)
                {
                    *mass = (logit(class) - *largest).exp() / *sum;
                }
            }
        }
        Ok(())
    }

    /// The probabilities of the rows that were taken.
    fn each(&self) -> impl Iterator<Item = &[f64]> {
        let rows = self.scores.chunks_exact(padded(self.classes)).take(self.count);
        rows.map(|row| &row[..self.classes])
    }
}

/// Whether there is no +∞ and none that is no number, and they leave something possible. Without a way out
/// at the first that is not: like this, many are looked at together.
fn are_logits(logits: &[f64], single: bool) -> bool {
    let (all, any) = widely(
        logits.len(),
        #[inline(always)]
        || {
            let all = logits.iter().fold(true, |all, logit| all & (*logit < f64::INFINITY));
            let any = logits.iter().fold(false, |any, logit| any | (*logit > f64::NEG_INFINITY));
            (all, any)
        },
    );
    all && (any || single)
}

/// The first logit of a row that is none; or that all of them are −∞.
fn fault<T: Real>(row: usize, logits: ArrayView1<'_, T>) -> Error {
    let wrong = |value: f64| value.is_nan() || (value.is_infinite() && value > 0.0);
    let mut values = logits.iter().map(|&logit| logit.into()).enumerate();
    let (column, value) = values.find(|(_, value)| wrong(*value)).unwrap_or((0, f64::NEG_INFINITY));
    Error::Logit { row, column, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that fill blocks and rows that do not; classes that f rules out, and some that it nearly does.
    #[test]
    fn where_they_are_or_elsewhere_the_softmax_is_the_same() {
        for (rows, classes) in [(1, 2), (5, 3), (130, 7), (9, 2_000)] {
            let mut logits = Array2::from_shape_fn((rows, classes), |(row, class)| {
                (((row * 31 + class * 17) % 101) as f64 - 50.0) * 8.0
            });
            logits[[0, 1]] = f64::NEG_INFINITY;
            let elsewhere = softmax(logits.view()).unwrap();
            for (row, found) in logits.outer_iter().zip(elsewhere.chunks_exact(classes)) {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = row.iter().map(|logit| (logit - largest).exp()).sum();
                for (logit, found) in row.iter().zip(found) {
                    let expected = (logit - largest).exp() / sum;
                    assert!((found - expected).abs() <= 1e-14 * expected, "{found} {expected}");
                }
            }
            softmax_in_place(&mut logits).unwrap();
            assert!(logits.iter().eq(&elsewhere), "{rows} {classes}");
        }
    }

    #[test]
    fn the_first_row_that_is_wrong_is_named() {
        let mut logits = Array2::zeros((100, 3));
        logits[[77, 1]] = f64::NAN;
        logits[[90, 0]] = f64::INFINITY;
        let error = softmax_in_place(&mut logits).unwrap_err();
        assert!(matches!(error, Error::Logit { row: 77, column: 1, value } if value.is_nan()));
    }
}
