//! Predictions as far out as they come: what is found there is what it should be, or is refused with a
//! reason.
//!
//! What takes more than a few seconds is `#[ignore]`d, and run by `make long WHAT=extremes`.

mod beside;
mod constant;
mod many;
mod numbers;
mod weights;

use calipers::{Estimate, Estimator, Predictions, Report, recalibrator, recalibrators};

/// Every recalibrator but the one that changes nothing.
fn names() -> impl Iterator<Item = &'static str> {
    recalibrators().map(|info| info.name).filter(|name| *name != "identity")
}

/// The slowest, by far: a thousand rounds of trees.
const SLOW: [&str; 2] = ["boost-cold", "boost-leafwise-cold"];

/// An estimator of a recalibrator and metrics, by their names.
fn asked(name: &str, metrics: &[&str]) -> Estimator {
    let metrics = metrics.iter().map(|metric| metric.parse().unwrap());
    Estimator::new().recalibrator(recalibrator(name).unwrap()).metrics(metrics).draws(19)
}

fn estimate(name: &str, metrics: &[&str], predictions: &Predictions<'_>) -> Report {
    asked(name, metrics).estimate(predictions).unwrap()
}

/// Everything but the logarithm is a number; that one is never NaN.
fn assert_numbers(what: &str, report: &Report) {
    for one in &report.estimates {
        let Estimate { metric, value, stderr, lower, .. } = one;
        assert!(!value.is_nan() && !stderr.is_nan() && !lower.is_nan(), "{what} {metric}");
        assert!(one.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), "{what} {metric}");
        if !metric.ends_with("log") {
            assert!(
                value.is_finite() && one.scores.iter().all(|score| score.is_finite()),
                "{what} {metric}"
            );
        }
    }
}

fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}");
}
