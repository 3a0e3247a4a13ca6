use super::Fitted;
use super::logistic::Logistic;
use super::one_vs_rest::OneVsRest;
use super::quadratic::Powers;
use super::registry::Builtin;
use super::sigmoid::Sigmoid;
use crate::sample::Sample;

/// The default. It is [`Logistic`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Auto;

impl Builtin for Auto {
    const NAME: &'static str = "auto";
    const ABOUT: &'static str = "the default; the same as logistic";
    type Model = OneVsRest<Sigmoid<Powers>>;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        Logistic.learn(sample, seed)
    }
}
