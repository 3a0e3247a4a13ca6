//! What was found within groups.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Estimate, number};

/// The errors within groups.
///
/// Each group is estimated on its own rows. Its lower bounds hold *together* with the report's
/// confidence: each has a confidence of 1 − (1 − confidence)/groups. Its p-values are adjusted by
/// Holm's method: those below 0.05 are all right with a probability of 95 %.
///
/// ```
/// use calipers::{Estimator, simulate};
///
/// let predictions = simulate("binary-overconfident", 2_000, 0)?;
/// let halves: Vec<&str> = (0..2_000).map(|row| if row < 1_990 { "most" } else { "few" }).collect();
/// let report = Estimator::new().estimate(&predictions.with_groups(&halves)?)?;
/// let groups = report.groups.unwrap();
/// assert!(groups.groups[0].estimates.is_some());
/// assert!(groups.groups[1].estimates.is_none(), "ten rows are too few");
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupErrors {
    /// The groups, in the order of their first rows.
    pub groups: Vec<Group>,
    /// The errors E D(f, E[Y | f, group]) of a g that is told the group: what stays hidden where the
    /// errors of groups cancel (multicalibration). Groups that are too small count as calibrated.
    pub aware: Vec<GroupAware>,
    /// The confidence of each group's lower bound, with which all hold together.
    pub confidence: f64,
}

/// One group.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The number of its rows.
    pub rows: usize,
    /// Its estimates; none if it is too small to say anything.
    pub estimates: Option<Vec<Estimate>>,
}

/// The error of a g that is told the group.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupAware {
    /// The metric's name.
    pub metric: String,
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub stderr: f64,
    /// Its lower confidence bound, with the report's confidence.
    pub lower: f64,
}

impl GroupErrors {
    /// `groups`, `group_aware` and `group_confidence` of a report's JSON.
    pub(crate) fn write_json(&self, report: &mut Map<String, Value>) {
        let one = |group: &Group| {
            let metrics = group.estimates.as_ref().map(|estimates| {
                let all = estimates.iter().map(|one| (one.metric.clone(), one.to_json()));
                Value::Object(all.collect())
            });
            (group.name.clone(), json!({ "n": group.rows, "metrics": metrics }))
        };
        let aware = |one: &GroupAware| {
            let fields = json!({
                "value": number(one.value),
                "stderr": number(one.stderr),
                "lower": number(one.lower),
            });
            (one.metric.clone(), fields)
        };
        report.insert("groups".into(), Value::Object(self.groups.iter().map(one).collect()));
        report.insert("group_aware".into(), Value::Object(self.aware.iter().map(aware).collect()));
        report.insert("group_confidence".into(), number(self.confidence));
    }
}
