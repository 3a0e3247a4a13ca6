use std::sync::Arc;

use super::named::{Entry, NamedLoss};
use super::part::MetricPart;
use super::{ProperLoss, Purpose, pull, pull_each, scalar_score};

/// The loss behind E max |f − C|, the limit of [`Lp`](super::Lp) as p grows.
///
/// The gradient of the largest component is its sign there and 0 elsewhere; where several
/// components tie, their mean is taken, so that the order of the classes does not matter.
#[derive(Debug, Clone, Copy)]
pub struct Linf;

impl Linf {
    pub(super) const ENTRY: Entry = Entry {
        part: MetricPart::new("linf", "E max |f - C|, the largest error over the classes"),
        expected: "linf",
        parse: |text| (text == "linf").then(|| Arc::new(Self) as _),
    };
}

impl NamedLoss for Linf {
    fn name(&self) -> String {
        "linf".to_owned()
    }

    fn scorer(&self, _: f64) -> Box<dyn ProperLoss> {
        Box::new(*self)
    }
}

impl ProperLoss for Linf {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        if f.len() == 2 {
            return scalar_score(f, g, label);
        }
        let steps = || f.iter().zip(g).map(|(f, g)| g - f);
        let largest = steps().map(f64::abs).fold(0.0, f64::max);
        if largest <= 0.0 {
            return 0.0;
        }
        let tied = steps().filter(|step| step.abs() >= largest).count() as f64;
        let slopes =
            steps().map(|step| if step.abs() >= largest { step.signum() / tied } else { 0.0 });
        pull(slopes, f, label)
    }

    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        if f.len() == 2 {
            let each = scores.iter_mut().enumerate();
            return each.for_each(|(label, score)| *score = scalar_score(f, g, label));
        }
        let steps = || f.iter().zip(g).map(|(f, g)| g - f);
        let largest = steps().map(f64::abs).fold(0.0, f64::max);
        if largest <= 0.0 {
            return scores.fill(0.0);
        }
        let mut tied = 0.0;
        for (score, step) in scores.iter_mut().zip(steps()) {
            let moved_most = step.abs() >= largest;
            *score = if moved_most { step.signum() } else { 0.0 };
            tied += f64::from(u8::from(moved_most));
        }
        pull_each(scores, f, tied);
    }

    fn purpose(&self) -> Purpose {
        Purpose::Direction
    }
}
