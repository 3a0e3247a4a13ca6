//! Two classes: a quadratic in the log-odds, learnt row by row.

use serde::{Deserialize, Serialize};

use crate::numeric::solve::increasing_root;

/// The prior precision of each coefficient. In the test `errors_are_found`, 10, 20, 30 and 100 have a
/// power of 43, 43, 41 and 24 % against shifted predictions; larger ones reach 20 less often when
/// there is nothing to find.
const PRIOR: f64 = 20.0;

/// Three points and weights with the moments of the normal distribution up to the fifth.
const POINTS: [(f64, f64); 3] =
    [(-1.732_050_807_568_877_2, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_807_568_877_2, 1.0 / 6.0)];

/// logit g = logit f + θ·x with x = (1, z/2, z²/8), where z is the logit of f, floored.
///
/// θ has a normal posterior: mean and precision, updated at each row by Laplace's approximation. g is
/// the mean over that posterior, so that bets are cautious where little is known: against shifted
/// predictions this is 43 % power where g at the mean of θ has 37 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quadratic {
    mean: [f64; 3],
    /// The lower triangle, row by row.
    precision: [f64; 6],
}

impl Quadratic {
    pub fn new() -> Self {
        Self { mean: [0.0; 3], precision: [PRIOR, 0.0, PRIOR, 0.0, 0.0, PRIOR] }
    }

    /// Any state: a mean, and what has been added to the diagonal of the precision.
    #[cfg(test)]
    pub fn set(&mut self, mean: [f64; 3], added: [f64; 3]) {
        self.mean = mean;
        let [a, b, c] = added.map(|added| PRIOR + added);
        self.precision = [a, 0.0, b, 0.0, 0.0, c];
    }

    /// ln g_Y/f_Y; then learns Y.
    pub fn play(&mut self, f: [f64; 2], z: f64, label: usize) -> f64 {
        let x = [1.0, z / 2.0, z * z / 8.0];
        let moved: f64 = self.mean.iter().zip(x).map(|(mean, x)| mean * x).sum();
        let (direction, variance) = self.solve(x);
        let ratio: f64 = POINTS
            .iter()
            .map(|(point, weight)| weight * tilted(f, moved + point * variance.sqrt())[label])
            .sum();
        self.learn(f, x, moved, (direction, variance), label);
        ratio.ln()
    }

    /// Moves the mean to where the posterior is highest, and adds the information of the row there.
    ///
    /// Along Σx, the only way the mean can move, θ·x + t is best at t = v (Y − g₁(t)), where v is the
    /// variance of θ·x. A single Newton step would overshoot where f is all but certain and wrong.
    fn learn(
        &mut self,
        f: [f64; 2],
        x: [f64; 3],
        moved: f64,
        (direction, variance): ([f64; 3], f64),
        label: usize,
    ) {
        let observed = label as f64;
        let probability = |moved: f64| f[1] * tilted(f, moved)[1];
        let gap = |t: f64| {
            let p = probability(moved + t);
            (t - variance * (observed - p), 1.0 + variance * p * (1.0 - p))
        };
        let bracket = if label == 1 { (0.0, variance) } else { (-variance, 0.0) };
        let (value, slope) = gap(0.0);
        let t = increasing_root(gap, bracket, -value / slope, 1e-9 * variance);
        let p = probability(moved + t);
        let information = p * (1.0 - p);
        for (mean, direction) in self.mean.iter_mut().zip(direction) {
            *mean += direction * (t / variance);
        }
        for (entry, (i, j)) in self.precision.iter_mut().zip(TRIANGLE) {
            *entry += information * x[i] * x[j];
        }
    }

    /// Σx and xᵀΣx, by the factors L D Lᵀ of the precision. Its pivots are at least the prior's,
    /// whatever rows have added; taking them so keeps rounding from saying otherwise.
    fn solve(&self, x: [f64; 3]) -> ([f64; 3], f64) {
        let [a00, a10, a11, a20, a21, a22] = self.precision;
        let d0 = a00.max(PRIOR);
        let (l10, l20) = (a10 / d0, a20 / d0);
        let d1 = (a11 - l10 * a10).max(PRIOR);
        let below = a21 - l20 * a10;
        let l21 = below / d1;
        let d2 = (a22 - l20 * a20 - l21 * below).max(PRIOR);
        let y0 = x[0];
        let y1 = x[1] - l10 * y0;
        let y2 = x[2] - l20 * y0 - l21 * y1;
        let s2 = y2 / d2;
        let s1 = y1 / d1 - l21 * s2;
        let s0 = y0 / d0 - l10 * s1 - l20 * s2;
        ([s0, s1, s2], y0 * y0 / d0 + y1 * y1 / d1 + y2 * y2 / d2)
    }

    /// Whether so many rows can have led here, roughly: nothing that follows overflows.
    pub fn is_sound(&self, rows: usize) -> bool {
        // A floored logit is at most 13.9, so that x is at most (1, 7, 25) and its length 26. A row adds
        // at most x xᵀ/4 to the precision, and moves the mean by at most the length over the prior.
        let rows = rows as f64 + 1e-9;
        let most = [1.0, 7.0, 25.0];
        let precise = |(entry, (i, j)): (&f64, (usize, usize))| {
            let added = if i == j { entry - PRIOR } else { *entry };
            added.abs() <= rows * most[i] * most[j] / 4.0 && (i != j || added >= 0.0)
        };
        self.mean.iter().all(|mean| mean.abs() <= rows * 26.0 / PRIOR)
            && self.precision.iter().zip(TRIANGLE).all(precise)
    }
}

/// Row and column of each entry of a lower triangle.
const TRIANGLE: [(usize, usize); 6] = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];

/// g_c/f_c for both classes, where logit g = logit f + t. Whatever f and t are, Σ f_c (g_c/f_c) = 1: a
/// fair bet. Beyond ±500 t changes nothing that counts, and could overflow.
fn tilted(f: [f64; 2], t: f64) -> [f64; 2] {
    let t = t.clamp(-500.0, 500.0);
    [1.0 / (f[0] + f[1] * t.exp()), 1.0 / (f[0] * (-t).exp() + f[1])]
}
