//! What speaks for errors of several kinds, put together.

use std::f64::consts::{LN_2, LN_10};

/// Errors of f alone, and segments of one, two and three conditions.
pub(super) const KINDS: usize = 4;

/// How much each kind counts.
const WEIGHTS: [f64; KINDS] = [1.0, 1.0, 1.5, 2.0];

/// One number for each drawing, the larger the odder, from its statistics of all kinds.
///
/// Each statistic is turned into −ln of its p-value, taking its tail beyond the median for exponential, through
/// the median and the 95 % quantile of all drawings; the p-values' weighted harmonic mean is what counts. The
/// labels observed are one of the drawings like any other, so that the rank of theirs is exact.
pub(super) fn evidence(statistics: &[[f64; KINDS]]) -> Vec<f64> {
    let mut sums = vec![0.0; statistics.len()];
    for (kind, weight) in WEIGHTS.iter().enumerate() {
        let mut sorted: Vec<f64> = statistics.iter().map(|of| of[kind]).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted[(sorted.len() - 1) / 2];
        let high = sorted[((0.95 * sorted.len() as f64).ceil() as usize).max(1) - 1];
        if high - median < 1e-9 {
            // Nothing is told apart by it.
            continue;
        }
        for (sum, of) in sums.iter_mut().zip(statistics) {
            let odd = LN_2 + (of[kind] - median) * LN_10 / (high - median);
            *sum += weight * odd.clamp(-20.0, 500.0).exp();
        }
    }
    sums.into_iter().map(|sum| (sum + f64::MIN_POSITIVE).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The median has a p-value of 1/2, and the 95 % quantile of 1/20.
    #[test]
    fn tails_are_exponential_through_two_quantiles() {
        let statistics: Vec<[f64; KINDS]> =
            (0..=100).map(|one| [f64::from(one), 0.0, 0.0, 0.0]).collect();
        let found = evidence(&statistics);
        assert!((found[50] - 2f64.ln()).abs() < 1e-12);
        assert!((found[95] - 20f64.ln()).abs() < 1e-12);
        assert!(found.is_sorted());
    }
}
