//! Many classes, and many rows that are alike.

use std::time::Instant;

use calipers::Predictions;
use ndarray::Array2;

use crate::extremes::{SLOW, asked, assert_near, assert_numbers, names};

/// Those with a parameter for every two classes.
const PAIRED: [&str; 7] =
    ["boost", "boost-leafwise", "boost-cold", "boost-leafwise-cold", "matrix", "sms", "logistic"];

/// So many rows of 5,000 classes: half of the mass on one class, which is right every other time, the rest
/// spread over all.
fn thousands(rows: usize) -> Predictions<'static> {
    let classes = 5_000;
    let probs = Array2::from_shape_fn((rows, classes), |(row, class)| {
        let spread = 0.5 / classes as f64;
        if class == row * 7 % classes { 0.5 + spread } else { spread }
    });
    let label = |row: usize| (row * 7 + if row.is_multiple_of(2) { 0 } else { 3 }) % classes;
    Predictions::new(probs, &(0..rows).map(label).collect::<Vec<_>>()).unwrap()
}

fn five_thousand_classes(rows: usize, left_out: &[&str]) {
    let predictions = thousands(rows);
    for name in names().filter(|name| !left_out.contains(name)) {
        let began = Instant::now();
        let asked = asked(name, &["l1", "l2", "brier", "log", "top-l1"]).folds(2).threads(1);
        let report = asked.estimate(&predictions).unwrap();
        assert_numbers(name, &report);
        let gathered = report.approximations.iter().any(|said| said.ends_with("classes as one"));
        assert_eq!(gathered, PAIRED.contains(&name), "{name}: {:?}", report.approximations);
        println!("{name}: {:.1?}", began.elapsed());
    }
}

/// With few rows. `bayes`, which fits 22 models to each class, is left to the longer run.
#[test]
fn five_thousand_classes_are_fitted() {
    five_thousand_classes(10, &["bayes"]);
}

#[test]
#[ignore = "takes minutes"]
fn two_thousand_rows_of_five_thousand_classes() {
    five_thousand_classes(2_000, &[]);
}

/// f₁ of 0.2 and of 0.7 in turn, where 30 % and 60 % are of class 1: `l1` is 0.1 to the last digits.
fn ties(rows: usize) -> Predictions<'static> {
    let probs: Vec<f64> =
        (0..rows).map(|row| if row.is_multiple_of(2) { 0.2 } else { 0.7 }).collect();
    let label = |row: usize| {
        let tenth = row / 2 % 10;
        u32::from(if row.is_multiple_of(2) { tenth < 3 } else { tenth < 6 })
    };
    Predictions::binary(probs, &(0..rows).map(label).collect::<Vec<_>>()).unwrap()
}

/// With so many rows each g moves the way it should, and the mean of ±(Y − f) is the truth. `constant`
/// and `temperature` have one parameter for both, and move them as far as it goes: from 0.2 up
/// and from 0.7 down, which is right as well.
fn ties_are_no_trouble(rows: usize, names: impl Iterator<Item = &'static str>) {
    let predictions = ties(rows);
    for name in names {
        let began = Instant::now();
        let report = asked(name, &["l1", "brier", "top-l1"]).estimate(&predictions).unwrap();
        println!("{name}: {:.1?}", began.elapsed());
        // A mean of as many terms of at most 1, added by halves.
        assert_near(name, report.get("l1").unwrap().value, 0.1, 1e-12);
        assert_numbers(name, &report);
    }
}

fn slow(name: &&str) -> bool {
    SLOW.contains(name)
}

#[test]
fn a_hundred_thousand_ties_are_no_trouble() {
    ties_are_no_trouble(100_000, names().filter(|name| !slow(name)));
}

/// Hundreds of trees from scratch take as long on any million rows, alike or not: they have a tenth.
#[test]
#[ignore = "takes minutes"]
fn a_million_ties_are_no_trouble() {
    ties_are_no_trouble(1_000_000, names().filter(|name| !slow(name)));
    ties_are_no_trouble(100_000, names().filter(slow));
}
