//! How long a whole estimate takes: five folds, four metrics, one thread.
//!
//! `cargo bench --package calipers` runs all of it; `cargo bench --package calipers -- scaling` the
//! part that chose between Newton's method and L-BFGS.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use calipers::{Estimator, Predictions, recalibrator, recalibrators, simulate};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn time(criterion: &mut Criterion, group: &str, predictions: &Predictions<'_>, names: &[&str]) {
    let mut group = criterion.benchmark_group(group);
    group.sample_size(10);
    for name in names {
        let estimator =
            Estimator::new().recalibrator(recalibrator(name).unwrap()).log_floor(1e-12).threads(1);
        group.bench_with_input(BenchmarkId::from_parameter(name), predictions, |bencher, rows| {
            bencher.iter(|| estimator.estimate(rows).unwrap());
        });
    }
    group.finish();
}

/// Every recalibrator on the paper's over-confident settings.
fn every_recalibrator(criterion: &mut Criterion) {
    let names: Vec<&str> = recalibrators().map(|info| info.name).collect();
    let settings = [("binary-overconfident", 2), ("multiclass-overconfident-10", 10)];
    for (setting, classes) in settings {
        for rows in [1_000, 10_000] {
            let predictions = simulate(setting, rows, 0).unwrap();
            time(criterion, &format!("n={rows} k={classes}"), &predictions, &names);
        }
    }
}

/// The maps with many parameters, as the number of classes grows: the first k classes of a
/// prediction of 50, renormalised.
fn scaling(criterion: &mut Criterion) {
    for classes in [3, 5, 10, 17, 26, 50] {
        let predictions = many_classes(1_500, classes);
        let group = format!("scaling k={classes}");
        time(criterion, &group, &predictions, &["svs", "sms"]);
    }
}

/// Over-confident predictions of k classes, made of blocks of the ten-class setting.
fn many_classes(rows: usize, classes: usize) -> Predictions<'static> {
    let blocks = classes.div_ceil(10) as u64;
    let parts: Vec<Predictions<'static>> = (0..blocks)
        .map(|block| simulate("multiclass-overconfident-10", rows, block).unwrap())
        .collect();
    let mut probs = ndarray::Array2::zeros((rows, classes));
    let mut labels = Vec::with_capacity(rows);
    for row in 0..rows {
        for class in 0..classes {
            probs[[row, class]] = parts[class / 10].probs()[[row, class % 10]];
        }
        let block = row % parts.len();
        labels.push((10 * block + parts[block].labels()[row] as usize).min(classes - 1));
    }
    let sums = probs.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    Predictions::new(probs / sums, &labels).unwrap()
}

criterion_group!(benches, every_recalibrator, scaling);
criterion_main!(benches);
