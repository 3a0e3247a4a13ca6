//! Spiegelhalter's test.

use super::line::Line;
use super::listed::Listed;
use super::rule::{CellSums, Chance, Found, Outcome, Rule, Summed, over_line};
use super::tail::two_sided;

/// z = Σ (y − f)(1 − 2f) / √(Σ (1 − 2f)² f(1 − f)): the Brier score less its expectation under
/// calibration, in standard deviations.
///
/// Positive where f is too sure of itself. The p-value is two-sided. A model that is wrong only
/// near f = 1/2, or wrong in ways that cancel in the Brier score, is not found out. Cost: one pass.
///
/// ## Reference
/// Spiegelhalter, *Probabilistic prediction in patient management and clinical trials*, 1986.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spiegelhalter;

impl Listed for Spiegelhalter {
    const NAME: &'static str = "spiegelhalter";
    const ABOUT: &'static str = "z-test of the Brier score against its expectation";
}

impl Rule for Spiegelhalter {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        over_line(self, line)
    }

    fn summed(&self) -> Option<&dyn Summed> {
        Some(self)
    }
}

impl Summed for Spiegelhalter {
    fn terms(&self, f: f64, y: f64) -> [f64; 2] {
        let lean = 1.0 - 2.0 * f;
        [(y - f) * lean, lean * lean * f * (1.0 - f)]
    }

    fn of_cells(&self, cells: &[CellSums]) -> Outcome {
        let [excess, variance] = cells.first().map_or([0.0; 2], |all| all.sums);
        Ok(score(excess, variance))
    }
}

fn score(excess: f64, variance: f64) -> Found {
    // Where every f is 0, 1/2 or 1 there is no variance, and each error is beyond chance.
    let z = if excess.abs() > 0.0 { excess / variance.sqrt() } else { 0.0 };
    Found::new(z).tested(two_sided(z))
}
