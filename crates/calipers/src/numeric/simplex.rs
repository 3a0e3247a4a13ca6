//! Points of the simplex: softmax, logarithms, mixtures.

use super::simd::sum_of;

/// Probabilities below this count as this wherever a logarithm of f is a *feature* of a
/// recalibrator (losses have no floor unless the user asks for one). Lower floors recover less of
/// the error, because one row that f rules out and that happens then outweighs all others;
/// docs/choices.md, "The floor under logarithms", has the figures.
pub(crate) const FLOOR: f64 = 1e-6;

/// ln f, with f floored at [`FLOOR`].
#[inline]
pub(crate) fn floored_ln(probability: f64) -> f64 {
    probability.max(FLOOR).ln()
}

/// 1 / (1 + exp(-x)), without overflow and without losing the small tail.
#[inline]
pub(crate) fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// Turns scores into probabilities, in place; returns the log of the sum of exponentials.
#[inline]
pub(crate) fn softmax(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
    largest + sum.ln()
}

/// Divides by the sum; a row of zeros becomes uniform.
#[inline(always)]
pub(crate) fn normalise(row: &mut [f64]) {
    let sum = sum_of(row, row, |p, _| p);
    if sum > 0.0 {
        row.iter_mut().for_each(|value| *value /= sum);
    } else {
        row.fill(1.0 / row.len() as f64);
    }
}

/// Whether numbers are a point of the simplex, but for rounding.
pub(crate) fn is_point(row: &[f64]) -> bool {
    let slack = 1e-12 * row.len() as f64;
    row.iter().all(|value| (0.0..=1.0).contains(value))
        && (row.iter().sum::<f64>() - 1.0).abs() <= slack
}

/// Whether a parameter that was loaded can be reckoned with: sums and products of a few of them,
/// which is what maps are made of, are finite. Fitted ones are smaller by far.
pub(crate) fn is_moderate(value: f64) -> bool {
    value.abs() <= 1e100
}

/// Moves 1/(n + 1) of the mass to the uniform distribution, where n is the number of training
/// rows, so that a frequency of 0 out of n never says "impossible".
///
/// Written so that a component already at 1/k stays there to the last bit.
#[inline(always)]
pub(crate) fn mix_with_uniform(row: &mut [f64], training_rows: f64) {
    let uniform = 1.0 / row.len() as f64;
    let share = 1.0 / (training_rows + 1.0);
    row.iter_mut().for_each(|value| *value += (uniform - *value) * share);
}

/// The position of the largest value, the first of several.
pub(crate) fn argmax(values: &[f64]) -> usize {
    // The largest first, then its place: so no branch has to be guessed at every new best.
    let larger = |best: f64, &value: &f64| if value > best { value } else { best };
    let most = values.iter().fold(f64::NEG_INFINITY, larger);
    values.iter().position(|value| *value >= most).unwrap_or(0)
}
