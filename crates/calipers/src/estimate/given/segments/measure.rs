//! What rows that were never looked at show of a segment.

use statrs::distribution::{Beta, ContinuousCDF};

use crate::data::Predictions;
use crate::estimate::bound::{Possible, Sums, Together, quantile};

/// Fewer rows show nothing.
const FEWEST: usize = 10;

/// With so much variance under calibration the sum of labels is near enough to normal; below, the bound is that
/// of a binomial share, which holds for any labels and is wide where predictions differ.
const NEARLY_NORMAL: f64 = 50.0;

/// A segment, measured.
pub(super) struct Measured {
    /// The mean of f.
    pub predicted: f64,
    /// The share of the class.
    pub observed: f64,
    /// What the mean probability is above, or below, with the confidence asked for.
    pub bound: f64,
}

/// Measures a class in some rows. The bound is a lower one if it is `above` that more happens than f says.
///
/// The labels given f and the features are independent, with means c; the bound is one of their mean. Normal: f̄
/// plus the mean of y − f, less Student's quantile of its error, the variance being the larger of what the rows
/// show and what labels drawn from f would have. Else Clopper and Pearson's, which holds for the sum of labels of
/// different probabilities, too (Hoeffding, *On the distribution of the number of successes in independent
/// trials*, 1956).
pub(super) fn measure(
    predictions: &Predictions<'_>,
    together: Option<&Together<'_>>,
    rows: &[u32],
    class: usize,
    above: bool,
    level: f64,
) -> Option<Measured> {
    if rows.len() < FEWEST {
        return None;
    }
    let weight = |row: u32| predictions.weights().map_or(1.0, |weights| weights[row as usize]);
    let f = |row: u32| predictions.held().at(row as usize, class);
    let happened = |row: u32| f64::from(predictions.labels()[row as usize] as usize == class);
    let total: f64 = rows.iter().map(|&row| weight(row)).sum();
    let mean = |of: &dyn Fn(u32) -> f64| {
        rows.iter().map(|&row| weight(row) * of(row)).sum::<f64>() / total
    };
    let (predicted, observed) = (mean(&f), mean(&happened));
    let possible = |row: u32| {
        let (p, score) = (f(row), happened(row) - f(row));
        Possible { score, mean: 0.0, square: p * (1.0 - p) }
    };
    let sums = match together {
        Some(together) => {
            let mut all = vec![(0.0, Possible::default()); predictions.rows()];
            rows.iter().for_each(|&row| all[row as usize] = (weight(row), possible(row)));
            together.sums(all.into_iter())
        }
        None => {
            let mut sums = Sums::default();
            rows.iter().for_each(|&row| sums.add(weight(row), possible(row)));
            sums
        }
    };
    let variance: f64 = rows.iter().map(|&row| f(row) * (1.0 - f(row))).sum();
    let plain = together.is_none() && predictions.weights().is_none();
    let bound = if plain && variance < NEARLY_NORMAL {
        let count: f64 = rows.iter().map(|&row| happened(row)).sum();
        share_bound(count, rows.len() as f64, above, level)
    } else {
        let spread = sums.spread();
        let margin = quantile(spread.rows, 1.0 - level) * spread.variance.sqrt();
        let apart = if above { spread.mean - margin } else { spread.mean + margin };
        (predicted + apart).clamp(0.0, 1.0)
    };
    Some(Measured { predicted, observed, bound })
}

/// Clopper and Pearson's bound of a share, of which so many of so many are.
fn share_bound(count: f64, of: f64, above: bool, level: f64) -> f64 {
    let quantile = |a: f64, b: f64, level: f64| {
        Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(level))
    };
    match above {
        true if count <= 0.0 => 0.0,
        false if count >= of => 1.0,
        true => quantile(count, of - count + 1.0, level),
        false => quantile(count + 1.0, of - count, 1.0 - level),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy's `beta.ppf(0.01, 7, 24)` and `beta.ppf(0.99, 8, 23)`.
    #[test]
    fn shares_are_bounded_as_clopper_and_pearson_do() {
        let lower = share_bound(7.0, 30.0, true, 0.01);
        let upper = share_bound(7.0, 30.0, false, 0.01);
        assert!((lower - 0.082_967_249_045_961).abs() < 1e-9, "{lower}");
        assert!((upper - 0.456_727_311_972_485).abs() < 1e-9, "{upper}");
        assert!(share_bound(0.0, 9.0, true, 0.01) <= 0.0);
        assert!(share_bound(9.0, 9.0, false, 0.01) >= 1.0);
    }
}
