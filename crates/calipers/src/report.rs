//! What comes out: estimates, and the report that holds them.

use serde_json::{Map, Number, Value, json};

/// One calibration error, estimated.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Estimate {
    /// The metric's name.
    pub metric: String,
    /// The estimate: in expectation a lower bound on the calibration error.
    pub value: f64,
    /// The standard error of the mean of the held-out scores, as if they were independent.
    pub stderr: f64,
    /// A lower confidence bound on the calibration error, where one has been computed.
    pub lower: Option<f64>,
    /// The p-value of "this model is calibrated", where one has been computed.
    pub p_value: Option<f64>,
    /// How many rows have an infinite score: f (or g) gave the observed class no probability.
    pub infinite_rows: usize,
    /// The held-out score of each row, in the order of the rows; the mean over repeats.
    pub scores: Vec<f64>,
}

/// Everything that one run of an [`Estimator`](crate::Estimator) found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The number of rows.
    pub rows: usize,
    /// The classes' names.
    pub classes: Vec<String>,
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
    /// How many rows were renormalised because their sum was off by more than rounding.
    pub renormalised_rows: usize,
    /// How many fits were made.
    pub fits: usize,
    /// How many of them stopped before they met their tolerance.
    pub unconverged_fits: usize,
    /// The estimates, in the order in which the metrics were asked for.
    pub estimates: Vec<Estimate>,
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
        json!({
            "n": self.rows,
            "classes": self.classes,
            "recalibrator": self.recalibrator,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "confidence": self.confidence,
            "renormalised_rows": self.renormalised_rows,
            "unconverged_fits": self.unconverged_fits,
            "metrics": metrics,
        })
    }
}

impl Estimate {
    fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("value".into(), number(self.value));
        fields.insert("stderr".into(), number(self.stderr));
        fields.insert("lower".into(), self.lower.map_or(Value::Null, number));
        fields.insert("p_value".into(), self.p_value.map_or(Value::Null, number));
        if self.infinite_rows > 0 {
            fields.insert("infinite_rows".into(), self.infinite_rows.into());
        }
        Value::Object(fields)
    }
}

/// A number as JSON has it, or the string `inf`, `-inf` or `nan`, which it has not.
fn number(value: f64) -> Value {
    Number::from_f64(value)
        .map_or_else(|| Value::String(value.to_string().to_lowercase()), Value::Number)
}
