//! Tails of distributions: how probable something at least as large is.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use statrs::function::erf::erfc;
use statrs::function::gamma::checked_gamma_ur;

/// P(Z > z) of a standard normal.
pub(super) fn normal(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// P(|Z| > |z|) of a standard normal.
pub(super) fn two_sided(z: f64) -> f64 {
    erfc(z.abs() * FRAC_1_SQRT_2)
}

/// P(X > x) of a chi-square with these degrees of freedom.
pub(super) fn chi_square(x: f64, degrees: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { checked_gamma_ur(0.5 * degrees, 0.5 * x).unwrap_or(0.0) }
}

/// Below this the series in powers of exp(−1/x²) converge at once, above it those of normal tails.
const SERIES_MEET: f64 = 1.5;

/// More terms than either series needs where it is used.
const TERMS: u32 = 12;

/// P(max |W| > x) of a Brownian motion W on [0, 1].
pub(super) fn largest_excursion(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let sign = |k: u32| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    if x > SERIES_MEET {
        let term = |k: u32| sign(k) * normal(f64::from(2 * k + 1) * x);
        return 4.0 * (0..TERMS).map(term).sum::<f64>();
    }
    let term = |k: u32| {
        let odd = f64::from(2 * k + 1);
        sign(k) / odd * (-(odd * PI).powi(2) / (8.0 * x * x)).exp()
    };
    1.0 - 4.0 / PI * (0..TERMS).map(term).sum::<f64>()
}

/// P(max W − min W > x) of a Brownian motion W on [0, 1] (Feller, *The asymptotic distribution of
/// the range of sums of independent random variables*, 1951).
pub(super) fn range(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x > SERIES_MEET {
        let term = |k: u32| {
            let sign = if k.is_multiple_of(2) { -1.0 } else { 1.0 };
            sign * f64::from(k) * normal(f64::from(k) * x)
        };
        return 8.0 * (1..=TERMS).map(term).sum::<f64>();
    }
    let term = |k: u32| {
        let half = (f64::from(k) + 0.5) * PI;
        (8.0 / (x * x) + 2.0 / (half * half)) * (-2.0 * (half / x).powi(2)).exp()
    };
    1.0 - (0..TERMS).map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two series are of the same function: they meet, as far as erfc is good, to 1e-10.
    #[test]
    fn both_series_agree_where_they_meet() {
        for tail in [largest_excursion, range] {
            let (below, above) = (tail(SERIES_MEET), tail(SERIES_MEET.next_up()));
            assert!((below - above).abs() < 1e-10, "{below} {above}");
        }
    }

    /// Values of scipy.stats 1.17: norm.sf, chi2.sf.
    #[test]
    fn normal_and_chi_square_tails_are_known() {
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-10);
        near(normal(1.0), 0.158_655_253_931_457_05);
        near(normal(8.0), 6.220_960_574_271_785e-16);
        near(two_sided(-1.959_963_984_540_054), 0.05);
        near(chi_square(18.307_038_053_275_14, 10.0), 0.05);
        near(chi_square(3.0, 2.0), (-1.5f64).exp());
    }

    /// Far tails are no differences of numbers near 1: they stay positive.
    #[test]
    fn tails_fall_from_one_to_zero() {
        for tail in [largest_excursion, range] {
            let mut before = 1.0;
            for step in 0..100 {
                let now = tail(0.1 * f64::from(step));
                assert!(now <= before + 1e-15 && now > 0.0, "{step}: {now} after {before}");
                before = now;
            }
            assert!(before < 1e-20);
        }
    }
}
