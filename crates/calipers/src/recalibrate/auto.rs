use super::Fitted;
use super::bayes::Bayes;
use super::logistic::{Logistic, LogisticMap};
use super::registry::Builtin;
use crate::sample::Sample;

/// The default: [`Bayes`] for two classes, [`Logistic`] for more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Auto;

impl Builtin for Auto {
    const NAME: &'static str = "auto";
    const ABOUT: &'static str = "the default: bayes for two classes, logistic for more";
    type Model = LogisticMap;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        if sample.classes() == 2 { Bayes.learn(sample, seed) } else { Logistic.learn(sample, seed) }
    }
}
