//! Weights as whole numbers, so that they add up to the same bits in any order.

use serde::{Deserialize, Serialize};

/// Steps to a weight of 1.
const STEPS: f64 = (1u64 << 24) as f64;

/// The largest weight, in units: 2⁶⁰ steps, whose squares still add up for rows that are not many.
const MOST: f64 = (1u64 << 36) as f64;

/// How weights are measured: in a power of 2 near their mean in the sample, which changes none of them
/// but by a shift.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Weigh {
    unit: f64,
}

impl Weigh {
    /// In a unit near the mean of these weights.
    pub fn of(weights: Option<&[f64]>) -> Self {
        let Some(weights) = weights.filter(|weights| !weights.is_empty()) else {
            return Self { unit: 1.0 };
        };
        let largest = weights.iter().copied().fold(0.0, f64::max);
        // Relative to the largest, so that the sum of the largest numbers there are is one.
        let mean = weights.iter().map(|weight| weight / largest).sum::<f64>();
        let mean = largest * (mean / weights.len() as f64);
        let exponent = if mean.is_normal() { mean.log2().floor() } else { 0.0 };
        Self { unit: exponent.clamp(-1022.0, 1023.0).exp2() }
    }

    /// A weight in units.
    #[inline]
    pub fn relative(self, weight: f64) -> f64 {
        weight / self.unit
    }

    /// A weight as a whole number of steps; none if it is too large for that.
    #[inline]
    pub fn steps(self, weight: f64) -> Option<u64> {
        let relative = self.relative(weight);
        (relative <= MOST).then(|| (relative * STEPS).round_ties_even() as u64)
    }

    /// A sum of steps in units.
    pub fn value(steps: u128) -> f64 {
        steps as f64 / STEPS
    }

    /// A sum of squared steps in squared units.
    pub fn square(squares: u128) -> f64 {
        squares as f64 / (STEPS * STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_a_power_of_two_near_the_mean() {
        let weigh = Weigh::of(Some(&[3.0, 5.0, 10.0]));
        assert!((weigh.unit - 4.0).abs() <= 0.0);
        assert_eq!(weigh.steps(6.0), Some(3 << 23));
        assert_eq!(weigh.steps(1e300), None);
        assert!((Weigh::of(None).relative(7.0) - 7.0).abs() <= 0.0);
        assert!(Weigh::of(Some(&[1e308; 9])).relative(1e308) <= 2.0);
        assert!(Weigh::of(Some(&[5e-324])).relative(5e-324).is_finite());
    }
}
