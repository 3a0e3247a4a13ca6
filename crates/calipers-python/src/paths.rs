//! `calipers.evaluate` of files, read as the command line reads them.

use std::path::PathBuf;

use calipers::{Plan, Report};
use calipers_files::{Columns, Error, Inputs, Layout, Pass, Room, ScoreColumns, planned};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::background::{self, Caller};
use crate::error::input_error;
use crate::evaluate::as_dict;
use crate::options::Options;

/// Which columns of the files hold what, as the package names them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    label: Option<String>,
    probs: Option<Vec<String>>,
    logits: bool,
    weight: Option<String>,
    group: Option<String>,
    key: Option<String>,
    classes: Option<Vec<String>>,
    sample: Option<usize>,
    memory: u64,
}

/// Estimates the calibration errors of files; the report as a dictionary.
#[pyfunction]
#[pyo3(signature = (paths, columns, settings))]
pub fn evaluate_files<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    columns: &Bound<'py, PyDict>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let asked: Asked = columns.extract()?;
    let options = Options::read(settings)?;
    let threads = options.threads();
    let found = background::run(py, threads, |caller| {
        // What is wrong with a file is told in its own words.
        Ok(match estimated(&paths, &asked, options, &caller, threads) {
            Err(Fault::Core(error)) => return Err(error),
            Err(Fault::File(error)) => Err(error),
            Ok(report) => Ok(report),
        })
    })?;
    // Hints are left out: they name flags of the command line.
    let report = found.map_err(|error| input_error(py, error.message(), None, None, None))?;
    as_dict(py, report, None)
}

/// Whose error it is.
enum Fault {
    Core(calipers::Error),
    File(Error),
}

impl From<calipers::Error> for Fault {
    fn from(error: calipers::Error) -> Self {
        Self::Core(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

fn estimated(
    paths: &[PathBuf],
    asked: &Asked,
    options: Options,
    caller: &Caller,
    threads: usize,
) -> Result<Report, Fault> {
    let inputs = Inputs::find(paths)?;
    let layout = Layout::of(&inputs, &asked.columns())?;
    let most = planned(&layout, Room { memory: asked.memory, sample: asked.sample });
    let pass = || Pass::new(&inputs, &layout).threads(threads).stop(caller.stop());
    let estimator = options.estimator(caller);
    let stopped = |error: Error| match caller.stop().is_stopped() {
        true => Fault::Core(calipers::Error::Stopped),
        false => Fault::File(error),
    };
    let pick = pass().sample(most, estimator.own_seed()).map_err(stopped)?;
    let (plan, about): (Plan, _) = pick.plan(&estimator)?;
    if plan.is_everything() {
        return Ok(plan.sample_report().clone());
    }
    let tally = pass().count(&plan, &about).map_err(stopped)?;
    Ok(plan.finish(&tally)?)
}

impl Asked {
    fn columns(&self) -> Columns {
        let scores = self.probs.clone().map(|names| match self.logits {
            true => ScoreColumns::Logits(names),
            false => ScoreColumns::Probs(names),
        });
        Columns {
            label: self.label.clone(),
            scores,
            weight: self.weight.clone(),
            group: self.group.clone(),
            key: self.key.clone(),
            classes: self.classes.clone(),
            ..Columns::default()
        }
    }
}
