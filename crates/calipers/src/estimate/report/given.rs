//! What was found given f and features.

use serde_json::{Map, Value, json};

use super::segments::Segments;
use super::{Estimate, number};

/// The errors E D(f, E[Y | f, X]) given what features know, beside those given f alone.
///
/// ```
/// use calipers::{Estimator, Features, simulate};
///
/// let predictions = simulate("binary-overconfident", 2_000, 0)?;
/// let noise = (0..2_000).map(|row| f64::from(row * 37 % 101)).collect();
/// let predictions = predictions.with_features(Features::new().number("noise", noise)?)?;
/// let report = Estimator::new().metric("l1".parse()?).estimate(&predictions)?;
/// let given = report.given_features.unwrap();
/// assert_eq!(given.gains[0].lower, 0.0, "the feature knows nothing");
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GivenFeatures {
    /// The features' names.
    pub names: Vec<String>,
    /// The estimates, in the order of the report's own.
    pub estimates: Vec<Estimate>,
    /// For each of them, what was found beyond that of f alone.
    pub gains: Vec<FeatureGain>,
    /// What is lost of them without some features, those that lose most first.
    pub shares: Vec<FeatureShare>,
    /// Who it is that f is wrong about.
    pub segments: Segments,
}

/// A difference between what two g find of an error, in held-out rows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FeatureGain {
    /// The metric's name.
    pub metric: String,
    /// The difference.
    pub value: f64,
    /// Its standard error.
    pub stderr: f64,
    /// Its lower confidence bound, with the report's confidence; at least 0.
    pub lower: f64,
}

/// What some features, which say much the same, are worth.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FeatureShare {
    /// The features' names.
    pub names: Vec<String>,
    /// For each metric, how much less of the error is found where their values are those of other rows.
    pub lost: Vec<FeatureGain>,
}

impl GivenFeatures {
    /// The estimate of a metric, by its name.
    pub fn get(&self, metric: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.metric == metric)
    }

    /// `given_features` of a report's JSON.
    pub(crate) fn to_json(&self) -> Value {
        let metrics = self.estimates.iter().zip(&self.gains).map(|(one, gain)| {
            let mut fields = one.to_json();
            fields["gain"] = gain.to_json();
            (one.metric.clone(), fields)
        });
        let metrics: Map<String, Value> = metrics.collect();
        let share = |share: &FeatureShare| {
            let lost = share.lost.iter().map(|lost| (lost.metric.clone(), lost.to_json()));
            json!({ "features": share.names, "lost": lost.collect::<Map<_, _>>() })
        };
        json!({
            "features": self.names,
            "metrics": metrics,
            "shares": self.shares.iter().map(share).collect::<Vec<_>>(),
            "segments": self.segments.to_json(),
        })
    }
}

impl FeatureGain {
    fn to_json(&self) -> Value {
        json!({
            "value": number(self.value),
            "stderr": number(self.stderr),
            "lower": number(self.lower),
        })
    }
}
