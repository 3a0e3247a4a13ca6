//! How the cost of boosted trees grows with rows and classes: one table, seconds an estimate.
//!
//! `cargo bench --bench boost` measures `boost` with five folds on all threads; other
//! recalibrators can be named after `--`. What would take longer than two minutes, by what ten
//! times fewer rows took, is left out.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::time::Instant;

use calipers::{Estimator, Predictions, recalibrator};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

const ROWS: [usize; 3] = [10_000, 100_000, 1_000_000];
const CLASSES: [usize; 3] = [2, 10, 100];
const PATIENCE: f64 = 120.0;

/// Predictions from Dirichlet(1/2), labels from softmax(0.4 ln f): an over-confident model.
fn predictions(rows: usize, classes: usize) -> Predictions<'static> {
    let mut draws = ChaCha8Rng::seed_from_u64(0);
    let gamma = Gamma::new(0.5, 1.0).unwrap();
    let mut probs = Array2::zeros((rows, classes));
    let mut labels = Vec::with_capacity(rows);
    for mut row in probs.rows_mut() {
        row.iter_mut().for_each(|p: &mut f64| *p = gamma.sample(&mut draws));
        row /= row.sum();
        let truth = row.mapv(|p| p.powf(0.4));
        let mut left = draws.random::<f64>() * truth.sum();
        let label = truth.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        labels.push(label.unwrap_or(classes - 1));
    }
    Predictions::new(probs, &labels).unwrap()
}

fn main() {
    // Cargo adds `--bench`.
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let names = if named.is_empty() { vec!["boost".to_owned()] } else { named };
    for name in names {
        println!("{name}, 5 folds, seconds an estimate");
        println!(
            "{:>10} {}",
            "rows",
            CLASSES.map(|k| format!("{:>11}", format!("k = {k}"))).concat()
        );
        let mut before = [0.0; CLASSES.len()];
        for rows in ROWS {
            print!("{rows:>10} ");
            for (classes, before) in CLASSES.iter().zip(&mut before) {
                if *before * 10.0 > PATIENCE {
                    print!("{:>11}", "-");
                    *before = f64::INFINITY;
                    continue;
                }
                let predictions = predictions(rows, *classes);
                let start = Instant::now();
                let chosen = recalibrator(&name).unwrap();
                Estimator::new().recalibrator(chosen).estimate(&predictions).unwrap();
                *before = start.elapsed().as_secs_f64();
                print!("{before:>11.3}");
            }
            println!();
        }
    }
}
