//! Errors and their limits: what the data say about each, in words.

use std::collections::HashMap;

use calipers::words::{listed, thousands, visible};
use calipers::{Estimate, Report};
use serde_json::{Map, Value, json};

use super::numbers::{decimal, lower_name, percent};
use super::report::{heading, too_small};
use super::table::paragraph;
use super::tested::Tested;
use super::{GIVEN_FEATURES, Look, Table, given};

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
    /// The group whose error it is; none for that of all rows.
    pub group: Option<String>,
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
    /// Holds the errors of a report against their limits, by the names of the metrics: those of all
    /// rows, and then those of each group that is not too small, whose bounds hold together. The error given
    /// features goes by the name of [`GIVEN_FEATURES`] and the metric.
    ///
    /// ```
    /// use calipers::{Estimator, simulate};
    /// use calipers_draw::text::Outcome;
    ///
    /// let predictions = simulate("binary-overconfident", 2_000, 0)?;
    /// let halves: Vec<&str> = (0..2_000).map(|row| ["even", "odd"][row % 2]).collect();
    /// let predictions = predictions.with_groups(&halves)?;
    /// let report = Estimator::new().metric("l1".parse()?).draws(0).estimate(&predictions)?;
    /// let outcomes = Outcome::all(&report, &[("l1".to_owned(), 0.02)]);
    /// assert_eq!(outcomes.len(), 3);
    /// assert!(outcomes.iter().all(Outcome::failed));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn all(report: &Report, limits: &[(String, f64)]) -> Vec<Self> {
        let held = |estimates: &[Estimate], confidence: f64, group: Option<&str>| {
            let one = |(name, limit): &(String, f64)| {
                let own = estimates.iter().find(|one| one.metric == *name)?;
                let group = group.map(str::to_owned);
                Some(Self { group, ..Self::new(own, *limit, confidence) })
            };
            limits.iter().filter_map(one).collect::<Vec<_>>()
        };
        let given = |(name, limit): &(String, f64)| {
            let own = report.given_features.as_ref()?.get(name.strip_prefix(GIVEN_FEATURES)?)?;
            Some(Self { metric: name.clone(), ..Self::new(own, *limit, report.confidence) })
        };
        let mut all = held(&report.estimates, report.confidence, None);
        all.extend(limits.iter().filter_map(given));
        if let Some(found) = &report.groups {
            for group in &found.groups {
                let own = group.estimates.as_deref().unwrap_or_default();
                all.extend(held(own, found.confidence, Some(&group.name)));
            }
        }
        all
    }

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
        let (group, metric) = (None, one.metric.clone());
        Self { group, metric, limit, value: one.value, lower: one.lower, verdict, rows }
    }

    /// Whether the error is shown to be above its limit.
    pub fn failed(&self) -> bool {
        self.verdict == Verdict::Above
    }

    /// Whose error it is: `l1`, or `l1 in north`.
    pub fn name(&self) -> String {
        let group = self.group.as_ref().map(|group| format!(" in {}", visible(group)));
        format!("{}{}", self.metric, group.unwrap_or_default())
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

    fn to_json(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Above => "above",
            Verdict::Undecided => "undecided",
            Verdict::NotAbove => "not above",
        };
        json!({ "limit": self.limit, "verdict": verdict, "rows_to_tell": self.rows })
    }
}

/// Errors and limits as text: a heading, one line a limit and group, and how it went.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::text::{Look, Outcome, check};
///
/// let predictions = simulate("binary-overconfident", 2_000, 0)?;
/// let report = Estimator::new().metric("l1".parse()?).draws(0).estimate(&predictions)?;
/// let outcomes = Outcome::all(&report, &[("l1".to_owned(), 0.02)]);
/// let text = check(&report, &outcomes, Some("a.csv"), Look::command_line(false));
/// assert!(text.starts_with("a.csv: 2,000 rows") && text.ends_with("\nfailed: l1\n"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn check(report: &Report, outcomes: &[Outcome], name: Option<&str>, look: Look) -> String {
    let mut table = Table::new();
    if report.groups.is_some() {
        let group = |one: &Outcome| one.group.clone().unwrap_or_else(|| "(all rows)".to_owned());
        table = table.words("group", outcomes.iter().map(group));
    }
    let table = table
        .words("metric", outcomes.iter().map(|one| one.metric.as_str()))
        .numbers("limit", outcomes.iter().map(|one| Some(one.limit)))
        .numbers("estimate", outcomes.iter().map(|one| Some(one.value)))
        .numbers(&lower_name(report.confidence), outcomes.iter().map(|one| Some(one.lower)))
        .words("verdict", outcomes.iter().map(Outcome::sentence));
    let mut parts = vec![format!("{}\n", heading(report, name)), table.text(look)];
    let tested: String =
        Tested::all(&report.estimates).iter().map(|one| paragraph(&one.sentence())).collect();
    parts.extend((!tested.is_empty()).then_some(tested));
    if let Some(found) = &report.given_features {
        parts.extend(given::tested(found).map(|words| words + "\n"));
        parts.push(given::segments(&found.segments, report).text(look));
    }
    if let Some(found) = &report.groups {
        let mut words = String::new();
        if outcomes.iter().any(|one| one.group.is_some()) {
            words.push_str(&paragraph(&format!(
                "The bounds of the groups hold together with {} confidence.",
                percent(report.confidence)
            )));
        }
        words.extend(too_small(found).as_deref().map(paragraph));
        parts.push(words);
    }
    let failed: Vec<String> =
        outcomes.iter().filter(|one| one.failed()).map(Outcome::name).collect();
    parts.push(if failed.is_empty() {
        "passed: no error is shown to be above its limit\n".to_owned()
    } else {
        paragraph(&format!("failed: {}", listed(&failed)))
    });
    parts.join("\n")
}

/// The same as JSON, with the whole report. A group that is too small to say anything is null.
pub fn check_json(report: &Report, outcomes: &[Outcome]) -> Value {
    let mut all: HashMap<Option<&str>, Map<String, Value>> = HashMap::new();
    for one in outcomes {
        let own = all.entry(one.group.as_deref()).or_default();
        own.insert(one.metric.clone(), one.to_json());
    }
    let passed = !outcomes.iter().any(Outcome::failed);
    let mut json = json!({ "passed": passed, "checks": all.remove(&None) });
    if let Some(found) = &report.groups {
        let groups = found.groups.iter().map(|group| {
            let own = all.remove(&Some(group.name.as_str()));
            (group.name.clone(), own.map_or(Value::Null, Value::Object))
        });
        json["groups"] = Value::Object(groups.collect());
    }
    json["report"] = report.to_json();
    json
}
