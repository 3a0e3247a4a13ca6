//! Figures as data for matplotlib, and the page as text.

use std::time::Instant;

use calipers::View;
use calipers_draw::{Page, Run as Made};
use pyo3::prelude::*;

use crate::arrays::Scores;
use crate::background;
use crate::evaluate::{Run, Settings};
use crate::labels::Labels;

/// A figure as JSON: `contribution`, or else the reliability diagram of a class or of what one looks
/// at first.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings, contribution, class_name))]
pub fn figure<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: Settings<'py>,
    contribution: bool,
    class_name: Option<String>,
) -> PyResult<String> {
    let view = scores.view();
    let labels = labels.resolve(py, view.columns(), settings.class_names.as_deref())?;
    let run = Run::new(py, &settings, view, &labels)?;
    let found = background::run(py, run.threads(), |caller| {
        run.with(&caller, |estimator, predictions| {
            if contribution {
                return estimator.contribution(predictions);
            }
            let view = match &class_name {
                None => View::of(predictions),
                Some(name) => View::class(predictions, name)?,
            };
            estimator.reliability(predictions, view)
        })
    })?;
    Ok(found.to_json().to_string())
}

/// The page as text.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings, name, notes))]
pub fn page<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: Settings<'py>,
    name: String,
    notes: Vec<String>,
) -> PyResult<String> {
    let view = scores.view();
    let labels = labels.resolve(py, view.columns(), settings.class_names.as_deref())?;
    let run = Run::new(py, &settings, view, &labels)?;
    let vector = settings.vector;
    let start = Instant::now();
    background::run(py, run.threads(), |caller| {
        run.with(&caller, |estimator, predictions| {
            let seen = estimator.examine(&[(&name, predictions)])?;
            let program = concat!("calipers ", env!("CARGO_PKG_VERSION"), " for Python");
            let mut made = Made::new(program, start.elapsed().as_secs_f64());
            (made.vector, made.notes) = (vector, notes);
            Ok(Page::new(&seen, made).html())
        })
    })
}
