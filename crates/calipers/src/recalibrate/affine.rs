use super::Fitted;
use super::builtin::Builtin;
use super::linear::LogLinear;
use super::shape::Shape;
use crate::data::Sample;

/// g = softmax(β ln f + b): temperature, and an intercept for each class. With two classes this is
/// Platt's sigmoid(a + β·logit f).
///
/// Maximum likelihood; a penalty of 1e-6 times the squared distance from the identity sees to it
/// that the optimum exists.
///
/// ## Reference
/// Platt, *Probabilistic outputs for support vector machines*, 1999 (two classes); Alexandari et al.,
/// *Maximum likelihood with bias-corrected calibration*, 2020 (more).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Affine;

impl Builtin for Affine {
    const NAME: &'static str = "affine";
    const ABOUT: &'static str = "softmax(s ln f + b): one slope for all classes, an intercept each";
    type Model = LogLinear;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(LogLinear::fit(sample, Shape::Scalar))
    }
}
