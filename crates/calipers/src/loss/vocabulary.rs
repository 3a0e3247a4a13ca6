use super::metric::Metric;

/// A part of a metric's name, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricPart {
    /// How it is written; empty for the part that is left out.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
}

const fn part(name: &'static str, about: &'static str) -> MetricPart {
    MetricPart { name, about }
}

/// The words that name metrics.
///
/// ```
/// use calipers::Metric;
///
/// assert!(Metric::LOSSES.iter().any(|loss| loss.name == "brier"));
/// ```
impl Metric {
    /// How a name is put together.
    pub const GRAMMAR: &'static str = "metric = [top-|classwise-][over-|under-]loss";

    /// What is measured.
    pub const LOSSES: &'static [MetricPart] = &[
        part("l<p>", "E|f - C|_p for any p >= 1: l1, l2, l1.5; two classes: E|f1 - C1|"),
        part("linf", "E max |f - C|, the largest error over the classes"),
        part("brier", "E|f - C|^2, the squared error; two classes: E(f1 - C1)^2"),
        part("log", "E KL(C || f) in nats; infinite where f rules out what occurs"),
    ];

    /// On which problem.
    pub const SCOPES: &'static [MetricPart] = &[
        part("", "the whole vector of probabilities"),
        part("top-", "the most probable class: is its probability how often it is right"),
        part("classwise-", "the mean over classes of the error of that class against the rest"),
    ];

    /// Which share of it.
    pub const SIDES: &'static [MetricPart] = &[
        part("", "the whole error"),
        part("over-", "the share due to over-confidence: two classes, or with top-"),
        part("under-", "the share due to under-confidence: two classes, or with top-"),
    ];
}
