//! Models held against the first one.

use calipers::Comparison;
use calipers::words::{listed, visible};
use serde_json::{Value, json};

use super::numbers::decimal;
use super::table::paragraph;

/// A model, a metric, and how much more error than in the first model may be found in it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Worse {
    /// The model's name.
    pub model: String,
    /// The metric's name.
    pub metric: String,
    /// How much more may be found.
    pub limit: f64,
    /// How much more is shown to be found at least; below 0 if it may be less than in the first.
    pub lower: f64,
}

impl Worse {
    /// Holds every model but the first to the limits.
    pub fn all(comparison: &Comparison, limits: &[(String, f64)]) -> Vec<Self> {
        let held = limits.iter().flat_map(|(metric, limit)| {
            let own = comparison.differences.iter();
            let own = own.filter(move |one| one.first == 0 && one.metric == *metric);
            own.map(move |one| Self {
                model: comparison.models[one.second].clone(),
                metric: metric.clone(),
                limit: *limit,
                lower: -one.interval.1 + 0.0,
            })
        });
        held.collect()
    }

    /// Whether more is shown to be found than may be.
    pub fn failed(&self) -> bool {
        self.lower > self.limit
    }
}

/// How it went, in words; nothing where there are no limits.
///
/// ```
/// use calipers::{Estimator, Predictions, simulate};
/// use calipers_draw::text::{Worse, worse};
///
/// let b = simulate("binary-overconfident", 2_000, 0)?;
/// let calm: Vec<f64> = b.probs().column(1).iter().map(|f| 0.3 + 0.4 * f).collect();
/// let a = Predictions::binary(calm, b.labels())?;
/// let found = Estimator::new().metric("l1".parse()?).draws(0).compare(&[("a", &a), ("b", &b)])?;
/// let outcomes = Worse::all(&found, &[("l1".to_owned(), 0.5)]);
/// assert_eq!(worse(&outcomes), "\npassed: no more error than allowed is shown to be found\n");
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn worse(outcomes: &[Worse]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let failed: Vec<String> = outcomes
        .iter()
        .filter(|one| one.failed())
        .map(|one| {
            format!(
                "{} in {} by at least {}, limit {}",
                one.metric,
                visible(&one.model),
                decimal(one.lower),
                decimal(one.limit)
            )
        })
        .collect();
    let sentence = if failed.is_empty() {
        "passed: no more error than allowed is shown to be found".to_owned()
    } else {
        format!("failed: more error is found than in the first: {}", listed(&failed))
    };
    format!("\n{}", paragraph(&sentence))
}

/// A comparison as JSON, with how it went where there are limits.
pub fn comparison_json(comparison: &Comparison, outcomes: &[Worse]) -> Value {
    let mut json = comparison.to_json();
    if !outcomes.is_empty() {
        json["passed"] = json!(!outcomes.iter().any(Worse::failed));
        let one = |one: &Worse| {
            json!({
                "model": one.model,
                "metric": one.metric,
                "limit": one.limit,
                "lower": one.lower,
                "above": one.failed(),
            })
        };
        json["checks"] = outcomes.iter().map(one).collect();
    }
    json
}
