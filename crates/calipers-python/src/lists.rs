//! What there is: recalibrators, metrics, simulations.

use calipers::Metric;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;

use crate::error::raise;

/// Every recalibrator's name, what it is, and its parameters with their defaults and meanings.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "the tuples are taken apart at once, in Python")]
pub fn recalibrators()
-> Vec<(&'static str, &'static str, Vec<(&'static str, &'static str, &'static str)>)> {
    let parameters = |info: &calipers::RecalibratorInfo| {
        info.parameters.iter().map(|one| (one.name, one.default, one.about)).collect()
    };
    calipers::recalibrators().map(|info| (info.name, info.about, parameters(&info))).collect()
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
