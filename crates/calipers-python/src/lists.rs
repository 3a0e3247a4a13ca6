//! What there is: recalibrators, metrics, simulations.

use calipers::{Metric, Parameter};
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;

use crate::error::raise;

/// Every recalibrator's name, what it is, and its parameters with their defaults and meanings.
#[pyfunction]
pub fn recalibrators() -> Vec<Listed> {
    calipers::recalibrators().map(|info| listed(info.name, info.about, info.parameters)).collect()
}

/// Every measure of others: the same.
#[pyfunction]
pub fn measures() -> Vec<Listed> {
    calipers::neighbours().map(|info| listed(info.name, info.about, info.parameters)).collect()
}

/// A name, what it is, and its parameters with their defaults and meanings.
type Listed = (&'static str, &'static str, Vec<(&'static str, &'static str, &'static str)>);

fn listed(name: &'static str, about: &'static str, parameters: &[Parameter]) -> Listed {
    (name, about, parameters.iter().map(|one| (one.name, one.default, one.about)).collect())
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
