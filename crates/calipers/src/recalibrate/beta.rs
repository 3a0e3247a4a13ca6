use super::builtin::Builtin;
use super::one_vs_rest::OneVsRest;
use super::sigmoid::{Features, Sigmoid};
use super::{Fitted, sigmoid};
use crate::data::{Column, Sample};
use crate::numeric::solve::Solution;

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
    type Model = OneVsRest<Sigmoid<Logarithms>>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(OneVsRest::<Sigmoid<Logarithms>>::fit(sample, |column| constrained(column).into()))
    }
}

/// The best of the faces a, b > 0; a = 0; b = 0; a = b = 0 that is feasible.
fn constrained(column: Column<'_>) -> Solution {
    let face = |a: bool, b: bool| sigmoid::fit::<Logarithms>(column, [0.0, 1.0, 1.0], [true, a, b]);
    let is_feasible = |solution: &Solution| solution.at[1] >= 0.0 && solution.at[2] >= 0.0;
    let inside = face(true, true);
    if is_feasible(&inside) {
        return inside;
    }
    let edges = [face(false, true), face(true, false)].into_iter().filter(is_feasible);
    let best = edges.min_by(|a, b| a.value.total_cmp(&b.value));
    best.unwrap_or_else(|| face(false, false))
}

/// ln f and −ln(1 − f).
#[derive(Debug, Clone)]
pub(crate) struct Logarithms;

impl Features for Logarithms {
    const NAME: &'static str = "beta";

    fn of([log, other_log]: [f64; 2]) -> [f64; 2] {
        [log, -other_log]
    }
}
