//! The default approaches the truth as rows come in, whatever the truth: its capacity is not capped.

use calipers::{Estimator, Predictions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

/// A truth of two classes: a prediction, and what it should have been.
type Shape = (&'static str, fn(&mut ChaCha8Rng) -> (f64, f64));

/// Errors of their own at each of many values, the same in every data set.
fn own_error(value: usize) -> f64 {
    let mut draws = ChaCha8Rng::seed_from_u64(1_000 + value as u64);
    Normal::new(0.0, 0.06).unwrap().sample(&mut draws)
}

const SHAPES: [Shape; 8] = [
    ("a grid of 0.01", |draws| {
        let value = draws.random_range(1..100usize);
        let f = value as f64 / 100.0;
        (f, f + own_error(value))
    }),
    ("70 values", |draws| {
        let value = draws.random_range(0..70usize);
        let f = ChaCha8Rng::seed_from_u64(value as u64).random::<f64>();
        (f, f + own_error(100 + value))
    }),
    ("ten waves", |draws| {
        let f = 0.05 + 0.9 * draws.random::<f64>();
        (f, f + 0.05 * (20.0 * std::f64::consts::PI * f).sin())
    }),
    ("three waves", |draws| {
        let f = 0.05 + 0.9 * draws.random::<f64>();
        (f, f + 0.05 * (6.0 * std::f64::consts::PI * f).sin())
    }),
    ("a bump", |draws| {
        let f = draws.random::<f64>();
        (f, if (f - 0.4).abs() < 0.01 { f + 0.2 } else { f })
    }),
    ("a step", |draws| {
        let f = draws.random::<f64>();
        (f, f + if f > 0.55 { -0.08 } else { 0.05 })
    }),
    ("over-confident", |draws| {
        let z = 3.0 * (draws.random::<f64>() - 0.5);
        (1.0 / (1.0 + (-2.0 * z).exp()), 1.0 / (1.0 + (-z).exp()))
    }),
    ("four values", |draws| {
        let value = draws.random_range(0..4usize);
        ([0.1, 0.3, 0.32, 0.8][value], [0.12, 0.25, 0.38, 0.8][value])
    }),
];

/// Estimate / truth, by `brier`.
fn found(shape: &Shape, rows: usize, seed: u64) -> f64 {
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    let (mut f, mut labels, mut truth) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rows {
        let (own, right) = shape.1(&mut draws);
        let right = right.clamp(1e-3, 1.0 - 1e-3);
        truth += (own - right).powi(2) / rows as f64;
        f.push(own);
        labels.push(u8::from(draws.random::<f64>() < right));
    }
    let predictions = Predictions::binary(f, &labels).unwrap();
    let estimator = Estimator::new().metric("brier".parse().unwrap()).draws(0);
    estimator.estimate(&predictions).unwrap().estimates[0].value / truth
}

#[test]
fn four_times_the_rows_find_no_less() {
    for shape in &SHAPES {
        let mean = |rows: usize| (0..4).map(|seed| found(shape, rows, seed)).sum::<f64>() / 4.0;
        let (some, more) = (mean(10_000), mean(40_000));
        // One standard error of the mean of four data sets is at most about 0.05.
        assert!(more > some - 0.1, "{}: {some} {more}", shape.0);
    }
}

#[test]
fn with_many_rows_most_of_any_truth_is_found() {
    for shape in &SHAPES {
        let found = found(shape, 400_000, 9);
        assert!((0.9..1.1).contains(&found), "{}: {found}", shape.0);
    }
}
