//! The e-value that is updated as rows arrive.

use calipers::Monitor as Core;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::Scores;
use crate::background;
use crate::error::raise;

/// Up to this many cells a batch takes less time than a thread takes to start, and nobody could
/// interrupt it.
const AT_ONCE: usize = 10_000;

/// The evidence so far. It does not change: [`observe`](Self::observe) makes another.
#[pyclass(frozen, module = "calipers._calipers")]
pub struct Monitor {
    core: Core,
}

#[pymethods]
impl Monitor {
    #[new]
    #[pyo3(signature = (classes))]
    fn new(py: Python<'_>, classes: usize) -> PyResult<Self> {
        Ok(Self { core: Core::new(classes).map_err(|error| raise(py, &error))? })
    }

    /// The evidence with further rows, given the class of each.
    #[pyo3(signature = (scores, codes, from_logits, cluster))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        scores: Scores<'py>,
        codes: PyReadonlyArray1<'py, u32>,
        from_logits: bool,
        cluster: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let view = scores.view();
        let codes = codes.as_array().to_vec();
        let mut core = self.core.clone();
        let work = || {
            let mut predictions = view.predictions(&codes, from_logits)?;
            if let Some(cluster) = &cluster {
                predictions = predictions.with_clusters(cluster)?;
            }
            core.observe(&predictions)?;
            Ok(core)
        };
        let core = if view.rows().saturating_mul(view.columns()) <= AT_ONCE {
            py.detach(work).map_err(|error| raise(py, &error))?
        } else {
            background::run(py, 1, |_| work())?
        };
        Ok(Self { core })
    }

    /// The logarithm of the e-value.
    #[getter]
    fn log_e_value(&self) -> f64 {
        self.core.log_e_value()
    }

    /// The logarithm of the largest e-value so far.
    #[getter]
    fn log_largest(&self) -> f64 {
        self.core.log_largest()
    }

    /// The e-value.
    #[getter]
    fn e_value(&self) -> f64 {
        self.core.e_value()
    }

    /// The largest e-value so far.
    #[getter]
    fn largest(&self) -> f64 {
        self.core.largest()
    }

    /// The p-value that holds at all times at once.
    #[getter]
    fn p_value(&self) -> f64 {
        self.core.p_value()
    }

    /// The number of rows so far.
    #[getter]
    fn rows(&self) -> usize {
        self.core.rows()
    }

    /// The number of classes.
    #[getter]
    fn classes(&self) -> usize {
        self.core.classes()
    }

    /// The number of rows of a class whose probability was 0.
    #[getter]
    fn impossible_rows(&self) -> usize {
        self.core.impossible_rows()
    }

    /// Everything it knows as JSON text.
    fn to_json(&self) -> String {
        self.core.to_json()
    }

    /// What was saved as JSON text.
    #[staticmethod]
    #[pyo3(signature = (text))]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Ok(Self { core: Core::from_json(text).map_err(|error| raise(py, &error))? })
    }
}
