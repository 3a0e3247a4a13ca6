//! What there is: recalibrators, metrics, simulations.

use calipers::Metric;
use calipers_draw::text::lists::described;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;

use crate::error::raise;

/// Every recalibrator's name, and what it is with its parameters' defaults.
#[pyfunction]
pub fn recalibrators() -> Vec<(&'static str, String)> {
    calipers::recalibrators().map(|one| (one.name, described(one.about, one.parameters))).collect()
}

/// Every measure of others: the same.
#[pyfunction]
pub fn measures() -> Vec<(&'static str, String)> {
    calipers::neighbours().map(|one| (one.name, described(one.about, one.parameters))).collect()
}

/// The parts that a metric's name is made of, and what each means.
#[pyfunction]
pub fn metrics() -> Vec<(&'static str, &'static str)> {
    let parts = Metric::LOSSES.iter().chain(Metric::SCOPES).chain(Metric::SIDES);
    parts.filter(|part| !part.name.is_empty()).map(|part| (part.name, part.about)).collect()
}

/// Labels and probabilities of a setting whose truth is known.
#[pyfunction]
#[pyo3(signature = (name, rows, seed))]
#[allow(clippy::type_complexity, reason = "the tuple is taken apart at once, in Python")]
pub fn simulate<'py>(
    py: Python<'py>,
    name: &str,
    rows: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<f64>>)> {
    let drawn = py.detach(|| calipers::simulate(name, rows, seed));
    let drawn = drawn.map_err(|error| raise(py, &error))?;
    Ok((drawn.labels().to_pyarray(py), drawn.probs().to_pyarray(py)))
}

/// The classes' names by those of their columns: without a prefix that all share.
#[pyfunction]
#[pyo3(signature = (columns))]
pub fn class_names(columns: Vec<String>) -> Vec<String> {
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    calipers::labels::class_names(&columns)
}
