//! Recalibrators that are fitted once, to be used.

use std::sync::Arc;

use calipers::{
    FeatureRows, Fitted, LabelKind, ModelNotes, Preserve, Purpose, Result, Sample, informed,
    load_model, preserving, recalibrator, save_model,
};
use ndarray::{Array2, ArrayView2};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::Scores;
use crate::background;
use crate::error::raise;
use crate::features::Known;

/// A fitted recalibrator of the core.
#[pyclass(frozen, module = "calipers._calipers")]
pub struct Model {
    fitted: Box<dyn Fitted>,
}

#[pymethods]
impl Model {
    /// Recalibrated probabilities, one column a class, of rows with the features that it was learnt from.
    #[pyo3(signature = (scores, features, from_logits, threads))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        scores: Scores<'py>,
        features: Option<Known>,
        from_logits: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let view = scores.view();
        let g = background::run(py, threads, |_| {
            let f = view.probabilities(from_logits)?;
            match features {
                None => self.fitted.predict(f.probs().view()),
                Some(features) => self.given(f.probs().view(), features),
            }
        })?;
        Ok(PyArray2::from_owned_array(py, g))
    }

    /// The names of the features that it was learnt from.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.fitted.features()
    }

    /// Whether the fit met its tolerance.
    #[getter]
    fn converged(&self) -> bool {
        self.fitted.converged()
    }

    /// The order that it keeps, by how much more log loss and by how much more Brier score on the rows
    /// that it was fitted to; if it keeps any.
    #[getter]
    fn kept_order(&self) -> Option<(&'static str, f64, f64)> {
        let kept = self.fitted.kept_order()?;
        let name = ORDERS.iter().find(|(_, order)| *order == kept.preserve)?.0;
        Some((name, kept.log, kept.brier))
    }

    /// The model as JSON text, with what is known about it, if anything is.
    #[pyo3(signature = (about=None))]
    fn to_json(&self, py: Python<'_>, about: Option<Notes>) -> PyResult<String> {
        let about = about.map(ModelNotes::from).unwrap_or_default();
        save_model(self.fitted.as_ref(), &about).map_err(|error| raise(py, &error))
    }

    /// Models are pickled as JSON.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let from_json = py.get_type::<Self>().getattr("from_json")?;
        Ok((from_json, (self.to_json(py, None)?,)))
    }

    /// The model that was saved as JSON text; it predicts the same bits.
    #[staticmethod]
    #[pyo3(signature = (text))]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Ok(load(py, text)?.0)
    }

    /// The same, and what is known about it.
    #[staticmethod]
    #[pyo3(signature = (text))]
    fn load(py: Python<'_>, text: &str) -> PyResult<(Self, Notes)> {
        load(py, text)
    }
}

impl Model {
    /// Predicts rows with features. A column in which no value is known, as a single row may have one, is of
    /// whichever kind it was when the model was learnt.
    fn given(&self, f: ArrayView2<'_, f64>, mut features: Known) -> Result<Array2<f64>> {
        loop {
            let table = FeatureRows::all(Arc::new(features.clone().features()?));
            match self.fitted.predict_given(f, &table, &[Purpose::Use]) {
                Ok(mut tables) => return Ok(tables.swap_remove(0)),
                Err(error) if features.turn(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn load(py: Python<'_>, text: &str) -> PyResult<(Model, Notes)> {
    let model = load_model(text).map_err(|error| raise(py, &error))?;
    Ok((Model { fitted: model.fitted }, model.about.into()))
}

/// What is known about a model, as a dictionary.
#[derive(FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct Notes {
    recalibrator: Option<String>,
    classes: Option<Vec<String>>,
    labels: Option<String>,
    columns: Option<Vec<String>>,
    features: Option<usize>,
    logits: bool,
}

/// How the kinds of labels are called in Python.
const KINDS: [(&str, LabelKind); 3] =
    [("str", LabelKind::Text), ("int", LabelKind::Integer), ("bool", LabelKind::Boolean)];

/// How the orders that can be kept are called in Python.
const ORDERS: [(&str, Preserve); 2] =
    [("ranking", Preserve::Ranking), ("accuracy", Preserve::Accuracy)];

impl From<Notes> for ModelNotes {
    fn from(notes: Notes) -> Self {
        let Notes { recalibrator, classes, labels, columns, features, logits } = notes;
        let kind = |name: String| KINDS.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind);
        Self { recalibrator, classes, labels: labels.and_then(kind), columns, features, logits }
    }
}

impl From<ModelNotes> for Notes {
    fn from(notes: ModelNotes) -> Self {
        let ModelNotes { recalibrator, classes, labels, columns, features, logits } = notes;
        let name =
            |kind| KINDS.iter().find(|(_, own)| *own == kind).map(|(name, _)| (*name).into());
        Self { recalibrator, classes, labels: labels.and_then(name), columns, features, logits }
    }
}

/// Fits a recalibrator of the core to the class of each row, and to features if there are any.
#[pyfunction]
#[pyo3(signature = (name, preserve, scores, codes, weights, features, seed, from_logits, threads))]
#[allow(clippy::too_many_arguments, reason = "called once, in Python")]
pub fn fit_model<'py>(
    py: Python<'py>,
    name: &str,
    preserve: Option<&str>,
    scores: Scores<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    features: Option<Known>,
    seed: u64,
    from_logits: bool,
    threads: usize,
) -> PyResult<Model> {
    let mut recalibrator = recalibrator(name).map_err(|error| raise(py, &error))?;
    let order = preserve.and_then(|name| ORDERS.iter().find(|(own, _)| *own == name));
    if let Some((_, order)) = order {
        recalibrator = preserving(recalibrator, *order);
    }
    if features.is_some() {
        recalibrator = informed(recalibrator);
    }
    let view = scores.view();
    let codes = codes.as_array().to_vec();
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let fitted = background::run(py, threads, |_| {
        let mut predictions = view.predictions(&codes, from_logits)?;
        if let Some(weights) = weights {
            predictions = predictions.with_weights(weights)?;
        }
        if let Some(features) = features {
            predictions = predictions.with_features(features.features()?)?;
        }
        recalibrator.fit(&Sample::from(&predictions), seed)
    })?;
    Ok(Model { fitted })
}
