//! What stands beside the estimate, on the same extremes: neighbours, monitors, comparisons, groups and
//! figures give numbers or an error with a reason.

use calipers::{Estimator, Monitor, Neighbours, Predictions, View, recalibrator};
use ndarray::Array2;
use serde_json::Value;

use crate::extremes::assert_numbers;

/// So many rows from a rule for the probabilities.
fn table(
    rows: usize,
    classes: usize,
    cell: impl Fn(usize, usize) -> f64,
    label: impl Fn(usize) -> usize,
) -> Predictions<'static> {
    let labels: Vec<usize> = (0..rows).map(label).collect();
    Predictions::new(
        Array2::from_shape_fn((rows, classes), |(row, class)| cell(row, class)),
        &labels,
    )
    .unwrap()
}

fn vertex(at: usize, class: usize) -> f64 {
    if at == class { 1.0 } else { 0.0 }
}

fn cases() -> Vec<(&'static str, Predictions<'static>)> {
    let tiny = |size: f64| move |row: usize, class: usize| [size, 1.0 - size][(row + class) % 2];
    vec![
        ("two rows", table(2, 2, |row, class| [0.3, 0.7][(row + class) % 2], |row| row)),
        ("certain and right", table(60, 2, |row, class| vertex(row % 2, class), |row| row % 2)),
        ("certain and wrong", table(60, 2, |row, class| vertex(row % 2, class), |row| 1 - row % 2)),
        (
            "certain, three classes",
            table(60, 3, |row, class| vertex(row % 3, class), |row| row % 2),
        ),
        ("1e-300", table(60, 2, tiny(1e-300), |row| row / 3 % 2)),
        ("5e-324", table(60, 2, tiny(5e-324), |row| row / 3 % 2)),
        ("one distinct prediction", table(60, 2, |_, class| [0.25, 0.75][class], |row| row % 2)),
        ("all alike, three classes", table(60, 3, |_, _| 1.0 / 3.0, |row| row % 3)),
        ("one label", table(60, 2, |row, class| [0.01, 0.99][(row + class) % 2], |_| 1)),
        (
            "one label of three",
            table(60, 3, |row, class| [0.0, 0.5, 0.5][(row + class) % 3], |_| 0),
        ),
        (
            "a hundred classes",
            table(60, 100, |row, class| vertex(row, class) / 2.0 + 0.005, |row| row),
        ),
    ]
}

fn isotonic() -> Estimator {
    Estimator::new().recalibrator(recalibrator("isotonic").unwrap()).folds(2).draws(19)
}

#[test]
fn neighbours_give_a_number_or_a_reason() {
    for (what, predictions) in cases() {
        let found = Neighbours::new().draws(19).measure(&predictions).unwrap().found;
        assert!(!found.is_empty(), "{what}");
        for one in found {
            match one.value {
                Some(value) => assert!(!value.is_nan(), "{what} {one:?}"),
                None => assert!(one.reason.is_some(), "{what} {one:?}"),
            }
            assert!(one.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), "{what} {one:?}");
        }
    }
}

/// Certain and wrong is infinite evidence for good; certain and right is none at all.
#[test]
fn monitors_hold_evidence_that_is_a_number() {
    for (what, predictions) in cases() {
        let mut monitor = Monitor::new(predictions.classes()).unwrap();
        monitor.observe(&predictions).unwrap();
        assert!(
            monitor.e_value() >= 0.0 && monitor.largest() >= 1.0,
            "{what}: {}",
            monitor.e_value()
        );
        assert!((0.0..=1.0).contains(&monitor.p_value()), "{what}");
        match what {
            "certain and right" => assert!((monitor.e_value() - 1.0).abs() < 1e-12, "{what}"),
            "certain and wrong" => {
                assert!(monitor.e_value() >= f64::INFINITY, "{what}");
                assert_eq!(monitor.impossible_rows(), 60);
            }
            _ => {}
        }
    }
}

#[test]
fn comparisons_and_groups_are_of_numbers() {
    for (what, predictions) in cases() {
        let same = isotonic().compare(&[("one", &predictions), ("other", &predictions)]).unwrap();
        for one in &same.differences {
            // A model does not differ from itself, but for infinities, of which nothing is claimed.
            assert!(!one.is_clear(0.95) && (0.0..=1.0).contains(&one.p_value), "{what} {one:?}");
            assert!(one.metric == "log" || one.value.abs() <= 0.0, "{what} {one:?}");
            assert!(!one.interval.0.is_nan() && !one.interval.1.is_nan(), "{what} {one:?}");
        }
        let groups: Vec<&str> = (0..predictions.rows()).map(|row| ["a", "b"][row % 2]).collect();
        let report = isotonic().estimate(&predictions.with_groups(&groups).unwrap()).unwrap();
        assert_numbers(what, &report);
        let found = report.groups.unwrap();
        for one in found.groups.iter().flat_map(|group| group.estimates.iter().flatten()) {
            assert!(!one.value.is_nan() && !one.stderr.is_nan() && !one.lower.is_nan(), "{what}");
        }
        for one in &found.aware {
            assert!(!one.value.is_nan() && !one.stderr.is_nan() && !one.lower.is_nan(), "{what}");
        }
    }
}

/// Every number of a figure can be drawn: JSON has no word for the others, and shows them as null.
fn assert_drawable(what: &str, json: &Value) {
    match json {
        Value::Null => panic!("{what}: a number that is none"),
        Value::Array(all) => all.iter().for_each(|one| assert_drawable(what, one)),
        Value::Object(all) => all.values().for_each(|one| assert_drawable(what, one)),
        _ => {}
    }
}

#[test]
fn figures_can_be_drawn() {
    for (what, predictions) in cases() {
        let view = View::of(&predictions);
        let reliability = isotonic().reliability(&predictions, view).unwrap();
        assert_drawable(what, &reliability.to_json());
        assert_drawable(what, &isotonic().contribution(&predictions).unwrap().to_json());
        let examined = isotonic().examine(&[("model", &predictions)]).unwrap();
        assert_numbers(what, &examined.reports[0]);
        for figures in &examined.figures {
            assert_drawable(what, &figures.reliability.to_json());
            figures.contribution.iter().for_each(|one| assert_drawable(what, &one.to_json()));
        }
    }
}
