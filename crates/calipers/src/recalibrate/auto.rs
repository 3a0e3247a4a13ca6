use super::Fitted;
use super::logistic::{Logistic, LogisticMap};
use super::registry::Builtin;
use crate::sample::Sample;

/// The default. It is [`Logistic`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Auto;

impl Builtin for Auto {
    const NAME: &'static str = "auto";
    const ABOUT: &'static str = "the default; the same as logistic";
    type Model = LogisticMap;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        Logistic.learn(sample, seed)
    }
}
