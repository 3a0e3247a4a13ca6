//! The p-value, said once: it is a test of a model, not of a metric.

use calipers::{Estimate, Scope};

use super::numbers::{count, decimal};

/// What a test of calibration found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tested {
    /// Whether the most probable class was tested, or the whole vector.
    pub top: bool,
    /// How often a calibrated model looks at least as odd.
    pub p_value: f64,
    /// How often labels were drawn, which is what keeps the p-value from being smaller.
    draws: usize,
    /// How many tests it was adjusted for.
    tests: usize,
}

impl Tested {
    /// The tests behind estimates, each once: that of the whole vector before that of the top class.
    pub(crate) fn all(estimates: &[Estimate]) -> Vec<Self> {
        Self::adjusted(estimates, 1)
    }

    /// As [`all`](Self::all), of p-values that were adjusted for so many groups.
    pub(crate) fn adjusted(estimates: &[Estimate], tests: usize) -> Vec<Self> {
        let one = |top: bool| {
            let mut own = estimates.iter().filter(|one| (one.scope == Scope::Top) == top);
            let (p_value, draws) = own.find_map(|one| one.p_value.zip(one.draws))?;
            Some(Self { top, p_value, draws, tests })
        };
        [one(false), one(true)].into_iter().flatten().collect()
    }

    /// The p-value; as a bound where more drawings could have made it smaller.
    pub(crate) fn number(&self) -> String {
        let least = self.tests as f64 / (self.draws as f64 + 1.0);
        // The last bits of a product must not decide.
        let bound = if self.p_value <= least * (1.0 + 1e-9) { "<= " } else { "" };
        format!("{bound}{}", decimal(self.p_value))
    }

    /// `p_value <= 0.0010 (999 drawings)`.
    pub(crate) fn words(&self) -> String {
        format!("p_value {} ({})", self.number(), self.drawings())
    }

    /// `999 drawings`.
    pub(crate) fn drawings(&self) -> String {
        count(self.draws, "drawing")
    }

    /// The same with what it means.
    pub(crate) fn sentence(&self) -> String {
        let what = if self.top { "top class" } else { "model" };
        format!("{}: how often a calibrated {what} looks so odd", self.words())
    }
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, recalibrator, simulate};

    use super::*;

    #[test]
    fn a_p_value_is_said_once_and_with_its_floor() {
        let predictions = simulate("multiclass-overconfident-3", 1_000, 0).unwrap();
        let names = ["top-l1", "l1", "classwise-l1", "top-over-l1", "brier"];
        let report = Estimator::new()
            .metrics(names.map(|name| name.parse().unwrap()))
            .recalibrator(recalibrator("identity").unwrap())
            .draws(99)
            .estimate(&predictions)
            .unwrap();
        let mut all = Tested::all(&report.estimates);
        assert_eq!(all.len(), 2);
        assert_eq!(
            all[0].sentence(),
            "p_value <= 0.0100 (99 drawings): how often a calibrated model looks so odd"
        );
        assert_eq!(
            all[1].sentence(),
            "p_value <= 0.0100 (99 drawings): how often a calibrated top class looks so odd"
        );
        all[0].p_value = 0.02;
        assert_eq!(all[0].words(), "p_value 0.0200 (99 drawings)");
        // Of two groups, Holm's method doubles the least.
        all[0].tests = 2;
        assert_eq!(all[0].words(), "p_value <= 0.0200 (99 drawings)");
    }
}
