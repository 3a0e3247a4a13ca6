//! The debiased L2 error.

use super::bins::{By, bins, bins_from, parameter};
use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use crate::error::Result;
use crate::params::{Parameter, Params};

/// The square root of Σ_b n_b/n ((mean f − ȳ)² − ȳ(1 − ȳ)/(n_b − 1)) over bins of equal mass, or 0
/// where the sum is negative; it is given as `squared`.
///
/// What is subtracted is an unbiased estimate of the noise of ȳ, so the sum is an unbiased estimate
/// of the *binned* squared error, which is no more than the error itself. A bin of one row says
/// nothing of its noise and counts for nothing. Default: 15 bins. Cost: a sort.
///
/// ## Reference
/// Kumar, Liang and Ma, *Verified uncertainty calibration*, 2019, section 5.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debiased {
    bins: usize,
}

impl Listed for Debiased {
    const NAME: &'static str = "debiased";
    const ABOUT: &'static str = "debiased binned L2 error (Kumar et al.)";

    fn usual(many: bool) -> Vec<String> {
        let scopes: &[&str] = if many { &["top-", "marginal-"] } else { &[""] };
        scopes.iter().map(|scope| format!("{scope}{}", Self::NAME)).collect()
    }
}

impl Tunable for Debiased {
    const PARAMETERS: &'static [Parameter] = &[parameter("15")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bins: bins_from(params)? })
    }
}

impl Rule for Debiased {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let rows = line.rows() as f64;
        let bins = bins(line, self.bins, By::Mass);
        let squared: f64 = bins
            .iter()
            .filter(|bin| bin.rows > 1.0)
            .map(|bin| {
                let noise = bin.y * (1.0 - bin.y) / (bin.rows - 1.0);
                bin.rows / rows * (bin.gap().powi(2) - noise)
            })
            .sum();
        let found = Found { moment: Some(squared), ..Found::new(squared.max(0.0).sqrt()) };
        Ok(found.with("squared", squared).with("bins", bins.len() as f64))
    }

    fn power(&self) -> Option<f64> {
        Some(2.0)
    }
}
