use super::Fitted;
use super::bayes::Bayes;
use super::builtin::Builtin;
use super::stack::{Stack, Stacked};
use crate::data::Sample;

/// The default: [`Bayes`] for two classes, [`Stack`] for more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Auto;

impl Builtin for Auto {
    const NAME: &'static str = "auto";
    const ABOUT: &'static str = "the default: bayes for two classes, stack for more";
    type Model = Stacked;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        if sample.classes() == 2 { Bayes.learn(sample, seed) } else { Stack.learn(sample, seed) }
    }
}
