//! `calipers.neighbours`, after the package has brought everything into shape.

use calipers::{Neighbour, Neighbours};
use calipers_draw::text::{Look, measurements};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::Scores;
use crate::background;
use crate::error::raise;
use crate::evaluate::printed;
use crate::labels::{Labels, class_columns};
use crate::options::{each, unknown};

/// The options of `calipers.neighbours`.
struct Options {
    asked: Neighbours,
    class_names: Option<Vec<String>>,
    given: bool,
    from_logits: bool,
}

impl Options {
    /// Reads a dictionary; what is not in it, or None, is as the core has it.
    fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let asked = Neighbours::new();
        each(given, Self { asked, class_names: None, given: false, from_logits: false }, Self::with)
    }

    /// Applies one option.
    fn with(mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match name {
            "measures" => {
                for name in value.extract::<Vec<String>>()? {
                    let measure = name.parse::<Neighbour>();
                    self.asked =
                        self.asked.ask(measure.map_err(|error| raise(value.py(), &error))?);
                }
            }
            "seed" => self.asked = self.asked.seed(value.extract()?),
            "draws" => self.asked = self.asked.draws(value.extract()?),
            "class_names" => self.class_names = Some(value.extract()?),
            "given" => self.given = value.extract()?,
            "from_logits" => self.from_logits = value.extract()?,
            "threads" => self.asked = self.asked.threads(value.extract()?),
            _ => return Err(unknown(name)),
        }
        Ok(self)
    }
}

/// Measures calibration as others do; what they say as a dictionary.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings))]
pub fn neighbours<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let Options { asked, class_names, given, from_logits } = Options::read(settings)?;
    let view = scores.view();
    let columns = class_columns(view.columns(), class_names.as_deref(), given);
    let labels = labels.resolve(py, &columns)?;
    let threads = asked.threads_for(view.rows(), view.columns().max(2));
    let found = background::run(py, threads, |caller| {
        let predictions = view
            .predictions(&labels.codes, from_logits)?
            .with_class_names(labels.reading.classes.iter().cloned())?;
        // The calling thread listens for Ctrl-C for as long as there is a caller.
        let found = asked.measure(&predictions);
        drop(caller);
        found
    })?;
    let dict = PyDict::new(py);
    dict.set_item("json", format!("{:#}", found.to_json()))?;
    dict.set_item("text", printed(&measurements(&found, None, Look::PYTHON)))?;
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
