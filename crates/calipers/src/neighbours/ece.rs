//! The binned error, "ECE".

use super::bins::{BINS, By, PARAMETER, bins, bins_from, norm};
use super::line::Line;
use super::registry::Listed;
use super::{Chance, Found, Outcome, Rule};
use crate::error::Result;
use crate::params::{Parameter, Params};

/// (Σ_b n_b/n |mean f − frequency|^p)^(1/p) over bins; p = ∞: the largest gap of a bin.
///
/// It is biased upwards by the noise of each bin's frequency, about √(bins/n), and downwards by
/// what cancels within a bin; both depend on the number of bins. Defaults: 15 bins of equal width,
/// p = 1. Cost: a sort.
///
/// ## Reference
/// Naeini, Cooper and Hauskrecht, *Obtaining well calibrated probabilities using Bayesian binning*,
/// 2015; Guo et al., *On calibration of modern neural networks*, 2017, for the top class; Kull et
/// al., *Beyond temperature scaling*, 2019, for the mean over classes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ece {
    bins: usize,
    by: By,
    p: f64,
}

impl Default for Ece {
    fn default() -> Self {
        Self { bins: BINS, by: By::Width, p: 1.0 }
    }
}

impl Listed for Ece {
    const NAME: &'static str = "ece";
    const ABOUT: &'static str = "binned error: mean gap between f and the frequency in bins of f";
    const PARAMETERS: &'static [Parameter] = &[
        PARAMETER,
        Parameter { name: "by", default: "width", about: "bins of equal width or mass" },
        Parameter { name: "p", default: "1", about: "the power; inf: the largest gap" },
    ];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let bins = bins_from(params, BINS)?;
        let by = [By::Width, By::Mass][params.choice("by", &["width", "mass"])?];
        Ok(Self { bins, by, p: params.power("p")? })
    }

    fn settings(&self) -> Vec<String> {
        let by = if self.by == By::Width { "width" } else { "mass" };
        vec![format!("bins={}", self.bins), format!("by={by}"), format!("p={}", self.p)]
    }
}

impl Rule for Ece {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let bins = bins(line, self.bins, self.by);
        Ok(Found::new(norm(&bins, self.p)).with("bins", bins.len() as f64))
    }

    fn power(&self) -> Option<f64> {
        Some(self.p)
    }
}
