//! The whole estimate, on small data with ties, zeros, ones and weights.

use calipers::{
    Estimate, Estimator, Folds, Metric, Predictions, Sample, recalibrator, recalibrators,
};
use ndarray::Array2;

use crate::bytes::Bytes;
use crate::sound;

/// One of each kind.
const METRICS: [&str; 16] = [
    "l1",
    "l2",
    "l1.5",
    "l7",
    "linf",
    "brier",
    "log",
    "over-l1",
    "under-l1",
    "over-brier",
    "under-log",
    "top-l1",
    "top-over-l2",
    "classwise-l1",
    "classwise-log",
    "top-linf",
];

/// A sum of a few dozen numbers of size 1 and of its parts in another order: far more than rounding,
/// far less than any mistake.
const ROUNDING: f64 = 1e-9;

/// Estimates with one of the recalibrators, and fits it to all rows.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let at = bytes.below(recalibrators().count());
    let Some(info) = recalibrators().nth(at) else { return };
    let (rows, classes) = (2 + bytes.below(39), 2 + bytes.below(5));
    let Some(predictions) = predictions(&mut bytes, rows, classes) else { return };
    let metrics = [bytes.below(METRICS.len()), bytes.below(METRICS.len())];
    let metrics = metrics.iter().filter_map(|&at| METRICS[at].parse::<Metric>().ok());
    let folds = Folds::Shuffled(2 + bytes.below(4));
    // A hundred trees are the same code a hundred times.
    let name = match info.name {
        name if name.starts_with("boost") => format!("{name}:trees=5,inner=2"),
        name => name.to_owned(),
    };
    let Ok(recalibrator) = recalibrator(&name) else { panic!("{name} is not known") };
    let mut estimator = Estimator::new()
        .metrics(metrics)
        .recalibrator(recalibrator.clone())
        .fold_plan(folds)
        .seed(bytes.byte().into())
        .repeats(1 + bytes.below(2))
        .draws(if bytes.below(4) == 0 { 19 } else { 0 })
        .bracket(bytes.below(4) == 0)
        .threads(1);
    if bytes.below(4) == 0 {
        estimator = estimator.log_floor(1e-12);
    }
    // Too few rows for the folds, sides of more than two classes: refused with a word.
    if let Ok(report) = estimator.estimate(&predictions) {
        report.estimates.iter().for_each(|estimate| check(estimate, &predictions));
        assert!(report.to_json().is_object());
    }
    let fitted = recalibrator.fit(&Sample::from(&predictions), 0);
    let g = fitted.and_then(|fitted| fitted.predict(predictions.probs().view()));
    match g {
        Ok(g) => sound::simplex(g.view()),
        Err(error) => panic!("{} failed: {error}", info.name),
    }
}

/// Rows whose cells are few different numbers, many of them 0.
fn predictions(bytes: &mut Bytes<'_>, rows: usize, classes: usize) -> Option<Predictions<'static>> {
    let levels = [3, 11, 256][bytes.below(3)];
    let mut probs = Array2::zeros((rows, classes));
    for mut row in probs.rows_mut() {
        row.mapv_inplace(|_: f64| bytes.below(levels) as f64);
        let sum = row.sum();
        if sum > 0.0 {
            row /= sum;
        } else {
            row[bytes.below(classes)] = 1.0;
        }
    }
    let labels: Vec<usize> = (0..rows).map(|_| bytes.below(classes)).collect();
    let predictions = Predictions::new(probs, &labels).ok()?;
    match bytes.below(3) {
        0 => {
            let weights = (0..rows).map(|_| bytes.below(4) as f64).collect();
            predictions.with_weights(weights).ok()
        }
        1 => {
            let groups: Vec<String> = (0..rows).map(|_| bytes.below(3).to_string()).collect();
            predictions.with_groups(&groups).ok()
        }
        _ => Some(predictions),
    }
}

/// What holds of every estimate.
fn check(estimate: &Estimate, predictions: &Predictions<'_>) {
    let Estimate { metric, value, scores, .. } = estimate;
    assert_eq!(scores.len(), predictions.rows());
    assert!(!estimate.lower.is_nan() && !estimate.stderr.is_nan(), "{estimate:?}");
    if let Some(p_value) = estimate.p_value {
        assert!((0.0..=1.0).contains(&p_value), "{estimate:?}");
    }
    if !value.is_finite() {
        // Only the log loss can be infinite, of a zero that then happens.
        assert!(metric.contains("log") && estimate.infinite_rows > 0, "{estimate:?}");
        return;
    }
    let weights = predictions.weights();
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let total: f64 = (0..scores.len()).map(weight).sum();
    // A row that does not count may have any score.
    let counts = |row: &usize| weight(*row) > 0.0;
    let sum: f64 = (0..scores.len()).filter(counts).map(|row| weight(row) * scores[row]).sum();
    assert!((sum / total - value).abs() <= ROUNDING * (1.0 + value.abs()), "{estimate:?}");
}
