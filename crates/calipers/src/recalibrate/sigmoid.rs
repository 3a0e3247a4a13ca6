//! Logistic regression on a constant and two features of one probability: `quadratic` and `beta`.

use std::marker::PhantomData;

use fearless_simd::{Level, Select, Simd, dispatch, f64x8, prelude::*};
use serde::{Deserialize, Serialize};

use super::NO_PENALTY;
use super::one_vs_rest::Curve;
use crate::data::Column;
use crate::numeric::simd::{WIDE, exp, floored_logs, ln};
use crate::numeric::simplex::{FLOOR, floored_ln, is_moderate, sigmoid};
use crate::numeric::solve::{Objective, Solution, newton};
use crate::run::stop;

/// Two features of a probability p.
pub(crate) trait Features: Send + Sync + 'static {
    /// The name under which their curve is saved.
    const NAME: &'static str;

    /// The features, from ln p and ln(1 − p).
    fn of(logs: [f64; 2]) -> [f64; 2];
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
        let [a, b] = F::of([floored_ln(probability), floored_ln(1.0 - probability)]);
        let score = self.coefficients[0] + self.coefficients[1] * a + self.coefficients[2] * b;
        [sigmoid(-score), sigmoid(score)]
    }

    fn is_sound(&self) -> bool {
        self.coefficients.iter().all(|&coefficient| is_moderate(coefficient))
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
    let mut objective = Logistic {
        rows: pack::<F>(column),
        count: column.iter().count() as f64,
        identity,
        free,
        level: Level::new(),
    };
    let start = (0..3).map(|i| if free[i] { identity[i] } else { 0.0 }).collect();
    newton(&mut objective, start)
}

/// Eight training rows, packed: they are read once for every step.
#[derive(Debug, Clone, Copy, Default)]
struct PackedRows {
    features: [[f64; WIDE]; 2],
    /// The weights, negative where Y = 0; 0 for rows that only fill up.
    signed_weights: [f64; WIDE],
}

fn pack<F: Features>(column: Column<'_>) -> Vec<PackedRows> {
    let logs = floored_logs(column.iter().map(|(p, _, _)| p), FLOOR);
    let other_logs = floored_logs(column.iter().map(|(p, _, _)| 1.0 - p), FLOOR);
    let mut rows = vec![PackedRows::default(); logs.len().div_ceil(WIDE)];
    for (i, (_, y, w)) in column.iter().enumerate() {
        if stop::requested_at(i) {
            break;
        }
        let (rows, lane) = (&mut rows[i / WIDE], i % WIDE);
        let [a, b] = F::of([logs[i], other_logs[i]]);
        rows.features[0][lane] = a;
        rows.features[1][lane] = b;
        rows.signed_weights[lane] = if y > 0.5 { w } else { -w };
    }
    rows
}

struct Logistic {
    rows: Vec<PackedRows>,
    count: f64,
    identity: [f64; 3],
    free: [bool; 3],
    level: Level,
}

/// Sums over rows: the loss, and its derivatives by the score times 1, x₁, x₂ and their products.
#[derive(Debug, Clone, Copy)]
struct Sums {
    value: f64,
    first: [f64; 3],
    /// 11, 1x₁, x₁x₁, 1x₂, x₁x₂, x₂x₂.
    second: [f64; 6],
}

impl Logistic {
    #[inline(always)]
    fn sums<S: Simd>(&self, simd: S, at: [f64; 3]) -> Sums {
        let (zero, one) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, 1.0));
        let (mut value, mut first, mut second) = (zero, [zero; 3], [zero; 6]);
        for PackedRows { features: [a, b], signed_weights } in &self.rows {
            let (a, b) = (f64x8::load_array_ref(simd, a), f64x8::load_array_ref(simd, b));
            let signed_weight = f64x8::load_array_ref(simd, signed_weights);
            let weight = signed_weight.abs();
            let score = a * at[1] + b * at[2] + at[0];
            let observed = signed_weight.simd_gt(zero);
            // How much the score speaks against what was observed.
            let against = observed.select(-score, score);
            // One exponential gives the probability, its complement and the loss, none of them
            // by a difference of near-equal numbers.
            let tail = exp(simd, -score.abs());
            let high = one / (tail + 1.0);
            let low = tail * high;
            let miss = against.simd_ge(zero).select(high, low);
            value += weight * (against.max(zero) + ln(tail + 1.0));
            // −(1 − p) where Y = 1, p where Y = 0.
            let residual = -signed_weight * miss;
            let curvature = weight * (high * low);
            let (by_a, by_b) = (curvature * a, curvature * b);
            first[0] += residual;
            first[1] += residual * a;
            first[2] += residual * b;
            second[0] += curvature;
            second[1] += by_a;
            second[2] += by_a * a;
            second[3] += by_b;
            second[4] += by_b * a;
            second[5] += by_b * b;
        }
        Sums {
            value: value.reduce_sum(),
            first: first.map(|lanes| lanes.reduce_sum()),
            second: second.map(|lanes| lanes.reduce_sum()),
        }
    }
}

impl Objective for Logistic {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = self.count;
        let level = self.level;
        let Sums { mut value, first, second } =
            dispatch!(level, simd => self.sums(simd, [at[0], at[1], at[2]]));
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
                    let second = second[i * (i + 1) / 2 + j] / n;
                    let entry = match (self.free[i] && self.free[j], i == j) {
                        (true, true) => second + 2.0 * NO_PENALTY,
                        (true, false) => second,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Sample, simulate};

    /// ln p and ln(1 − p).
    #[derive(Debug, Clone)]
    struct Logs;

    impl Features for Logs {
        const NAME: &'static str = "logs";

        fn of(logs: [f64; 2]) -> [f64; 2] {
            logs
        }
    }

    #[test]
    fn sums_are_those_of_the_formula() {
        // Not a multiple of eight rows.
        let predictions = simulate("binary-overconfident", 43, 1).unwrap();
        let weights = (0..43).map(|row| 0.5 + (row % 3) as f64).collect();
        let sample = Sample::from(&predictions.with_weights(weights).unwrap());
        let column = sample.column(1);
        let objective = Logistic {
            rows: pack::<Logs>(column),
            count: 43.0,
            identity: [0.0; 3],
            free: [true; 3],
            level: Level::new(),
        };
        for at in [[0.0; 3], [0.3, 0.7, -1.1], [50.0, -30.0, 40.0]] {
            let found = dispatch!(Level::new(), simd => objective.sums(simd, at));
            let mut expected = Sums { value: 0.0, first: [0.0; 3], second: [0.0; 6] };
            for (p, y, w) in column.iter() {
                let x = [1.0, floored_ln(p), floored_ln(1.0 - p)];
                let score: f64 = x.iter().zip(at).map(|(x, at)| x * at).sum();
                let against = if y > 0.5 { -score } else { score };
                expected.value += w * (against.max(0.0) + (-against.abs()).exp().ln_1p());
                for i in 0..3 {
                    let sign = if y > 0.5 { -1.0 } else { 1.0 };
                    expected.first[i] += w * sign * sigmoid(against) * x[i];
                    for j in 0..=i {
                        let curvature = w * sigmoid(score) * sigmoid(-score);
                        expected.second[i * (i + 1) / 2 + j] += curvature * x[i] * x[j];
                    }
                }
            }
            // Sums of 43 terms, each of a few roundings.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * (1.0 + expected.value + b.abs());
            assert!(close(found.value, expected.value), "{at:?}: {found:?} {expected:?}");
            let found = found.first.iter().chain(&found.second);
            for (a, b) in found.zip(expected.first.iter().chain(&expected.second)) {
                assert!(close(*a, *b), "{at:?}: {a} {b}");
            }
        }
    }
}
