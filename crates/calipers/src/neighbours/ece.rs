//! The binned error, "ECE".

use super::bins::{Bin, By, bins, bins_from, norm, parameter, width_bin};
use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{CellSums, Chance, Found, Outcome, Rule, Summed, over_line};
use crate::error::Result;
use crate::params::{Parameter, Params};

/// (Σ_b n_b/n |mean f − frequency|^p)^(1/p) over bins; p = ∞: the largest gap of a bin.
///
/// It is biased upwards by the noise of each bin's frequency, about √(bins/n), and downwards by
/// what cancels within a bin; both depend on the number of bins. Defaults: 15 bins of equal width,
/// p = 1. Cost: one pass; of equal mass, a sort.
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

impl Listed for Ece {
    const NAME: &'static str = "ece";
    const ABOUT: &'static str = "binned error: mean gap between f and the frequency in bins of f";

    fn usual(many: bool) -> Vec<String> {
        let names: &[&str] = match many {
            false => &["ece", "ece:by=mass"],
            true => &["top-ece", "top-ece:by=mass", "classwise-ece"],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}

impl Tunable for Ece {
    const PARAMETERS: &'static [Parameter] = &[
        parameter("15"),
        Parameter::new("by", "width", "bins of equal width or mass"),
        Parameter::new("p", "1", "the power; inf: the largest gap"),
    ];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let bins = bins_from(params)?;
        let by = params.choice("by", &[("width", By::Width), ("mass", By::Mass)])?;
        Ok(Self { bins, by, p: params.power("p")? })
    }
}

impl Rule for Ece {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        match self.by {
            By::Width => over_line(self, line),
            By::Mass => Ok(self.of_bins(&bins(line, self.bins, self.by))),
        }
    }

    fn power(&self) -> Option<f64> {
        Some(self.p)
    }

    fn summed(&self) -> Option<&dyn Summed> {
        (self.by == By::Width).then_some(self as &dyn Summed)
    }
}

/// Of equal width: a bin is a cell.
impl Summed for Ece {
    fn cells(&self) -> usize {
        self.bins
    }

    fn cell(&self, f: f64) -> usize {
        width_bin(f, self.bins as f64) as usize
    }

    fn terms(&self, f: f64, y: f64) -> [f64; 2] {
        [f, y]
    }

    fn of_cells(&self, cells: &[CellSums]) -> Outcome {
        let bin =
            |&CellSums { rows, sums: [f, y] }: &CellSums| Bin { rows, f: f / rows, y: y / rows };
        Ok(self.of_bins(&cells.iter().map(bin).collect::<Vec<_>>()))
    }
}

impl Ece {
    fn of_bins(&self, bins: &[Bin]) -> Found {
        Found::new(norm(bins, self.p)).with("bins", bins.len() as f64)
    }
}
