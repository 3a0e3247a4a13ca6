//! The CORP decomposition.

use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use crate::error::Result;
use crate::params::{Parameter, Params};
use crate::recalibrate::isotonic_levels;

/// The miscalibration of the CORP decomposition: how much the mean score improves when f is replaced
/// by its isotonic regression on the same rows.
///
/// score = miscalibration − `discrimination` + `uncertainty`, where discrimination is how much that
/// regression improves on the overall frequency, and uncertainty is the score of the frequency.
/// Fitted and judged on the same rows, it is above 0 for a calibrated model too. Default: the Brier
/// score. Cost: a sort.
///
/// ## Reference
/// Dimitriadis, Gneiting and Jordan, *Stable reliability diagrams for probabilistic classifiers*, 2021.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corp {
    log: bool,
}

impl Listed for Corp {
    const NAME: &'static str = "corp";
    const ABOUT: &'static str = "miscalibration by in-sample isotonic regression (CORP)";
}

impl Tunable for Corp {
    const PARAMETERS: &'static [Parameter] = &[Parameter::new("score", "brier", "brier or log")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { log: params.choice("score", &[("brier", false), ("log", true)])? })
    }
}

impl Rule for Corp {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let rows = line.rows() as f64;
        let loss = |p: f64, y: f64| match (self.log, y > 0.5) {
            (false, _) => (p - y).powi(2),
            (true, true) => -p.ln(),
            (true, false) => -(-p).ln_1p(),
        };
        let mean = |p: &dyn Fn(usize) -> f64| -> f64 {
            line.y.iter().enumerate().map(|(row, &y)| loss(p(row), y)).sum::<f64>() / rows
        };
        let levels = isotonic_levels(line.iter());
        let frequency = line.y.iter().sum::<f64>() / rows;
        let score = mean(&|row| line.f[row]);
        let recalibrated = mean(&|row| levels[row]);
        let uncertainty = mean(&|_| frequency);
        Ok(Found::new(score - recalibrated)
            .with("discrimination", uncertainty - recalibrated)
            .with("uncertainty", uncertainty)
            .with("score", score))
    }

    fn power(&self) -> Option<f64> {
        Some(1.0)
    }
}
