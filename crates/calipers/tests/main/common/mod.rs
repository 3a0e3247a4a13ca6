//! What several test programs share.

use std::path::{Path, PathBuf};

use calipers::{Folds, Predictions};
use calipers_files::{Columns, load};

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads `probs`, `labels` and, where they are there, `weights` and `folds`.
pub fn read_npz(path: &Path) -> (Predictions<'static>, Option<Folds>) {
    let loaded = load(path, &Columns::new(), &|_| {}).unwrap();
    (loaded.predictions, loaded.folds)
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
