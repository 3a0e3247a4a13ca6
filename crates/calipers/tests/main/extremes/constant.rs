//! One distinct prediction, labels that are all equal, two rows, a class that f rules out.

use calipers::{Error, Folds, Predictions};
use ndarray::Array2;

use crate::extremes::{SLOW, asked, assert_near, assert_numbers, estimate, names};

const ALL: [&str; 8] =
    ["l1", "l1.5", "linf", "brier", "log", "top-l1", "top-over-brier", "classwise-l2"];

/// So many rows of f₁ = p, of which q are of class 1.
fn one_prediction(rows: usize, p: f64, q: f64) -> Predictions<'static> {
    let labels: Vec<u32> =
        (0..rows).map(|row| u32::from((row * 37 % rows) as f64 + 0.5 < q * rows as f64)).collect();
    Predictions::binary(vec![p; rows], &labels).unwrap()
}

/// Where every g moves from p towards q, the score of `l1` is ±(Y − p), and its mean |q − p| whatever
/// the folds.
#[test]
fn one_distinct_prediction_is_off_by_the_mean_label() {
    for (p, q) in [(0.2, 0.6), (0.9, 0.5), (1e-300, 0.5), (0.0, 0.25), (1.0, 0.75)] {
        let predictions = one_prediction(200, p, q);
        for name in names() {
            let report = estimate(name, &ALL, &predictions);
            let what = format!("{name} at {p}");
            assert_numbers(&what, &report);
            // A mean of 200 terms.
            assert_near(&what, report.get("l1").unwrap().value, (q - p).abs(), 1e-13);
        }
    }
}

/// `constant` by hand: with two folds of one row each, g is the other row's label, halfway to ½.
#[test]
fn two_rows_are_enough_for_two_folds() {
    let predictions = Predictions::binary(vec![0.3, 0.7], &[0, 1]).unwrap();
    for name in names() {
        let report = asked(name, &ALL).folds(2).estimate(&predictions).unwrap();
        assert_numbers(name, &report);
    }
    let report = asked("constant", &ALL).folds(2).estimate(&predictions).unwrap();
    assert_near("l1", report.get("l1").unwrap().value, -0.3, 1e-15);
    // (f − g)(f + g − 2Y) with f = 0.3, g = 0.75, Y = 0, and the mirror image.
    assert_near("brier", report.get("brier").unwrap().value, (0.3 - 0.75) * (0.3 + 0.75), 1e-15);
    assert_near("log", report.get("log").unwrap().value, (0.25f64 / 0.7).ln(), 1e-15);
}

#[test]
fn one_row_cannot_be_held_out_and_learnt_from() {
    let one = Predictions::binary(vec![0.3], &[0]).unwrap();
    for (folds, expected) in [
        (5, "1 rows are too few for 5 folds: every fold needs one"),
        (2, "1 rows are too few for 2 folds: every fold needs one"),
        (1, "folds: 1: at least 2 folds are needed"),
    ] {
        let error = asked("auto", &["l1"]).folds(folds).estimate(&one).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(Predictions::binary(vec![], &[0u32; 0]).unwrap_err(), Error::Empty);
}

/// The truth is then 1 wherever f is, and every g that can say so lies above f: `l1` is the mean of 1 − f.
/// `temperature` alone cannot: it moves f < ½ away from ½ if it moves f > ½ so.
#[test]
fn labels_that_are_all_equal_are_found_whole() {
    let probs: Vec<f64> = (0..100).map(|row| 0.05 + 0.008 * f64::from(row)).collect();
    let truth = probs.iter().map(|p| 1.0 - p).sum::<f64>() / 100.0;
    for class in [0, 1] {
        let given: Vec<f64> = probs.iter().map(|p| if class == 1 { *p } else { 1.0 - p }).collect();
        let predictions = Predictions::binary(given, &[class; 100]).unwrap();
        for name in names() {
            let report = estimate(name, &ALL, &predictions);
            assert_numbers(name, &report);
            let l1 = report.get("l1").unwrap();
            if name == "temperature" {
                assert!(l1.value <= truth, "{name}");
            } else {
                assert_near(&format!("{name} class {class}"), l1.value, truth, 1e-13);
            }
        }
    }
}

/// A class that f gives nothing, and that is observed in one row of ten.
#[test]
fn a_class_that_f_rules_out_makes_the_log_infinite_and_nothing_else() {
    let probs = Array2::from_shape_fn((200, 3), |(row, class)| {
        let p = 0.1 + 0.004 * row as f64;
        [p, 1.0 - p, 0.0][class]
    });
    let labels: Vec<u32> = (0..200).map(|row| if row % 10 == 3 { 2 } else { row % 2 }).collect();
    let predictions = Predictions::new(probs, &labels).unwrap();
    for name in names() {
        let report = estimate(name, &ALL, &predictions);
        assert_numbers(name, &report);
        let log = report.get("log").unwrap();
        assert!(log.value >= f64::INFINITY, "{name}: {}", log.value);
        assert_eq!(log.infinite_rows, 20, "{name}");
        let floored = asked(name, &["log"]).log_floor(1e-12).estimate(&predictions).unwrap();
        assert!(floored.estimates[0].value.is_finite(), "{name}");
    }
    // By hand: g₂ is about 0.1 everywhere and f₂ = 0, so class 2 alone adds 0.1 to `linf` at least.
    let report = estimate("constant", &ALL, &predictions);
    assert!(report.get("linf").unwrap().value > 0.05);
}

/// Each row a fold of its own, and as many repeats as anyone would ask for.
#[test]
fn folds_of_one_row_and_many_repeats() {
    let predictions = calipers::simulate("binary-overconfident", 30, 0).unwrap();
    let ids: Vec<i64> = (0..30).collect();
    for name in names().filter(|name| !SLOW.contains(name)) {
        let alone = asked(name, &ALL).fold_plan(Folds::from_ids(&ids).unwrap());
        assert_numbers(name, &alone.estimate(&predictions).unwrap());
    }
    let report = asked("isotonic", &ALL).repeats(1000).estimate(&predictions).unwrap();
    assert_numbers("repeats", &report);
    // Left-out frequencies of 30 rows by hand: (Σy − y)/29, 1/30 of the way to ½.
    let alone = asked("constant", &["brier"]).fold_plan(Folds::from_ids(&ids).unwrap());
    let (f, labels) = (predictions.probs(), predictions.labels());
    let total: f64 = labels.iter().map(|&label| f64::from(label)).sum();
    let score = |row: usize| {
        let (f, y) = (f[[row, 1]], f64::from(labels[row]));
        let frequency = (total - y) / 29.0;
        let g = frequency + (0.5 - frequency) / 30.0;
        (f - g) * (f + g - 2.0 * y)
    };
    let expected = (0..30).map(score).sum::<f64>() / 30.0;
    let found = alone.estimate(&predictions).unwrap().estimates[0].value;
    assert_near("brier", found, expected, 1e-14);
}
