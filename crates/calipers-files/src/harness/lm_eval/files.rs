//! The files that lm-evaluation-harness leaves in a directory: `samples_<task>_<date>.jsonl`, beside
//! `results_<date>.json` of the same run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::harness::runs::Run;
use crate::harness::walk::below;

/// All files of samples below some paths, which may be such files themselves.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Run<PathBuf>>> {
    let none = |name: String| {
        Error::input(format!("{name}: there is no file samples_<task>_<date>.jsonl"))
            .with_hint("run lm_eval with --log_samples and --output_path")
    };
    let found = below(paths, |path| parts(path).is_some(), none)?;
    Ok(found.into_iter().filter_map(run).collect())
}

/// The task and the date in the name of a file of samples.
fn parts(path: &Path) -> Option<(&str, &str)> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".jsonl")?.strip_prefix("samples_")?.rsplit_once('_')
}

/// The run that a file of samples is of.
fn run(path: PathBuf) -> Option<Run<PathBuf>> {
    let (task, date) = parts(&path)?;
    let folder = path.parent()?;
    let model = recorded(folder, date).or_else(|| {
        let folder = fs::canonicalize(folder).ok()?;
        Some(folder.file_name()?.to_string_lossy().into_owned())
    })?;
    Some(Run { model, task: task.to_owned(), date: date.to_owned(), known: path })
}

/// The name of the model, as the results of the same run have it.
fn recorded(folder: &Path, date: &str) -> Option<String> {
    let end = format!("_{date}.json");
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut own = entries.filter(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(&end))
    });
    let results: Value = serde_json::from_str(&fs::read_to_string(own.next()?).ok()?).ok()?;
    Some(results.get("model_name")?.as_str()?.to_owned()).filter(|name| !name.is_empty())
}
