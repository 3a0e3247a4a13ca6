use super::Fitted;
use super::builtin::{Builtin, MOST_PAIRED};
use super::linear::LogLinear;
use super::shape::Shape;
use crate::data::Sample;

/// g = softmax(W ln f + b): the logarithm of every class moves every class.
///
/// Maximum likelihood; a penalty of 1e-6 times the squared distance from the identity sees to it
/// that the optimum exists.
///
/// ## Reference
/// Guo et al., *On calibration of modern neural networks*, 2017; Kull et al., *Beyond temperature
/// scaling*, 2019, who call it Dirichlet calibration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Matrix;

impl Builtin for Matrix {
    const NAME: &'static str = "matrix";
    const ABOUT: &'static str = "softmax(W ln f + b): any matrix of slopes";
    const MOST_CLASSES: usize = MOST_PAIRED;
    type Model = LogLinear;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(LogLinear::fit(sample, Shape::Full))
    }
}
