//! Mean loss = miscalibration − discrimination + uncertainty.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::loss::{Metric, Plain};

/// The parts of a mean Brier score or log loss.
///
/// `loss = miscalibration − discrimination + uncertainty`. Miscalibration is the estimate: what a
/// recalibrated prediction would save. Uncertainty is the loss of predicting the classes'
/// frequencies for every row; discrimination is what the recalibrated predictions save on that.
/// Since the estimate is cross-fitted, both are what held-out rows show, and either can come out
/// slightly negative.
///
/// ```
/// use calipers::{Estimator, simulate};
///
/// let predictions = simulate("binary-overconfident", 1_000, 0)?;
/// let report = Estimator::new().metric("brier".parse()?).estimate(&predictions)?;
/// let parts = report.get("brier").unwrap().decomposition.as_ref().unwrap();
/// let sum = parts.miscalibration - parts.discrimination + parts.uncertainty;
/// assert!((sum - parts.loss).abs() < 1e-12);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decomposition {
    /// The mean loss of the predictions.
    pub loss: f64,
    /// What is lost because the predictions are not calibrated.
    pub miscalibration: f64,
    /// What is gained because recalibrated predictions tell rows apart.
    pub discrimination: f64,
    /// The loss of predicting the classes' frequencies.
    pub uncertainty: f64,
}

/// Splits the mean loss of a whole vector's `brier` or `log`; nothing for other metrics, and nothing
/// if the loss is infinite.
pub(crate) fn decompose(
    metric: &Metric,
    predictions: &Predictions<'_>,
    factor: f64,
    log_floor: f64,
    miscalibration: f64,
) -> Option<Decomposition> {
    let loss = metric.plain(log_floor)?;
    let classes = predictions.classes();
    let weight = |row: usize| predictions.weights().map_or(1.0, |weights| weights[row]);
    let mut frequencies = vec![0.0; classes];
    let mut total = 0.0;
    let mut mean = 0.0;
    let mut buffer = vec![0.0; classes];
    for (row, &label) in
        predictions.labels().iter().enumerate().filter(|(row, _)| weight(*row) > 0.0)
    {
        let weight = weight(row);
        frequencies[label as usize] += weight;
        total += weight;
        mean += weight * loss(predictions.held().row(row, &mut buffer), label as usize);
    }
    parts_of(&loss, &frequencies, mean / total, factor, miscalibration)
}

/// The parts of a mean loss, from the weight of each class.
pub(crate) fn parts_of(
    loss: &Plain,
    weights: &[f64],
    mean: f64,
    factor: f64,
    miscalibration: f64,
) -> Option<Decomposition> {
    let total: f64 = weights.iter().sum();
    let frequencies: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
    let observed = frequencies.iter().enumerate().filter(|(_, share)| **share > 0.0);
    let uncertainty: f64 =
        observed.map(|(label, share)| share * loss(&frequencies, label)).sum::<f64>() * factor;
    let loss = mean * factor;
    let discrimination = uncertainty - loss + miscalibration;
    discrimination.is_finite().then_some(Decomposition {
        loss,
        miscalibration,
        discrimination,
        uncertainty,
    })
}
