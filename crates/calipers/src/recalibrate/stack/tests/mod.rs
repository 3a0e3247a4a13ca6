//! Each piece of the stack against a slow, obvious twin, and the stack as a whole.

mod kernel;
mod structured;
mod trees;
mod weights;
mod whole;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::training::Training;
use crate::{Predictions, Sample};

/// Predictions of any number of classes, over-confident: the observed class is drawn half the time
/// from the prediction and half the time from all classes.
fn drawn(rows: usize, classes: usize, seed: u64) -> Predictions<'static> {
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    let mut probs = ndarray::Array2::zeros((rows, classes));
    let mut labels = Vec::with_capacity(rows);
    for mut row in probs.rows_mut() {
        row.mapv_inplace(|_: f64| draws.random::<f64>().ln().powi(2) + 1e-3);
        let sum = row.sum();
        row.mapv_inplace(|p| p / sum);
        let mut left: f64 = draws.random();
        let by_prediction = row.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        let uniform = draws.random_range(0..classes);
        labels.push(by_prediction.filter(|_| draws.random::<bool>()).unwrap_or(uniform));
    }
    Predictions::new(probs, &labels).unwrap()
}

/// The same with labels drawn from the predictions.
fn calibrated(rows: usize, classes: usize, seed: u64) -> Predictions<'static> {
    let mut draws = ChaCha8Rng::seed_from_u64(seed + 1_000);
    let probs = drawn(rows, classes, seed).probs().to_owned();
    let labels: Vec<usize> = probs
        .rows()
        .into_iter()
        .map(|row| {
            let mut left: f64 = draws.random();
            let found = row.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            found.unwrap_or(0)
        })
        .collect();
    Predictions::new(probs, &labels).unwrap()
}

/// The same with weights 1, 2, 3, 1, 2, 3 and so on.
fn weighted(rows: usize, classes: usize, seed: u64) -> Predictions<'static> {
    let weights = (0..rows).map(|row| (1 + row % 3) as f64).collect();
    drawn(rows, classes, seed).with_weights(weights).unwrap()
}

fn training(predictions: &Predictions<'_>) -> Training {
    Training::new(&Sample::from(predictions), usize::MAX, 5)
}
