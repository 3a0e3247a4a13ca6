//! What comes out: estimates, and the report that holds them.

mod given;
mod groups;
mod segments;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};

use super::bound::{Spread, quantile};
use super::decompose::Decomposition;
use super::upper::Assumption;
use crate::data::Origin;
use crate::loss::{Scope, Side};

pub use given::{FeatureGain, FeatureShare, GivenFeatures};
pub use groups::{Group, GroupAware, GroupErrors};
pub use segments::{Condition, Segment, Segments, Wanted};

/// One calibration error, estimated.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The metric's name.
    pub metric: String,
    /// Which problem it is measured on.
    pub scope: Scope,
    /// Which share of the error it is; none for all of it.
    pub side: Option<Side>,
    /// The number of rows it is about.
    pub rows: usize,
    /// The estimate: in expectation a lower bound on the calibration error.
    pub value: f64,
    /// The standard error of the estimate. It allows for what folds share, so it is 1.4 times that of
    /// independent scores with five folds, and it never trusts fewer errors than calibrated labels
    /// would show.
    pub stderr: f64,
    /// A lower confidence bound: with the report's confidence the calibration error is above it.
    pub lower: f64,
    /// The best guess of the error, if asked for: it errs to either side, and is no bound.
    #[serde(skip)]
    pub best: Option<f64>,
    /// An interval around the best guess that holds the error in about 90 of 100 data sets.
    #[serde(skip)]
    pub interval: Option<(f64, f64)>,
    /// An upper confidence bound, if the [assumption](Report::assumption) holds: with the report's
    /// confidence the calibration error is below it. None where nothing was assumed, where the assumption
    /// says nothing of the metric, and where the data contradict it.
    #[serde(skip)]
    pub upper: Option<f64>,
    /// The p-value of "this model is calibrated", by drawing labels from the predictions; none if no
    /// drawings were asked for. Metrics of the whole vector, and those of single classes, share one;
    /// those of the top class share another.
    pub p_value: Option<f64>,
    /// How often labels were drawn for it: it is at least 1/(draws + 1).
    pub draws: Option<usize>,
    /// The estimate with g fitted to the very rows it is scored on, if asked for. It errs upwards as
    /// the cross-fitted one errs downwards.
    pub in_sample: Option<f64>,
    /// The parts of the mean loss, for `brier` and `log`.
    pub decomposition: Option<Decomposition>,
    /// How many rows have an infinite score: f (or g) gave the observed class no probability.
    pub infinite_rows: usize,
    /// The held-out score of each row that g was cross-fitted on, in the order of the rows; the mean over
    /// repeats. A [`Plan`](crate::Plan) that was written down has none.
    #[serde(skip)]
    pub scores: Vec<f64>,
    /// What the standard error was taken from.
    pub(crate) spread: Spread,
    /// What the lower bound was taken from.
    pub(crate) bounded: Spread,
}

/// Everything that one run of an [`Estimator`](crate::Estimator) found.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The number of rows.
    pub rows: usize,
    /// How many of them g was fitted to; none if it was all. The p-values are of these rows.
    pub sample: Option<usize>,
    /// How many clusters the rows are in, if they belong together.
    #[serde(skip)]
    pub clusters: Option<usize>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// The columns that the predictions were read from, if that was said.
    pub origin: Option<Origin>,
    /// The recalibrator, by the name it was asked for.
    pub recalibrator: String,
    /// The number of folds.
    pub folds: usize,
    /// How often the folds were drawn.
    pub repeats: usize,
    /// The seed.
    pub seed: u64,
    /// The confidence of the lower bounds.
    pub confidence: f64,
    /// What the upper bounds take to be true.
    #[serde(skip)]
    pub assumption: Option<Assumption>,
    /// Whether the data contradict it, with the confidence of the bounds.
    #[serde(skip)]
    pub contradicted: bool,
    /// Whether all rows have one and the same prediction: what is measured is then how far the classes'
    /// frequencies are from it.
    #[serde(skip)]
    pub constant: bool,
    /// How many rows were renormalised because their sum was off by more than rounding.
    pub renormalised_rows: usize,
    /// How many fits were made.
    pub fits: usize,
    /// How many of them stopped before they met their tolerance.
    pub unconverged_fits: usize,
    /// What kept the cost of the fits bounded where it would have grown with the data, each in a few
    /// words: [`Fitted::approximations`](crate::Fitted::approximations).
    pub approximations: Vec<String>,
    /// The estimates, in the order in which the metrics were asked for.
    pub estimates: Vec<Estimate>,
    /// The errors within groups, where the predictions have groups.
    pub groups: Option<GroupErrors>,
    /// The errors given f and what else is known, where the predictions have features.
    #[serde(skip)]
    pub given_features: Option<GivenFeatures>,
}

impl Report {
    /// The estimate of a metric, by its name.
    pub fn get(&self, metric: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.metric == metric)
    }

    /// The report as JSON; infinite values are the strings `"inf"` and `"-inf"`.
    ///
    /// ```
    /// use calipers::{Estimator, Predictions};
    ///
    /// let predictions = Predictions::binary(&[0.2, 0.4, 0.6, 0.8, 0.9], &[0, 1, 0, 1, 1])?;
    /// let report = Estimator::new().metric("l1".parse()?).estimate(&predictions)?;
    /// let json = report.to_json();
    /// assert_eq!(json["n"], 5);
    /// assert!(json["metrics"]["l1"]["value"].is_number());
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn to_json(&self) -> Value {
        let metrics: Map<String, Value> =
            self.estimates.iter().map(|one| (one.metric.clone(), one.to_json())).collect();
        let mut report = json!({ "n": self.rows, "classes": self.classes });
        if let Some(origin) = &self.origin {
            report["columns"] = origin.to_json(&self.classes);
        }
        if let Some(sample) = self.sample {
            report["sample"] = sample.into();
        }
        if let Some(clusters) = self.clusters {
            report["clusters"] = clusters.into();
        }
        let how = json!({
            "recalibrator": self.recalibrator,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "confidence": self.confidence,
            "renormalised_rows": self.renormalised_rows,
            "unconverged_fits": self.unconverged_fits,
        });
        if let (Some(report), Value::Object(how)) = (report.as_object_mut(), how) {
            report.extend(how);
        }
        if let Some(assumption) = self.assumption {
            report["assume"] = assumption.name().into();
            report["contradicted"] = self.contradicted.into();
        }
        if self.constant {
            report["constant"] = true.into();
        }
        if !self.approximations.is_empty() {
            report["approximations"] = json!(self.approximations);
        }
        report["metrics"] = Value::Object(metrics);
        if let (Some(groups), Some(report)) = (&self.groups, report.as_object_mut()) {
            groups.write_json(report);
        }
        if let (Some(given), Some(report)) = (&self.given_features, report.as_object_mut()) {
            report.insert("given_features".into(), given.to_json());
        }
        report
    }
}

impl Estimate {
    /// The confidence of the [interval](Self::interval) around a best guess.
    pub const INTERVAL: f64 = 0.9;

    /// About how many rows would show that the error is above a limit which the estimate exceeds but
    /// the lower bound does not; none if the estimate does not exceed it.
    ///
    /// The standard error falls with the square root of the rows, while the estimate stays where it
    /// is; that it tends to grow makes the answer cautious.
    pub fn rows_to_show(&self, limit: f64, confidence: f64) -> Option<usize> {
        let excess = self.value - limit;
        if !(excess > 0.0 && excess.is_finite() && self.stderr.is_finite()) {
            return None;
        }
        let rows = self.rows as f64;
        let needed =
            rows * (quantile(self.bounded.rows, confidence) * self.stderr / excess).powi(2);
        rounded(needed).map(|needed| needed.max(self.rows + 1))
    }

    /// About how many rows would show that the error is below a limit which the upper bound is not below;
    /// none if the estimate is not below it either.
    ///
    /// The distance of the bound falls with the cube root of the rows, or faster: the answer is cautious.
    pub fn rows_to_certify(&self, limit: f64) -> Option<usize> {
        let (value, upper) = (self.value.max(0.0), self.upper?);
        let (room, distance) = (limit - value, upper - value);
        if !(room > 0.0 && distance.is_finite() && distance > 0.0) {
            return None;
        }
        let rows = self.rows as f64;
        rounded(rows * (distance / room).powi(3)).map(|needed| needed.max(self.rows + 1))
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("value".into(), number(self.value));
        fields.insert("stderr".into(), number(self.stderr));
        fields.insert("lower".into(), number(self.lower));
        if let (Some(best), Some((low, high))) = (self.best, self.interval) {
            fields.insert("best".into(), number(best));
            fields.insert("interval".into(), json!([number(low), number(high)]));
        }
        if let Some(upper) = self.upper {
            fields.insert("upper".into(), number(upper));
        }
        fields.insert("p_value".into(), self.p_value.map_or(Value::Null, number));
        if let Some(draws) = self.draws {
            fields.insert("draws".into(), draws.into());
        }
        if let Some(in_sample) = self.in_sample {
            fields.insert("in_sample".into(), number(in_sample));
        }
        if let Some(parts) = &self.decomposition {
            let parts = json!({
                "loss": parts.loss,
                "miscalibration": parts.miscalibration,
                "discrimination": parts.discrimination,
                "uncertainty": parts.uncertainty,
            });
            fields.insert("decomposition".into(), parts);
        }
        if self.infinite_rows > 0 {
            fields.insert("infinite_rows".into(), self.infinite_rows.into());
        }
        Value::Object(fields)
    }
}

/// A number of rows, rounded up to two digits, which are more than it is worth; none if it is beyond all counting.
fn rounded(needed: f64) -> Option<usize> {
    let digit = 10f64.powf(needed.max(10.0).log10().floor() - 1.0);
    let needed = (needed / digit).ceil() * digit;
    (needed < 1e18).then_some(needed as usize)
}

/// A number as JSON has it, or the string `inf`, `-inf` or `nan`, which it has not.
pub(crate) fn number(value: f64) -> Value {
    Number::from_f64(value)
        .map_or_else(|| Value::String(value.to_string().to_lowercase()), Value::Number)
}
