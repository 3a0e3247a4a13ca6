use serde::{Deserialize, Serialize};

use super::one_vs_rest::{Curve, OneVsRest};
use super::registry::Builtin;
use super::{Fitted, sigmoid};
use crate::sample::{Column, Sample};
use crate::simplex;

/// g₁ = sigmoid(c + a ln f₁ − b ln(1 − f₁)) with a, b ≥ 0, so that g is monotone; more than two
/// classes: one-versus-rest.
///
/// Maximum likelihood by Newton's method, to a gradient of 1e-10, on the four faces that the two
/// bounds make: the objective is convex, so the best feasible face optimum is the optimum.
///
/// ## Reference
/// Kull et al., *Beta calibration*, 2017.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beta;

impl Builtin for Beta {
    const NAME: &'static str = "beta";
    const ABOUT: &'static str = "sigmoid(c + a ln f - b ln(1 - f)), a, b >= 0; one-versus-rest";
    type Model = OneVsRest<BetaCurve>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(OneVsRest::fit(sample, BetaCurve::fit))
    }
}

/// The coefficients of 1, ln f and −ln(1 − f).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BetaCurve {
    coefficients: [f64; 3],
    converged: bool,
}

impl BetaCurve {
    fn fit(column: Column<'_>) -> Self {
        let face = |a: bool, b: bool| {
            let solution = sigmoid::fit(column, features, [0.0, 1.0, 1.0], [true, a, b]);
            let feasible = solution.at[1] >= 0.0 && solution.at[2] >= 0.0;
            feasible.then_some(solution)
        };
        let best = face(true, true).or_else(|| {
            let edges = [face(false, true), face(true, false)].into_iter().flatten();
            edges.min_by(|a, b| a.value.total_cmp(&b.value))
        });
        let corner = || sigmoid::fit(column, features, [0.0, 1.0, 1.0], [true, false, false]);
        let solution = best.unwrap_or_else(corner);
        Self {
            coefficients: [solution.at[0], solution.at[1], solution.at[2]],
            converged: solution.converged,
        }
    }
}

fn features(probability: f64) -> [f64; 2] {
    [simplex::floored_ln(probability), -simplex::floored_ln(1.0 - probability)]
}

impl Curve for BetaCurve {
    const NAME: &'static str = "beta";

    fn at(&self, probability: f64) -> [f64; 2] {
        sigmoid::probabilities(self.coefficients, features(probability))
    }

    fn is_sound(&self) -> bool {
        self.coefficients.iter().all(|coefficient| coefficient.is_finite())
    }

    fn converged(&self) -> bool {
        self.converged
    }
}
