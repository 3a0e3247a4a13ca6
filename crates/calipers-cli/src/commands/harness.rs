//! What commands that read the runs of a harness have in common.

use std::path::{Path, PathBuf};

use calipers::words::visible;
use calipers::{Estimator, Folds};
use calipers_draw::text::{self, note};
use calipers_files::LeftOut;
use calipers_files::words::file_name;
use serde_json::{Value, json};

use super::measure::{estimator, metrics};
use crate::args::{ColumnArgs, FittingArgs, MethodArgs, MetricArgs};
use crate::error::{Failure, Result};

/// The estimator of what is asked for, or of `defaults`.
pub fn asked(
    own: &MetricArgs,
    defaults: &[&str],
    method: &MethodArgs,
    columns: &ColumnArgs,
) -> Result<Estimator> {
    refuse_columns(&method.fitting)?;
    let named: Vec<&str> = match own.metric.as_slice() {
        [] => defaults.to_vec(),
        own => own.iter().map(String::as_str).collect(),
    };
    let folds = method.fitting.folds.map_or_else(Folds::default, Folds::Shuffled);
    Ok(estimator(metrics(named.into_iter())?, method, columns)?.fold_plan(folds))
}

/// Refuses options that name a column.
fn refuse_columns(fitting: &FittingArgs) -> Result<()> {
    let asked = [
        ("--fold-column", fitting.fold_column.is_some()),
        ("--cluster", fitting.cluster.is_some()),
        ("--time", fitting.time.is_some()),
    ];
    match asked.iter().find(|(_, said)| *said) {
        Some((flag, _)) => {
            Err(Failure::input(format!("{flag}: runs of a harness have no columns")))
        }
        None => Ok(()),
    }
}

/// Refuses to write a page under a name that no browser takes for one.
pub fn check_page(output: Option<&PathBuf>) -> Result<()> {
    let is_page =
        |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html"));
    match output.filter(|path| !is_page(path)) {
        Some(path) => {
            Err(Failure::input(format!("--output: {} does not end in .html", file_name(path))))
        }
        None => Ok(()),
    }
}

/// Says that nothing can be measured, and why.
pub fn nothing(left_out: &[LeftOut]) -> Failure {
    let lines = left_out.iter().map(|one| format!("  {}", said(one))).collect();
    Failure::input("no task can be measured").list(lines)
}

fn said(one: &LeftOut) -> String {
    format!("{} of {}: {}", visible(&one.task), visible(&one.model), one.reason)
}

/// What a reader should know of what was not read.
pub fn remarks(left_out: &[LeftOut], earlier: usize) -> Vec<String> {
    let mut all: Vec<String> =
        left_out.iter().map(|one| note(&format!("left out: {}", said(one)))).collect();
    if earlier > 0 {
        let files = text::count(earlier, "file");
        all.push(note(&format!("{files} of earlier runs of the same model and task passed over")));
    }
    all
}

/// The tasks that were left out, for programs.
pub fn left_out_json(left_out: &[LeftOut]) -> Value {
    let one = |one: &LeftOut| json!({ "model": one.model, "task": one.task, "reason": one.reason });
    left_out.iter().map(one).collect()
}
