//! The sample of a stream, and the plan that is made of it.

use std::collections::HashMap;
use std::mem;

use calipers::labels::Label;
use calipers::{Error, Sampler as Core};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::batch::{BLOCK, Batch, Beside};
use super::plan::Plan;
use super::reading::Seen;
use crate::arrays::Scores;
use crate::background;
use crate::error::raise;
use crate::labels::{Labels, class_columns};
use crate::options::Options;

/// Different labels at the most before they are looked at: whoever has more has named another column.
const MOST_LABELS: usize = 10_000;

/// Draws the sample of a stream.
#[pyclass(module = "calipers._calipers")]
pub struct Sampler {
    core: Core,
    labels: Seen,
    columns: Option<usize>,
    names: Option<Vec<String>>,
    given: bool,
    groups: Vec<String>,
    group_codes: HashMap<String, u32>,
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (sample, seed, names, given))]
    fn new(sample: usize, seed: u64, names: Option<Vec<String>>, given: bool) -> Self {
        Self {
            core: Core::new(sample, seed),
            labels: Seen::default(),
            columns: None,
            names,
            given,
            groups: Vec::new(),
            group_codes: HashMap::new(),
        }
    }

    /// Says which labels there are, also elsewhere.
    #[pyo3(signature = (labels))]
    fn expect(&mut self, py: Python<'_>, labels: Labels<'_>) -> PyResult<()> {
        let (_, found) = labels.occurring(py)?;
        // They are no rows of this stream.
        let found = found.into_iter().map(|label| Label { count: 0, ..label }).collect();
        self.labels.add(found, 0);
        Ok(())
    }

    /// Looks at a batch.
    #[pyo3(signature = (labels, scores, beside))]
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        labels: Labels<'py>,
        scores: Scores<'py>,
        beside: Beside<'py>,
    ) -> PyResult<()> {
        let view = scores.view();
        let (mut codes, found) = labels.occurring(py)?;
        let columns = *self.columns.get_or_insert(view.columns());
        let of_all = self.labels.add(found, codes.len());
        codes.iter_mut().for_each(|code| *code = of_all[*code as usize]);
        if self.labels.count() > MOST_LABELS.max(2 * columns) {
            self.labels
                .read(&class_columns(columns, self.names.as_deref(), self.given))
                .map_err(|error| raise(py, &error))?;
        }
        let mut batch = Batch::new(view, codes, beside).map_err(|error| raise(py, &error))?;
        if let Some(groups) = batch.groups_mut() {
            self.known_groups(groups);
        }
        let core = &mut self.core;
        background::run(py, 1, |caller| {
            for from in (0..batch.count()).step_by(BLOCK) {
                if caller.stop().is_stopped() {
                    return Err(Error::Stopped);
                }
                let to = (from + BLOCK).min(batch.count());
                batch.some(from, to, |rows| core.add(rows))?;
            }
            Ok(())
        })
    }

    /// How many rows it has seen.
    #[getter]
    fn seen(&self) -> u64 {
        self.core.seen()
    }

    /// Makes the plan, and is empty then. `about` is a text that the plan keeps for the package.
    #[pyo3(signature = (settings, about))]
    fn plan(
        &mut self,
        py: Python<'_>,
        settings: &Bound<'_, PyDict>,
        about: &str,
    ) -> PyResult<Plan> {
        let options = Options::read(settings)?;
        if self.core.seen() == 0 {
            return Err(raise(py, &Error::Empty));
        }
        let columns = options.class_columns(self.columns.unwrap_or(2));
        let (reading, reader) = self.labels.read(&columns).map_err(|error| raise(py, &error))?;
        let codes: Vec<u32> = reading.codes.iter().map(|&code| code as u32).collect();
        let sampler = mem::replace(&mut self.core, Core::new(0, 0));
        let (classes, groups) = (&reading.classes, &self.groups);
        let origin = options.origin();
        let core = background::run(py, options.threads(), |caller| {
            let drawn = sampler.finish()?;
            calipers::Plan::fit(&options.estimator(&caller), drawn, &codes, classes, groups)
        })?;
        let core = match origin {
            Some(origin) => core.with_origin(origin),
            None => core,
        };
        Ok(Plan::new(core, reader, reading.remark, about.to_owned()))
    }
}

impl Sampler {
    /// Changes the codes of a batch's groups to those of the groups of all batches.
    fn known_groups(&mut self, (codes, names): &mut (Vec<u32>, Vec<String>)) {
        let of_all: Vec<u32> = names
            .iter()
            .map(|name| {
                *self.group_codes.entry(name.clone()).or_insert_with(|| {
                    self.groups.push(name.clone());
                    self.groups.len() as u32 - 1
                })
            })
            .collect();
        codes
            .iter_mut()
            .for_each(|code| *code = of_all.get(*code as usize).copied().unwrap_or(*code));
        names.clone_from(&self.groups);
    }
}
