//! Figures as data for matplotlib, and the page as text.

use std::time::Instant;

use calipers::View;
use calipers_draw::text::{Face, note};
use calipers_draw::{Page, Run};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Scores;
use crate::background;
use crate::labels::Labels;
use crate::options::Options;

/// A figure as JSON: `contribution`, or else the reliability diagram of a class or of what one looks
/// at first.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings, contribution, class_name))]
pub fn figure<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: &Bound<'py, PyDict>,
    contribution: bool,
    class_name: Option<String>,
) -> PyResult<String> {
    let mut options = Options::read(settings)?;
    let view = scores.view();
    let labels = options.resolve(py, &labels, view.columns())?;
    let found = background::run(py, options.threads(), |caller| {
        let predictions = options.predictions(view, &labels)?;
        let estimator = options.estimator(&caller);
        if contribution {
            return estimator.contribution(&predictions);
        }
        let view = match &class_name {
            None => View::of(&predictions),
            Some(name) => View::class(&predictions, name)?,
        };
        estimator.reliability(&predictions, view)
    })?;
    Ok(found.to_json().to_string())
}

/// The page as text.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings, name))]
pub fn page<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: &Bound<'py, PyDict>,
    name: String,
) -> PyResult<String> {
    let mut options = Options::read(settings)?;
    let view = scores.view();
    let labels = options.resolve(py, &labels, view.columns())?;
    let vector = options.vector;
    let start = Instant::now();
    background::run(py, options.threads(), |caller| {
        let predictions = options.predictions(view, &labels)?;
        let seen = options.estimator(&caller).examine(&[(&name, &predictions)])?;
        let program = concat!("calipers ", env!("CARGO_PKG_VERSION"), " for Python");
        let mut run = Run::new(program, start.elapsed().as_secs_f64());
        run.vector = vector;
        run.face = Face::Python;
        run.notes.extend(labels.reading.remark.as_deref().map(note));
        Ok(Page::new(&seen, run).html())
    })
}
