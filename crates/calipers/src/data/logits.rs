//! Logits as probabilities.

use fearless_simd::{Level, dispatch};
use ndarray::{ArrayView1, ArrayView2};

use super::probs::Real;
use crate::error::{Error, Result};
use crate::numeric::simd::{padded, softmax_rows, widely};

/// Numbers that are handled together, about: few enough to stay in a near cache.
const NUMBERS: usize = 1 << 13;

/// The softmax of each row, one after the other; a single column is the logit of class 1 above class 0.
pub(super) fn softmax<T: Real>(logits: ArrayView2<'_, T>) -> Result<Vec<f64>> {
    let (rows, columns) = logits.dim();
    let single = columns == 1;
    let classes = if single { 2 } else { columns };
    let stride = padded(classes);
    // Vectors take four rows at a time.
    let block = (NUMBERS / stride).clamp(4, 64) / 4 * 4;
    let mut scores = vec![f64::NEG_INFINITY; block * stride];
    let (mut largest, mut sums) = (vec![0.0; block], vec![0.0; block]);
    let mut cells = Vec::with_capacity(rows * classes);
    for first in (0..rows).step_by(block) {
        let count = block.min(rows - first);
        for (row, scores) in (first..rows).zip(scores.chunks_exact_mut(stride)) {
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
        let (largest, sums) = (&mut largest[..count], &mut sums[..count]);
        let scores = &mut scores[..count.next_multiple_of(4) * stride];
        dispatch!(Level::new(), simd => softmax_rows(simd, scores, stride, largest, sums));
        let rows = (first..).zip(scores.chunks_exact_mut(stride)).zip(largest.iter().zip(sums));
        for ((row, masses), (largest, sum)) in rows {
            let masses = &mut masses[..classes];
            let start = cells.len();
            let is_any_none = widely(
                classes,
                #[inline(always)]
                || {
                    masses.iter_mut().for_each(|mass| *mass /= *sum);
                    masses.iter().fold(false, |any, mass| any | (*mass <= 0.0))
                },
            );
            cells.extend_from_slice(masses);
            // Vectors take what is hardly more than 0 for 0.
            if is_any_none {
                let logit = |class: usize| match single {
                    true if class == 0 => 0.0,
                    true => logits[[row, 0]].into(),
                    false => logits[[row, class]].into(),
                };
                for class in (0..classes).filter(|&class| masses[class] <= 0.0) {
                    cells[start + class] = (logit(class) - *largest).exp() / *sum;
                }
            }
        }
    }
    Ok(cells)
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
