use super::Fitted;
use super::builtin::Builtin;
use super::linear::LogLinear;
use super::shape::Shape;
use crate::data::Sample;

/// g = softmax(w∘ln f + b): a slope and an intercept for each class.
///
/// Maximum likelihood; a penalty of 1e-6 times the squared distance from the identity sees to it
/// that the optimum exists.
///
/// ## Reference
/// Guo et al., *On calibration of modern neural networks*, 2017.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Vector;

impl Builtin for Vector {
    const NAME: &'static str = "vector";
    const ABOUT: &'static str = "softmax(w * ln f + b): a slope and an intercept for each class";
    type Model = LogLinear;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(LogLinear::fit(sample, Shape::Diagonal))
    }
}
