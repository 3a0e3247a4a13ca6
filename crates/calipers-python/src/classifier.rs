//! A recalibrator that lives in Python: any scikit-learn classifier.

use std::sync::Arc;

use calipers::{Error, Fitted, Purpose, Recalibrator, Result, Sample};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::background::Caller;

/// A recalibrator whose fits are made by the calling thread.
///
/// The Python object has a method `fit(f, labels, weights, seed)`, whose result has a method
/// `predict(f)`; `calipers._classifier` wraps classifiers in that.
pub struct Classifier {
    /// The Python object.
    pub object: Arc<Py<PyAny>>,
    /// What it goes by in reports.
    pub name: String,
    /// The way to the thread that may run it.
    pub caller: Caller,
}

impl Recalibrator for Classifier {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        let f = sample.probs().to_owned();
        let labels = sample.labels().to_vec();
        let weights: Vec<f64> = (0..sample.rows()).map(|row| sample.weight(row)).collect();
        let object = Arc::clone(&self.object);
        let fitted = self.caller.ask(move |py| {
            let f = PyArray2::from_owned_array(py, f);
            let labels = PyArray1::from_vec(py, labels);
            let weights = PyArray1::from_vec(py, weights);
            let fitted = object.bind(py).call_method1("fit", (f, labels, weights, seed))?;
            Ok(fitted.unbind())
        })?;
        Ok(Box::new(FittedClassifier { object: Arc::new(fitted), caller: self.caller.clone() }))
    }
}

struct FittedClassifier {
    object: Arc<Py<PyAny>>,
    caller: Caller,
}

impl Fitted for FittedClassifier {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        _purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        let (owned, shape) = (f.to_owned(), f.dim());
        let object = Arc::clone(&self.object);
        let predicted: Array2<f64> = self.caller.ask(move |py| {
            let f = PyArray2::from_owned_array(py, owned);
            let g = object.bind(py).call_method1("predict", (f,))?;
            Ok(g.cast::<PyArray2<f64>>()?.to_owned_array())
        })?;
        if predicted.dim() != shape {
            let reason = format!("predictions of shape {:?}, not {shape:?}", predicted.dim());
            return Err(Error::External { reason });
        }
        g.assign(&predicted);
        Ok(())
    }
}
