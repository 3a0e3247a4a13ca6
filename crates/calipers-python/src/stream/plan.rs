//! What is done with every batch of a stream.

use calipers::Error;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::batch::{BLOCK, Batch, Beside};
use super::reading::Reader;
use super::tally::Tally;
use crate::arrays::Scores;
use crate::background;
use crate::error::raise;
use crate::evaluate::as_dict;
use crate::labels::Labels;

/// Up to this many rows a batch takes less time than threads take to start.
const AT_ONCE: usize = 2_000;

/// A plan, with what the package has to know to read batches.
#[pyclass(frozen, module = "calipers._calipers")]
pub struct Plan {
    core: calipers::Plan,
    reader: Reader,
    remark: Option<String>,
    about: String,
}

impl Plan {
    /// A plan whose notes say how labels are read, and what the package has to say.
    pub fn new(
        core: calipers::Plan,
        reader: Reader,
        remark: Option<String>,
        about: String,
    ) -> Self {
        let notes = json!({ "labels": reader.to_json(), "remark": remark, "python": about });
        Self { core: core.with_notes(notes.to_string()), reader, remark, about }
    }
}

#[pymethods]
impl Plan {
    /// The tally of a batch.
    #[pyo3(signature = (labels, scores, beside, threads))]
    fn tally<'py>(
        &self,
        py: Python<'py>,
        labels: Labels<'py>,
        scores: Scores<'py>,
        beside: Beside<'py>,
        threads: usize,
    ) -> PyResult<Tally> {
        let (mut codes, found) = labels.occurring(py)?;
        let of_all = self.reader.codes(&found).map_err(|error| raise(py, &error))?;
        codes.iter_mut().for_each(|code| *code = of_all[*code as usize]);
        let batch = Batch::new(scores.view(), codes, beside).map_err(|error| raise(py, &error))?;
        let threads = if batch.count() <= AT_ONCE { 1 } else { threads };
        let core = background::run(py, threads, |caller| {
            let stop = caller.stop();
            self.tallied(&batch, &|| stop.is_stopped())
        })?;
        Ok(Tally { core })
    }

    /// The report of all rows.
    #[pyo3(signature = (tally))]
    fn finish<'py>(&self, py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
        let report = py.detach(|| self.core.finish(&tally.core));
        as_dict(py, report.map_err(|error| raise(py, &error))?, self.remark.as_deref())
    }

    /// What was found in the sample.
    fn sample_report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, self.core.sample_report().clone(), self.remark.as_deref())
    }

    /// The plan as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.core.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(|error| raise(py, &error))?))
    }

    /// The plan that was written.
    #[staticmethod]
    #[pyo3(signature = (data))]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let core = py.detach(|| calipers::Plan::from_bytes(data));
        let core = core.map_err(|error| raise(py, &error))?;
        // Without notes of ours, labels are the classes' names.
        let notes: Value = serde_json::from_str(core.notes()).unwrap_or_default();
        let reader = Reader::from_json(&notes["labels"], core.classes().len());
        let reader = reader.unwrap_or_else(|| Reader::of(core.classes()));
        let text = |name: &str| notes[name].as_str().map(str::to_owned);
        let (remark, about) = (text("remark"), text("python").unwrap_or_default());
        Ok(Self { core, reader, remark, about })
    }

    /// The text that the package gave.
    #[getter]
    fn about(&self) -> &str {
        &self.about
    }

    /// The classes' names.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.core.classes().to_vec()
    }

    /// How many rows are in the sample.
    #[getter]
    fn rows(&self) -> u64 {
        self.core.rows()
    }

    /// Whether the sample is everything.
    #[getter]
    fn is_everything(&self) -> bool {
        self.core.is_everything()
    }
}

impl Plan {
    /// Tallies stretches of a batch on as many threads as there are. However it is cut, the sums are the
    /// same to the last bit.
    fn tallied(
        &self,
        batch: &Batch<'_>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> calipers::Result<calipers::Tally> {
        let count = batch.count();
        let stretch = count.div_ceil(rayon::current_num_threads()).max(AT_ONCE);
        let starts: Vec<usize> = (0..count).step_by(stretch).collect();
        let of_stretch = |&start: &usize| {
            let (mut tally, end) = (self.core.tally(), (start + stretch).min(count));
            for from in (start..end).step_by(BLOCK) {
                if stopped() {
                    return Err(Error::Stopped);
                }
                let to = (from + BLOCK).min(end);
                batch.some(from, to, |rows| tally.add(&self.core, rows))?;
            }
            Ok(tally)
        };
        // In order, so that of several errors the first is told.
        let found: Vec<calipers::Result<calipers::Tally>> =
            starts.par_iter().map(of_stretch).collect();
        let mut found = found.into_iter();
        let mut whole = found.next().unwrap_or_else(|| Ok(self.core.tally()))?;
        found.try_for_each(|one| whole.merge(&one?))?;
        Ok(whole)
    }
}
