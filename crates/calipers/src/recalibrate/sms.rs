use super::Fitted;
use super::builtin::{Builtin, MOST_PAIRED};
use super::shape::Shape;
use super::tempered::Tempered;
use crate::data::Sample;

/// Structured matrix scaling: temperature, then a penalised matrix of slopes and intercepts. See [`Tempered`] for the penalties.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sms;

impl Builtin for Sms {
    const NAME: &'static str = "sms";
    const ABOUT: &'static str = "temperature, then matrix scaling with a penalty (structured)";
    const MOST_CLASSES: usize = MOST_PAIRED;
    type Model = Tempered;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(Tempered::fit(sample, Shape::Full))
    }
}
