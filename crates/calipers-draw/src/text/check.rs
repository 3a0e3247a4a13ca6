//! Errors and their limits: what the data say about each, in words.

use calipers::words::thousands;
use calipers::{Estimate, Report};
use serde_json::{Map, Value, json};

use super::numbers::decimal;
use super::report::{heading, lower_name};
use super::{Look, Table};

/// What the data say about a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The lower bound is above the limit.
    Above,
    /// The estimate is above it, the bound is not.
    Undecided,
    /// Not even the estimate is above it.
    NotAbove,
}

/// An error beside its limit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The metric's name.
    pub metric: String,
    /// What the error may be.
    pub limit: f64,
    /// The estimate.
    pub value: f64,
    /// Its lower bound.
    pub lower: f64,
    /// What the data say.
    pub verdict: Verdict,
    /// About how many rows would decide, where these do not.
    pub rows: Option<usize>,
}

impl Outcome {
    /// Holds an estimate against a limit.
    pub fn new(one: &Estimate, limit: f64, confidence: f64) -> Self {
        let verdict = if one.lower > limit {
            Verdict::Above
        } else if one.value > limit {
            Verdict::Undecided
        } else {
            Verdict::NotAbove
        };
        let rows =
            (verdict == Verdict::Undecided).then(|| one.rows_to_show(limit, confidence)).flatten();
        let metric = one.metric.clone();
        Self { metric, limit, value: one.value, lower: one.lower, verdict, rows }
    }

    /// Whether the error is shown to be above its limit.
    pub fn failed(&self) -> bool {
        self.verdict == Verdict::Above
    }

    /// The verdict in words.
    pub fn sentence(&self) -> String {
        match (self.verdict, self.rows) {
            (Verdict::Above, _) => {
                format!("above the limit by at least {}", decimal(self.lower - self.limit))
            }
            (Verdict::Undecided, Some(rows)) => {
                format!("undecided; about {} rows would tell", thousands(rows))
            }
            (Verdict::Undecided, None) => "undecided".to_owned(),
            (Verdict::NotAbove, _) => "not shown to be above".to_owned(),
        }
    }
}

/// Errors and limits as text: a heading, one line a limit, and how it went.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::text::{Look, Outcome, check};
///
/// let predictions = simulate("binary-overconfident", 2_000, 0)?;
/// let report = Estimator::new().metric("l1".parse()?).draws(0).estimate(&predictions)?;
/// let outcome = Outcome::new(&report.estimates[0], 0.02, report.confidence);
/// let text = check(&report, &[outcome], Some("a.csv"), Look::command_line(false));
/// assert!(text.starts_with("a.csv: 2,000 rows") && text.ends_with("\nfailed: l1\n"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn check(report: &Report, outcomes: &[Outcome], name: Option<&str>, look: Look) -> String {
    let table = Table::new()
        .words("metric", outcomes.iter().map(|one| one.metric.as_str()))
        .numbers("limit", outcomes.iter().map(|one| Some(one.limit)))
        .numbers("estimate", outcomes.iter().map(|one| Some(one.value)))
        .numbers(&lower_name(report.confidence), outcomes.iter().map(|one| Some(one.lower)))
        .words("verdict", outcomes.iter().map(Outcome::sentence));
    let failed: Vec<&str> =
        outcomes.iter().filter(|one| one.failed()).map(|one| one.metric.as_str()).collect();
    let end = if failed.is_empty() {
        "passed: no error is shown to be above its limit".to_owned()
    } else {
        format!("failed: {}", failed.join(", "))
    };
    format!("{}\n\n{}\n{end}\n", heading(report, name), table.text(look))
}

/// The same as JSON, with the whole report.
pub fn check_json(report: &Report, outcomes: &[Outcome]) -> Value {
    let checks: Map<String, Value> = outcomes
        .iter()
        .map(|one| {
            let verdict = match one.verdict {
                Verdict::Above => "above",
                Verdict::Undecided => "undecided",
                Verdict::NotAbove => "not above",
            };
            let fields =
                json!({ "limit": one.limit, "verdict": verdict, "rows_to_tell": one.rows });
            (one.metric.clone(), fields)
        })
        .collect();
    let passed = !outcomes.iter().any(Outcome::failed);
    json!({ "passed": passed, "checks": checks, "report": report.to_json() })
}
