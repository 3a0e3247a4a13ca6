//! What an estimate costs in units of what it cannot do without: one sort of two classes' predictions, one
//! pass of log-softmax over many classes' logits; and what a second thread saves.
//!
//! `cargo bench --bench limits`, with the names of recalibrators after `--` for others than the usual ones, and
//! sizes such as `50000x1000` for some of them.
//! P-values and bounds are included. Each figure is the least of three runs, in one program.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::time::Instant;

use calipers::{Estimator, Metric, Predictions, recalibrator, simulate};
use ndarray::{Array2, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RUNS: usize = 3;

fn least_seconds(mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}

/// Logits of single precision, and labels from half of them: an over-confident model.
fn logits(rows: usize, classes: usize) -> (Array2<f32>, Vec<usize>) {
    let mut draws = ChaCha8Rng::seed_from_u64(0);
    let mut table = Array2::zeros((rows, classes));
    let mut labels = Vec::with_capacity(rows);
    for mut row in table.rows_mut() {
        row.iter_mut().for_each(|logit: &mut f32| {
            let normal: f32 = StandardNormal.sample(&mut draws);
            *logit = 3.0 * normal;
        });
        let weights: Vec<f64> = row.iter().map(|&logit| f64::from(0.5 * logit).exp()).collect();
        let mut left = draws.random::<f64>() * weights.iter().sum::<f64>();
        let label = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        labels.push(label.unwrap_or(classes - 1));
    }
    (table, labels)
}

/// One pass of log-softmax, as plainly as it can be written.
fn log_softmax(logits: ArrayView2<'_, f32>, out: &mut [f32]) {
    let classes = logits.ncols();
    let rows = logits.as_slice().unwrap().chunks_exact(classes);
    for (row, out) in rows.zip(out.chunks_exact_mut(classes)) {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = row.iter().map(|logit| (logit - largest).exp()).sum();
        let log = largest + sum.ln();
        out.iter_mut().zip(row).for_each(|(out, logit)| *out = logit - log);
    }
}

fn estimate(predictions: &Predictions<'_>, name: &str, threads: usize) -> f64 {
    let metrics = ["l1", "l2", "brier", "log"].map(|name| name.parse::<Metric>().unwrap());
    let learner = recalibrator(name).unwrap();
    let estimator = Estimator::new().recalibrator(learner).metrics(metrics).threads(threads);
    least_seconds(|| drop(estimator.estimate(predictions).unwrap()))
}

fn compare(what: &str, unit: f64, predictions: &Predictions<'_>, names: &[String]) {
    for name in names {
        let [one, two] = [1, 2].map(|threads| estimate(predictions, name, threads));
        println!(
            "| {what} | {name} | {one:.3} s | {two:.3} s | {:.1} | {:.1} | {:.2} |",
            one / unit,
            two / unit,
            one / two
        );
    }
}

/// Whether this number of rows and classes was asked for, or none was.
fn is_asked(sizes: &[(usize, usize)], size: (usize, usize)) -> bool {
    sizes.is_empty() || sizes.contains(&size)
}

fn main() {
    let size = |text: &str| -> Option<(usize, usize)> {
        let (rows, classes) = text.split_once('x')?;
        Some((rows.parse().ok()?, classes.parse().ok()?))
    };
    let (mut sizes, mut asked) = (Vec::new(), Vec::new());
    for text in std::env::args().skip(1).filter(|text| !text.starts_with('-')) {
        match size(&text) {
            Some(size) => sizes.push(size),
            None => asked.push(text),
        }
    }
    let names = |usual: [&str; 2]| {
        if asked.is_empty() { usual.map(str::to_owned).to_vec() } else { asked.clone() }
    };
    println!(
        "| rows x classes | recalibrator | one thread | two | in units: one | two | one/two |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for rows in [50_000, 1_000_000, 10_000_000] {
        if !is_asked(&sizes, (rows, 2)) {
            continue;
        }
        let predictions = simulate("binary-overconfident", rows, 0).unwrap();
        let column: Vec<f64> = predictions.probs().column(1).to_vec();
        let mut sorted = column.clone();
        let sort = least_seconds(|| {
            sorted.copy_from_slice(&column);
            sorted.sort_unstable_by(f64::total_cmp);
        });
        let predictions = Predictions::binary(&column, predictions.labels()).unwrap();
        println!("| {rows} x 2 | one sort | {sort:.3} s | | 1 | | |");
        compare(&format!("{rows} x 2"), sort, &predictions, &names(["isotonic", "auto"]));
    }
    for (rows, classes) in [(10_000, 10), (100_000, 100), (50_000, 1_000)] {
        if !is_asked(&sizes, (rows, classes)) {
            continue;
        }
        let (logits, labels) = logits(rows, classes);
        let mut out = vec![0.0; logits.len()];
        let pass = least_seconds(|| log_softmax(logits.view(), &mut out));
        drop(out);
        let predictions = Predictions::from_logits(logits.view(), &labels).unwrap();
        println!("| {rows} x {classes} | one log-softmax | {pass:.3} s | | 1 | | |");
        compare(
            &format!("{rows} x {classes}"),
            pass,
            &predictions,
            &names(["temperature", "auto"]),
        );
    }
}
