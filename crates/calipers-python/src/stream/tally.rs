//! What was seen of a stream.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::raise;

/// Sums over rows. It does not change: [`plus`](Self::plus) makes another.
#[pyclass(frozen, module = "calipers._calipers")]
pub struct Tally {
    pub core: calipers::Tally,
}

#[pymethods]
impl Tally {
    /// This one and others as one.
    #[pyo3(signature = (others))]
    fn plus(&self, py: Python<'_>, others: Vec<Py<Self>>) -> PyResult<Self> {
        let others: Vec<&Self> = others.iter().map(Py::get).collect();
        let whole = py.detach(|| {
            let mut whole = self.core.clone();
            others.iter().try_for_each(|other| whole.merge(&other.core))?;
            Ok(whole)
        });
        Ok(Self { core: whole.map_err(|error| raise(py, &error))? })
    }

    /// How many rows it has seen.
    #[getter]
    fn rows(&self) -> u64 {
        self.core.rows()
    }

    /// The tally as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.core.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(|error| raise(py, &error))?))
    }

    /// The tally that was written.
    #[staticmethod]
    #[pyo3(signature = (data))]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let core = py.detach(|| calipers::Tally::from_bytes(data));
        Ok(Self { core: core.map_err(|error| raise(py, &error))? })
    }
}
