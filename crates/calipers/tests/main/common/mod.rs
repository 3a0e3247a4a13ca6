//! What several test programs share.

use std::fs::File;
use std::path::{Path, PathBuf};

use calipers::{Folds, Predictions};
use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads `probs`, `labels` and, where they are there, `weights` and `folds`.
pub fn read_npz(path: &Path) -> (Predictions<'static>, Option<Folds>) {
    let mut archive = NpzReader::new(File::open(path).unwrap()).unwrap();
    let probs: Array2<f32> = archive.by_name("probs").unwrap();
    let labels: Array1<i32> = archive.by_name("labels").unwrap();
    let probs = probs.mapv(f64::from);
    let mut predictions = Predictions::new(probs, labels.as_slice().unwrap()).unwrap();
    if let Ok(weights) = archive.by_name("weights") {
        let weights: Array1<f64> = weights;
        predictions = predictions.with_weights(weights.to_vec()).unwrap();
    }
    let folds: Option<Array1<i32>> = archive.by_name("folds").ok();
    let folds = folds.map(|ids| {
        Folds::from_ids(&ids.iter().map(|&id| i64::from(id)).collect::<Vec<_>>()).unwrap()
    });
    (predictions, folds)
}

/// The files of a folder with an extension, in order of their names.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}

/// The mean of values and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Whether simulations are to take as long as they like.
pub fn is_long() -> bool {
    std::env::var_os("CALIPERS_LONG").is_some_and(|value| value != "0")
}
