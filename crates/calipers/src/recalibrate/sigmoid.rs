//! Logistic regression on a constant and two features of one probability: `quadratic` and `beta`.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::NO_PENALTY;
use super::one_vs_rest::Curve;
use crate::sample::Column;
use crate::simplex::sigmoid;
use crate::solve::{Objective, Solution, newton};

/// Two features of a probability.
pub(crate) trait Features: Send + Sync + 'static {
    /// The name under which their curve is saved.
    const NAME: &'static str;

    /// The features.
    fn of(probability: f64) -> [f64; 2];
}

/// P(Y = 1) = sigmoid(θ₀ + θ₁ x₁ + θ₂ x₂).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Sigmoid<F> {
    coefficients: [f64; 3],
    converged: bool,
    #[serde(skip)]
    features: PhantomData<F>,
}

impl<F> From<Solution> for Sigmoid<F> {
    fn from(solution: Solution) -> Self {
        Self {
            coefficients: [solution.at[0], solution.at[1], solution.at[2]],
            converged: solution.converged,
            features: PhantomData,
        }
    }
}

impl<F: Features> Curve for Sigmoid<F> {
    const NAME: &'static str = F::NAME;

    fn at(&self, probability: f64) -> [f64; 2] {
        let [a, b] = F::of(probability);
        let score = self.coefficients[0] + self.coefficients[1] * a + self.coefficients[2] * b;
        [sigmoid(-score), sigmoid(score)]
    }

    fn is_sound(&self) -> bool {
        self.coefficients.iter().all(|coefficient| coefficient.is_finite())
    }

    fn converged(&self) -> bool {
        self.converged
    }
}

/// Fits the coefficients by maximum likelihood, from and around those of the identity.
///
/// Coordinates where `free` is false stay at 0.
pub(super) fn fit<F: Features>(
    column: Column<'_>,
    identity: [f64; 3],
    free: [bool; 3],
) -> Solution {
    let row = |(p, y, w): (f64, f64, f64)| Row {
        features: F::of(p),
        signed_weight: if y > 0.5 { w } else { -w },
    };
    let mut objective = Logistic { rows: column.iter().map(row).collect(), identity, free };
    let start = (0..3).map(|i| if free[i] { identity[i] } else { 0.0 }).collect();
    newton(&mut objective, start)
}

/// A training row, packed: it is read once for every step.
struct Row {
    features: [f64; 2],
    /// The weight, negative where Y = 0.
    signed_weight: f64,
}

struct Logistic {
    rows: Vec<Row>,
    identity: [f64; 3],
    free: [bool; 3],
}

impl Objective for Logistic {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = self.rows.len() as f64;
        let (mut value, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for Row { features: [a, b], signed_weight } in &self.rows {
            let x = [1.0, *a, *b];
            let score = at[0] + at[1] * a + at[2] * b;
            let weight = signed_weight.abs();
            // One exponential gives the probability, its complement and the loss, none of them
            // by a difference of near-equal numbers.
            let tail = (-score.abs()).exp();
            let (high, low) = (1.0 / (1.0 + tail), tail / (1.0 + tail));
            let (p, q) = if score >= 0.0 { (high, low) } else { (low, high) };
            let observed = *signed_weight > 0.0;
            let (residual, against) = if observed { (-q, -score) } else { (p, score) };
            value += weight * (against.max(0.0) + tail.ln_1p());
            let (residual, curvature) = (weight * residual, weight * p * q);
            for i in 0..3 {
                first[i] += residual * x[i];
                for j in 0..=i {
                    second[i][j] += curvature * x[i] * x[j];
                }
            }
        }
        value /= n;
        for i in 0..3 {
            let distance = at[i] - self.identity[i];
            value += NO_PENALTY * distance * distance;
            gradient[i] =
                if self.free[i] { first[i] / n + 2.0 * NO_PENALTY * distance } else { 0.0 };
        }
        if let Some(hessian) = hessian {
            for i in 0..3 {
                for j in 0..=i {
                    let entry = match (self.free[i] && self.free[j], i == j) {
                        (true, true) => second[i][j] / n + 2.0 * NO_PENALTY,
                        (true, false) => second[i][j] / n,
                        (false, true) => 1.0,
                        (false, false) => 0.0,
                    };
                    hessian[i * 3 + j] = entry;
                    hessian[j * 3 + i] = entry;
                }
            }
        }
        value
    }
}
