//! Logistic regression on a handful of features of one probability.

use crate::sample::Column;
use crate::solve::{Objective, Solution, newton};

/// The penalty on the squared distance from the identity map: it moves no estimate by more than
/// rounding, and keeps the optimum finite when the labels are separable or all equal.
const NO_PENALTY: f64 = 1e-6;

/// Fits P(Y = 1) = sigmoid(⟨θ, features(p)⟩) by maximum likelihood, from and around `identity`.
///
/// Coordinates where `free` is false stay at 0.
pub(super) fn fit<const D: usize>(
    column: Column<'_>,
    features: impl Fn(f64) -> [f64; D],
    identity: [f64; D],
    free: [bool; D],
) -> Solution {
    let mut objective = Logistic {
        rows: column.iter().map(|(p, y, w)| (features(p), y, w)).collect(),
        identity,
        free,
    };
    let start = (0..D).map(|i| if free[i] { identity[i] } else { 0.0 }).collect();
    newton(&mut objective, start)
}

struct Logistic<const D: usize> {
    rows: Vec<([f64; D], f64, f64)>,
    identity: [f64; D],
    free: [bool; D],
}

impl<const D: usize> Objective for Logistic<D> {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = self.rows.len() as f64;
        let (mut value, mut first, mut second) = (0.0, [0.0; D], [[0.0; D]; D]);
        for (x, y, w) in &self.rows {
            let score: f64 = x.iter().zip(at).map(|(x, at)| x * at).sum();
            // One exponential gives the probability, its complement and the loss, none of them
            // by a difference of near-equal numbers.
            let tail = (-score.abs()).exp();
            let (high, low) = (1.0 / (1.0 + tail), tail / (1.0 + tail));
            let p = if score >= 0.0 { high } else { low };
            let signed = if *y > 0.5 { -score } else { score };
            value += w * (signed.max(0.0) + tail.ln_1p());
            let (residual, curvature) = (w * (p - y), w * high * low);
            for i in 0..D {
                first[i] += residual * x[i];
                for j in 0..=i {
                    second[i][j] += curvature * x[i] * x[j];
                }
            }
        }
        value /= n;
        for i in 0..D {
            let distance = at[i] - self.identity[i];
            value += NO_PENALTY * distance * distance;
            gradient[i] =
                if self.free[i] { first[i] / n + 2.0 * NO_PENALTY * distance } else { 0.0 };
        }
        if let Some(hessian) = hessian {
            for i in 0..D {
                for j in 0..=i {
                    let entry = match (self.free[i] && self.free[j], i == j) {
                        (true, true) => second[i][j] / n + 2.0 * NO_PENALTY,
                        (true, false) => second[i][j] / n,
                        (false, true) => 1.0,
                        (false, false) => 0.0,
                    };
                    hessian[i * D + j] = entry;
                    hessian[j * D + i] = entry;
                }
            }
        }
        value
    }
}
