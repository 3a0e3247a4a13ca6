use super::builtin::Builtin;
use super::one_vs_rest::OneVsRest;
use super::sigmoid::{Features, Sigmoid};
use super::{Fitted, sigmoid};
use crate::data::Sample;

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
    type Model = OneVsRest<Sigmoid<Powers>>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(fit(sample))
    }
}

/// Fits the curves.
pub(super) fn fit(sample: &Sample) -> OneVsRest<Sigmoid<Powers>> {
    OneVsRest::fit(sample, |column| {
        sigmoid::fit::<Powers>(column, [0.0, 1.0, 0.0], [true; 3]).into()
    })
}

/// t and t².
#[derive(Debug, Clone)]
pub(crate) struct Powers;

impl Features for Powers {
    const NAME: &'static str = "quadratic";

    fn of([log, other_log]: [f64; 2]) -> [f64; 2] {
        let logit = log - other_log;
        [logit, logit * logit]
    }
}
