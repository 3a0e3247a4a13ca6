//! The Hosmer-Lemeshow test.

use super::bins::{By, bins, bins_from, parameter};
use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use super::tail::chi_square;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// Σ_b n_b (ȳ − f̄)² / (f̄ (1 − f̄)) over bins of equal mass, with its chi-square tail.
///
/// The degrees of freedom are the number of bins, as it is for predictions of rows that the model was
/// not fitted to; `fitted=yes` takes two off, for a logistic regression judged on the rows of its own
/// fit. The answer depends on the number of bins, and with enough rows every model is refused.
/// Cost: a sort.
///
/// ## Reference
/// Hosmer and Lemeshow, *Goodness of fit tests for the multiple logistic regression model*, 1980.
#[derive(Debug, Clone, Copy)]
pub(super) struct HosmerLemeshow {
    bins: usize,
    fitted: bool,
}

impl Listed for HosmerLemeshow {
    const NAME: &'static str = "hosmer-lemeshow";
    const ABOUT: &'static str = "chi-square test over bins of equal mass";
}

impl Tunable for HosmerLemeshow {
    const PARAMETERS: &'static [Parameter] = &[
        parameter("10"),
        Parameter::new(
            "fitted",
            "no",
            "yes: the rows are those that a logistic regression was fitted to",
        ),
    ];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let bins = bins_from(params)?;
        Ok(Self { bins, fitted: params.choice("fitted", &[("no", false), ("yes", true)])? })
    }
}

impl Rule for HosmerLemeshow {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let bins = bins(line, self.bins, By::Mass);
        let statistic: f64 = bins
            .iter()
            .filter(|bin| bin.gap() > 0.0)
            .map(|bin| bin.rows * bin.gap().powi(2) / (bin.f * (1.0 - bin.f)))
            .sum();
        // A bin that is certain, and right, has nothing to vary.
        let varying = bins.iter().filter(|bin| bin.f > 0.0 && bin.f < 1.0).count() as f64;
        let degrees = varying - if self.fitted { 2.0 } else { 0.0 };
        if degrees < 0.0 || (self.fitted && degrees < 1.0) {
            return Err(format!("{varying} bins leave no degrees of freedom"));
        }
        let found = Found::new(statistic).tested(chi_square(statistic, degrees));
        Ok(found.with("degrees", degrees).with("bins", bins.len() as f64))
    }
}
