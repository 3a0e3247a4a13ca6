//! Errors that are shown to be below their limits, and those that are not.

use calipers::Report;
use calipers::words::thousands;
use serde_json::{Map, Value, json};

use super::numbers::percent;
use super::report::heading;
use super::{Look, Table};

/// An error's upper bound beside its limit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Certified {
    /// The metric's name.
    pub metric: String,
    /// What the error must be below.
    pub limit: f64,
    /// The estimate.
    pub value: f64,
    /// The upper bound; none if the data contradict what it assumes.
    pub upper: Option<f64>,
    /// Whether the bound is below the limit.
    pub certified: bool,
    /// About how many rows would do, where these do not.
    pub rows: Option<usize>,
}

impl Certified {
    /// Holds the upper bounds of a report against limits, by the names of the metrics.
    ///
    /// ```
    /// use calipers::{Assumption, Estimator, simulate};
    /// use calipers_draw::text::Certified;
    ///
    /// let predictions = simulate("binary-calibrated", 5_000, 0)?;
    /// let estimator = Estimator::new().metric("l1".parse()?).assume(Assumption::Monotone).draws(0);
    /// let outcomes = Certified::all(&estimator.estimate(&predictions)?, &[("l1".to_owned(), 0.2)]);
    /// assert!(outcomes[0].certified);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn all(report: &Report, limits: &[(String, f64)]) -> Vec<Self> {
        let one = |(name, limit): &(String, f64)| {
            let own = report.get(name)?;
            let certified = own.upper.is_some_and(|upper| upper < *limit);
            let rows = if certified { None } else { own.rows_to_certify(*limit) };
            let (metric, limit) = (name.clone(), *limit);
            Some(Self { metric, limit, value: own.value, upper: own.upper, certified, rows })
        };
        limits.iter().filter_map(one).collect()
    }

    /// The outcome in words.
    pub fn sentence(&self) -> String {
        match (self.certified, self.upper, self.rows) {
            (true, ..) => "certified".to_owned(),
            (_, None, _) => "the data contradict the assumption".to_owned(),
            (_, _, Some(rows)) => format!("not shown; about {} rows may do", thousands(rows)),
            (..) => "not shown; more rows will not do".to_owned(),
        }
    }
}

/// The outcomes as a table, with what they assume.
pub fn certify(report: &Report, all: &[Certified], name: Option<&str>, look: Look) -> String {
    let upper = format!("upper {}", percent(report.confidence));
    let table = Table::new()
        .words("metric", all.iter().map(|one| one.metric.as_str()))
        .numbers("limit", all.iter().map(|one| Some(one.limit)))
        .numbers("estimate", all.iter().map(|one| Some(one.value)))
        .numbers(&upper, all.iter().map(|one| one.upper))
        .words("outcome", all.iter().map(Certified::sentence));
    let failed: Vec<&str> =
        all.iter().filter(|one| !one.certified).map(|one| one.metric.as_str()).collect();
    let end = match failed.is_empty() {
        true => "certified: if the truth rises with the prediction, every error is below its limit"
            .to_owned(),
        false => format!("not certified: {}", failed.join(", ")),
    };
    format!("{}\n\n{}\n{end}\n", heading(report, name), table.text(look))
}

/// The same as JSON, with the report.
pub fn certify_json(report: &Report, all: &[Certified]) -> Value {
    let each: Map<String, Value> = all
        .iter()
        .map(|one| {
            let outcome = json!({
                "limit": one.limit,
                "certified": one.certified,
                "rows_to_certify": one.rows,
            });
            (one.metric.clone(), outcome)
        })
        .collect();
    let certified = all.iter().all(|one| one.certified);
    json!({ "certified": certified, "outcomes": each, "report": report.to_json() })
}
