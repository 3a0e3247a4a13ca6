use serde::{Deserialize, Serialize};

use super::one_vs_rest::{Curve, OneVsRest};
use super::registry::Builtin;
use super::{Fitted, sigmoid};
use crate::sample::{Column, Sample};
use crate::simplex;

/// g₁ = sigmoid(a + b t + c t²) with t = logit f₁; more than two classes: one-versus-rest.
///
/// Maximum likelihood by Newton's method, to a gradient of 1e-10. Cost: about 8 passes over n
/// rows, k times. The paper's quadratic scaling.
///
/// ## Reference
/// Berta et al., *Structured matrix scaling*, 2025.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quadratic;

impl Builtin for Quadratic {
    const NAME: &'static str = "quadratic";
    const ABOUT: &'static str = "sigmoid(a + b t + c t^2), t = logit f; one-versus-rest";
    type Model = OneVsRest<Parabola>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(OneVsRest::fit(sample, Parabola::fit))
    }
}

/// The coefficients of 1, t and t².
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Parabola {
    coefficients: [f64; 3],
    converged: bool,
}

impl Parabola {
    fn fit(column: Column<'_>) -> Self {
        let solution = sigmoid::fit(column, features, [0.0, 1.0, 0.0], [true; 3]);
        Self {
            coefficients: [solution.at[0], solution.at[1], solution.at[2]],
            converged: solution.converged,
        }
    }
}

fn features(probability: f64) -> [f64; 2] {
    let logit = simplex::floored_logit(probability);
    [logit, logit * logit]
}

impl Curve for Parabola {
    const NAME: &'static str = "quadratic";

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
