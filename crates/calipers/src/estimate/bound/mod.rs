//! How sure: standard errors and lower confidence bounds of cross-fitted means.
//!
//! The scores of a fold are independent given the rows that its g learnt from, but folds learn from
//! each other's rows, so the mean of all scores varies more than independent scores would. By how
//! much depends on g. Where n is large, three extremes are as bad as any (docs/method.md,
//! "Uncertainty"), and the bound allows for the worst of them:
//!
//! - *many directions*: g points wherever the noise of its training rows does, and every pair of rows
//!   in different folds counts twice;
//! - *many signs*: in each of many places g only learns which side of f the truth is on, and all folds
//!   turn over at once where the noise is near 0;
//! - *one sign*: then the score is |noise|, a quantile of which is a two-sided one of the noise.

mod inflation;
mod moments;
mod parts;
mod together;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

pub(crate) use inflation::Inflation;
pub(crate) use moments::{Moments, Possible, Sums};
pub(crate) use parts::Parts;
pub(crate) use together::Together;

/// Where weights leave fewer rows than this, (Σw)²/Σw², one row holds nearly all of the weight. It has no
/// spread, so that nothing can be claimed from it, however far off it is.
const FEWEST_ROWS: f64 = 1.5;

/// The mean of cross-fitted scores and how sure it is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The mean; +∞ if any score is, else −∞ if any score is.
    pub mean: f64,
    /// The variance of the mean if rows were independent: what the scores show, or what it would be
    /// if the labels were drawn from f, whichever is larger.
    pub variance: f64,
    /// How many unweighted rows carry as much information.
    pub rows: f64,
}

impl Spread {
    /// The standard error, what folds share included.
    pub fn stderr(&self, inflation: &Inflation) -> f64 {
        if self.mean.is_finite() {
            (inflation.factor() * self.variance).sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// A number that the calibration error exceeds with this confidence; at least 0.
    pub fn lower(&self, inflation: &Inflation, confidence: f64) -> f64 {
        if self.mean.is_infinite() {
            return self.mean.max(0.0);
        }
        if self.rows < FEWEST_ROWS {
            return 0.0;
        }
        let shared = quantile(self.rows, confidence) * inflation.factor().sqrt();
        let one_sign = quantile(self.rows, 0.5 + 0.5 * confidence);
        let bound = self.mean - shared.max(one_sign) * self.variance.sqrt();
        // Written so that a NaN, which one row's quantile could give, becomes 0.
        if bound > 0.0 { bound } else { 0.0 }
    }
}

/// Beyond so many rows Student's quantile is computed from the normal one: the search for it loses digits
/// with the rows, and from 10⁷ of them on it does not end.
const MANY_ROWS: f64 = 1e5;

/// Probabilities below this are taken for this: the search for their quantiles does not end, or panics, and a
/// bound of so little confidence is decided by the other side.
const LEAST_PROBABILITY: f64 = 1e-12;

/// Student's quantile for a mean of so many rows.
pub(crate) fn quantile(rows: f64, probability: f64) -> f64 {
    let (freedom, probability) = ((rows - 1.0).max(1e-3), probability.max(LEAST_PROBABILITY));
    if rows > MANY_ROWS {
        // Cornish and Fisher's expansion; what is left out is of the order of rows⁻².
        let z = Normal::standard().inverse_cdf(probability);
        return z + (z.powi(3) + z) / (4.0 * freedom);
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(probability))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Folds;

    fn spread(mean: f64) -> Spread {
        Spread { mean, variance: 0.01 * 0.01, rows: 1e6 }
    }

    #[test]
    fn five_folds_widen_the_normal_bound_by_the_square_root_of_two() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        let lower = spread(0.1).lower(&inflation, 0.95);
        // The normal quantile 1.6449; Student's of 10⁶ rows differs by 4e-6.
        assert!((lower - (0.1 - 1.6449 * 2f64.sqrt() * 0.01)).abs() < 1e-5, "{lower}");
        assert!((spread(0.1).stderr(&inflation) - 0.01 * 2f64.sqrt()).abs() < 1e-15);
    }

    /// SciPy's `t.ppf(0.95, n - 1)` and `t.ppf(0.975, n - 1)`; the search that serves fewer rows is good to
    /// four digits.
    #[test]
    fn quantiles_of_many_rows_are_students() {
        for (rows, probability, expected, tolerance) in [
            (10.0, 0.95, 1.833_112_932_656, 1e-9),
            (99_999.0, 0.975, 1.959_987_708, 1e-3),
            (100_001.0, 0.95, 1.644_868_864_785, 1e-9),
            (1e9, 0.975, 1.959_963_986_912, 1e-9),
        ] {
            let found = quantile(rows, probability);
            assert!((found - expected).abs() < tolerance, "{rows}: {found} {expected}");
        }
        assert!(quantile(f64::MAX, 0.95).is_finite());
    }

    /// Confidences that nobody asks for, and that a damaged plan may hold.
    #[test]
    fn every_probability_has_a_quantile() {
        for rows in [1.5, 2.0, 3.0, 10.0, 100.0, 1e3, 9e4, 1e9] {
            for exponent in [1, 4, 8, 12, 15, 16, 100, 163, 300] {
                let small = 10f64.powi(-exponent);
                for probability in [small, 1.0 - small, 0.5 - small / 4.0, 0.5 + small] {
                    let found = quantile(rows, probability.min(1.0 - f64::EPSILON));
                    assert!(!found.is_nan(), "{rows} {probability}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_claimed_from_one_row() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        let alone = |rows| Spread { mean: 1.2, variance: 0.0, rows }.lower(&inflation, 0.95);
        assert!(alone(1.0) <= 0.0 && alone(1.0 + 1e-15) <= 0.0 && alone(2.0) > 1.0);
    }

    #[test]
    fn two_folds_drawn_often_are_bounded_by_the_two_sided_quantile() {
        let inflation = Inflation::of(&Folds::Shuffled(2), 1000);
        let lower = spread(0.1).lower(&inflation, 0.95);
        assert!((lower - (0.1 - 1.95996 * 0.01)).abs() < 1e-5, "{lower}");
    }

    #[test]
    fn a_bound_is_never_negative_and_infinities_pass() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        assert!(spread(-0.3).lower(&inflation, 0.95).abs() <= 0.0);
        assert!(spread(f64::NEG_INFINITY).lower(&inflation, 0.95).abs() <= 0.0);
        assert!(spread(f64::INFINITY).lower(&inflation, 0.95) >= f64::INFINITY);
        let one = Spread { mean: 0.5, variance: 0.0, rows: 1.0 };
        assert!(one.lower(&inflation, 0.95) <= 0.5);
    }

    #[test]
    fn more_confidence_lowers_the_bound() {
        let inflation = Inflation::of(&Folds::Shuffled(10), 3);
        let bounds: Vec<f64> =
            [0.05, 0.5, 0.9, 0.95, 0.999].map(|c| spread(0.1).lower(&inflation, c)).to_vec();
        assert!(bounds.is_sorted_by(|a, b| a > b), "{bounds:?}");
        // Whatever the confidence, no bound is above the estimate.
        assert!(bounds[0] < 0.1);
    }
}
