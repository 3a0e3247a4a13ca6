use super::Fitted;
use super::bins::{Histogram, PARAMETER, bins_from};
use super::builtin::{Builtin, Tunable};
use super::one_vs_rest::OneVsRest;
use crate::data::Sample;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// Histogram binning with bins of equal width on [0, 1]; more than two classes: one-versus-rest.
///
/// A bin includes its lower edge, the last one 1 as well. A bin without training rows leaves f as
/// it is. 1/(n + 1) of the uniform is mixed in.
///
/// ## Reference
/// Zadrozny and Elkan, *Obtaining calibrated probability estimates from decision trees and naive
/// Bayesian classifiers*, 2001.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BinsWidth {
    bins: usize,
}

impl Builtin for BinsWidth {
    const NAME: &'static str = "bins-width";
    const ABOUT: &'static str = "label frequencies in bins of equal width; one-versus-rest";
    type Model = OneVsRest<Histogram>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        let edges: Vec<f64> = (1..self.bins).map(|edge| edge as f64 / self.bins as f64).collect();
        let curves = OneVsRest::fit(sample, |column| Histogram::fit(column, edges.clone()));
        Box::new(curves.mixed(sample))
    }
}

impl Tunable for BinsWidth {
    const PARAMETERS: &'static [Parameter] = &[PARAMETER];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bins: bins_from(params)? })
    }
}
