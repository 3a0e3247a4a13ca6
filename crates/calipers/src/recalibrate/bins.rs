//! Histogram binning: g is the label frequency in f's bin.

use serde::{Deserialize, Serialize};

use super::one_vs_rest::Curve;
use crate::data::Column;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// The parameter that both kinds of bins take; most binned ECEs have 15, too.
pub(super) const PARAMETER: Parameter = Parameter::new("bins", "15", "the number of bins");

/// Reads it.
pub(super) fn bins_from(params: &mut Params<'_>) -> Result<usize> {
    params.whole("bins", 1..=1_000_000)
}

/// Bins with their label frequencies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Histogram {
    /// Where each bin but the first begins.
    edges: Vec<f64>,
    /// The label frequency of each bin; a bin without training rows leaves f as it is.
    frequencies: Vec<Option<f64>>,
}

impl Histogram {
    /// Counts labels in the bins that begin at these ascending edges.
    pub(super) fn fit(column: Column<'_>, edges: Vec<f64>) -> Self {
        let mut counts = vec![(0.0, 0.0); edges.len() + 1];
        for (probability, observed, weight) in column.iter() {
            let count = &mut counts[bin(&edges, probability)];
            count.0 += weight * observed;
            count.1 += weight;
        }
        let frequencies =
            counts.into_iter().map(|(observed, all)| (all > 0.0).then(|| observed / all)).collect();
        Self { edges, frequencies }
    }
}

/// The bin of a probability: the last one that begins at or below it.
fn bin(edges: &[f64], probability: f64) -> usize {
    edges.partition_point(|&edge| edge <= probability)
}

impl Curve for Histogram {
    const NAME: &'static str = "bins";

    fn at(&self, probability: f64) -> [f64; 2] {
        let value = self.frequencies[bin(&self.edges, probability)].unwrap_or(probability);
        [1.0 - value, value]
    }

    fn is_sound(&self) -> bool {
        self.frequencies.len() == self.edges.len() + 1
            && self.edges.windows(2).all(|pair| pair[0] <= pair[1])
            && self.frequencies.iter().flatten().all(|value| (0.0..=1.0).contains(value))
    }
}
