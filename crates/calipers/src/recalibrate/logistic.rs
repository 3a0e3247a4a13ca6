use super::Fitted;
use super::one_vs_rest::OneVsRest;
use super::quadratic::{Powers, Quadratic};
use super::registry::Builtin;
use super::sigmoid::Sigmoid;
use super::sms::Sms;
use crate::sample::Sample;

/// `quadratic` for two classes, `sms` for more: the paper's map on top of its boosted trees.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logistic;

impl Builtin for Logistic {
    const NAME: &'static str = "logistic";
    const ABOUT: &'static str = "quadratic for two classes, sms for more";
    type Model = OneVsRest<Sigmoid<Powers>>;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        if sample.classes() == 2 { Quadratic.learn(sample, seed) } else { Sms.learn(sample, seed) }
    }
}
