use super::Fitted;
use super::bins::{Histogram, PARAMETER, bins_from};
use super::builtin::{Builtin, Tunable};
use super::one_vs_rest::OneVsRest;
use crate::data::{Column, Sample};
use crate::error::Result;
use crate::params::{Parameter, Params};

/// Histogram binning with bins that hold equally much weight; more than two classes:
/// one-versus-rest.
///
/// Equal predictions stay together, so bins may be fewer and uneven. 1/(n + 1) of the uniform is
/// mixed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BinsMass {
    bins: usize,
}

impl Builtin for BinsMass {
    const NAME: &'static str = "bins-mass";
    const ABOUT: &'static str = "label frequencies in bins of equal mass; one-versus-rest";
    type Model = OneVsRest<Histogram>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        let curves =
            OneVsRest::fit(sample, |column| Histogram::fit(column, edges(column, self.bins)));
        Box::new(curves.mixed(sample))
    }
}

impl Tunable for BinsMass {
    const PARAMETERS: &'static [Parameter] = &[PARAMETER];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bins: bins_from(params)? })
    }
}

/// Sums that are equal but for rounding, as a share of the whole: which of them a border lies at is not
/// for the last bit to decide.
const ROUNDING: f64 = 1e-12;

/// The first prediction at or beyond each b-th part of the weight, each once.
fn edges(column: Column<'_>, bins: usize) -> Vec<f64> {
    let mut rows: Vec<(f64, f64)> = column.iter().map(|(p, _, w)| (p, w)).collect();
    // By weight, too, so that sums are the same however the rows were ordered.
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let part = |number: usize| total * (number as f64 / bins as f64 - ROUNDING);
    let mut edges: Vec<f64> = Vec::with_capacity(bins);
    let (mut below, mut next) = (0.0, 1);
    let mut last = rows.first().map_or(0.0, |row| row.0);
    for (probability, weight) in rows {
        // Only a change of the prediction can begin a bin.
        if probability > last && below >= part(next) {
            edges.push(probability);
            while next < bins && below >= part(next) {
                next += 1;
            }
        }
        if next >= bins {
            break;
        }
        below += weight;
        last = probability;
    }
    edges
}
