//! Files in a directory of their own, and what is estimated of them.

pub mod npy;
pub mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use calipers::{Estimator, Folds, Metric, recalibrator};
use calipers_files::{Columns, load};
use serde_json::Value;
use tempfile::TempDir;

pub use rows::{delimited, rows};

/// A directory that goes away with the test.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// The report on a file, quick and the same every time, without the names of its columns; no metrics are
/// the default ones.
pub fn report(file: impl AsRef<Path>, columns: &Columns, metrics: &[&str]) -> Value {
    let loaded = load(file, columns, &|_| {}).unwrap();
    let metrics: Vec<Metric> = metrics.iter().map(|name| name.parse().unwrap()).collect();
    let report = Estimator::new()
        .metrics(metrics)
        .recalibrator(recalibrator("temperature").unwrap())
        .fold_plan(loaded.folds.unwrap_or(Folds::Shuffled(5)))
        .estimate(&loaded.predictions);
    let mut json = report.unwrap().to_json();
    assert!(json.as_object_mut().unwrap().remove("columns").is_some());
    json
}
