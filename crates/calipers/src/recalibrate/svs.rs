use super::Fitted;
use super::builtin::Builtin;
use super::shape::Shape;
use super::tempered::Tempered;
use crate::data::Sample;

/// Structured vector scaling: temperature, then a penalised slope and intercept for each class. See [`Tempered`] for the penalties.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Svs;

impl Builtin for Svs {
    const NAME: &'static str = "svs";
    const ABOUT: &'static str = "temperature, then vector scaling with a penalty (structured)";
    type Model = Tempered;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(Tempered::fit(sample, Shape::Diagonal))
    }
}
