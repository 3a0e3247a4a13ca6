//! What holds of all that was accepted.

use calipers::Predictions;
use ndarray::ArrayView2;

/// Rounding of a row's sum: a few of its last bits for each class. Rows that are off by no more than
/// that are left as they are, so that a probability may be above 1 by as much.
const ROUNDING: f64 = 1e-12;

/// Insists on predictions that everything behind the door can trust.
pub fn check(predictions: &Predictions<'_>) {
    let (rows, classes) = (predictions.rows(), predictions.classes());
    assert!(rows >= 1 && classes >= 2);
    let probs = predictions.probs();
    assert_eq!(probs.dim(), (rows, classes));
    simplex(probs.view());
    assert_eq!(predictions.labels().len(), rows);
    assert!(predictions.labels().iter().all(|&label| (label as usize) < classes));
    assert_eq!(predictions.class_names().len(), classes);
    if let Some(weights) = predictions.weights() {
        assert_eq!(weights.len(), rows);
        assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
        assert!(weights.iter().any(|&weight| weight >= 1.0));
    }
    if let Some(groups) = predictions.groups() {
        assert_eq!(groups.ids.len(), rows);
        assert!(groups.ids.iter().all(|&group| (group as usize) < groups.names.len()));
    }
}

/// Insists on rows that are points of the simplex.
pub fn simplex(rows: ArrayView2<'_, f64>) {
    for row in rows.rows() {
        let on_it = row.iter().all(|value| (0.0..=1.0 + ROUNDING).contains(value));
        assert!(on_it, "{row} is not on the simplex");
        let slack = ROUNDING * row.len() as f64;
        assert!((row.sum() - 1.0).abs() <= slack, "{row} does not sum to 1");
    }
}
