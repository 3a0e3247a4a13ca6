//! `calipers.neighbours`, after the package has brought everything into shape.

use calipers::{Neighbour, Neighbours};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::Scores;
use crate::background;
use crate::error::raise;
use crate::labels::Labels;

/// Everything that can be set, as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    measures: Vec<String>,
    seed: u64,
    draws: Option<usize>,
    class_names: Option<Vec<String>>,
    from_logits: bool,
    threads: usize,
}

/// Measures calibration as others do; what they say as a dictionary.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings))]
pub fn neighbours<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: Settings,
) -> PyResult<Bound<'py, PyDict>> {
    let view = scores.view();
    let labels = labels.resolve(py, view.columns(), settings.class_names.as_deref())?;
    let mut asked = Neighbours::new().seed(settings.seed).threads(settings.threads);
    for name in &settings.measures {
        asked = asked.ask(name.parse::<Neighbour>().map_err(|error| raise(py, &error))?);
    }
    if let Some(draws) = settings.draws {
        asked = asked.draws(draws);
    }
    let threads = asked.threads_for(view.rows(), view.columns().max(2));
    let found = background::run(py, threads, |caller| {
        let predictions = view
            .predictions(&labels.codes, settings.from_logits)?
            .with_class_names(labels.reading.classes.iter().cloned())?;
        // The calling thread listens for Ctrl-C for as long as there is a caller.
        let found = asked.measure(&predictions);
        drop(caller);
        found
    })?;
    let dict = PyDict::new(py);
    dict.set_item("json", format!("{:#}", found.to_json()))?;
    let measures = PyList::empty(py);
    for one in found.found {
        let fields = PyDict::new(py);
        fields.set_item("name", one.name)?;
        fields.set_item("value", one.value)?;
        fields.set_item("p_value", one.p_value)?;
        let details = PyDict::new(py);
        for (name, value) in one.details {
            details.set_item(name, value)?;
        }
        fields.set_item("details", details)?;
        fields.set_item("reason", one.reason)?;
        measures.append(fields)?;
    }
    dict.set_item("measures", measures)?;
    dict.set_item("n", found.rows)?;
    dict.set_item("classes", found.classes)?;
    dict.set_item("left_out", found.left_out)?;
    Ok(dict)
}
