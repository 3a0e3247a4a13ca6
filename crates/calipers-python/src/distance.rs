//! A distance that lives in Python: a pair of vectorised callables.

use std::fmt;
use std::sync::Arc;

use calipers::{Distance, Metric};
use ndarray::{ArrayView2, ArrayViewMut2, aview1};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::background::Caller;

/// Rows in one call: so many that the call costs nothing beside the work, and so few that their
/// copies fit into the processor's cache.
const BLOCK: usize = 16_384;

/// A `calipers.Distance`: its method `evaluate(f, z)` returns the distances and the subgradients of
/// all rows, checked.
pub struct PythonDistance {
    name: String,
    object: Arc<Py<PyAny>>,
}

impl PythonDistance {
    /// Takes the Python object.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = object.getattr("name")?.extract()?;
        Ok(Self { name, object: Arc::new(object.clone().unbind()) })
    }

    /// The metric that asks the calling thread.
    pub fn metric(self, caller: &Caller) -> Metric {
        let asked = Asked { object: self.object, caller: caller.clone() };
        Metric::distance(self.name, asked)
    }
}

struct Asked {
    object: Arc<Py<PyAny>>,
    caller: Caller,
}

impl fmt::Debug for Asked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a distance in Python")
    }
}

impl Distance for Asked {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        let (mut value, mut slopes) = ([0.0], vec![0.0; f.len()]);
        self.one(f, z, &mut value, &mut slopes);
        value[0]
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        self.one(f, z, &mut [0.0], out);
    }

    fn block(&self) -> usize {
        BLOCK
    }

    fn rows(
        &self,
        f: ArrayView2<'_, f64>,
        z: ArrayView2<'_, f64>,
        values: &mut [f64],
        mut slopes: ArrayViewMut2<'_, f64>,
    ) {
        let (owned_f, owned_z) = (f.to_owned(), z.to_owned());
        let object = Arc::clone(&self.object);
        let answer = self.caller.ask(move |py| {
            let f = PyArray2::from_owned_array(py, owned_f);
            let z = PyArray2::from_owned_array(py, owned_z);
            let answer = object.bind(py).call_method1("evaluate", (f, z))?;
            let (values, slopes): (Bound<'_, PyArray1<f64>>, Bound<'_, PyArray2<f64>>) =
                answer.extract()?;
            Ok((values.to_vec()?, slopes.to_owned_array()))
        });
        // Without an answer the estimate is being stopped, and nobody will look at the scores. The
        // package has checked that the shapes are right.
        if let Ok((found, subgradients)) = answer
            && found.len() == values.len()
            && subgradients.dim() == slopes.dim()
        {
            values.copy_from_slice(&found);
            slopes.assign(&subgradients);
        }
    }
}

impl Asked {
    /// One row; only reached by a metric that cannot be asked for in Python.
    fn one(&self, f: &[f64], z: &[f64], value: &mut [f64], slopes: &mut [f64]) {
        let (f, z) = (aview1(f).insert_axis(ndarray::Axis(0)), aview1(z));
        let slopes = ndarray::aview_mut1(slopes).insert_axis(ndarray::Axis(0));
        self.rows(f, z.insert_axis(ndarray::Axis(0)), value, slopes);
    }
}
