//! The files that lm-evaluation-harness leaves in a directory: `samples_<task>_<date>.jsonl`, beside
//! `results_<date>.json` of the same run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::folders::labels;
use super::groups::Groups;
use crate::error::{Error, Result};
use crate::harness::json;
use crate::harness::runs::Run;
use crate::harness::walk::below;

/// What is read of the results of a run; the rest of them is not.
#[derive(Debug, Default, Deserialize)]
struct Results {
    #[serde(default)]
    model_name: Value,
    #[serde(default)]
    group_subtasks: Value,
}

/// All files of samples below some paths, which may be such files themselves; and the groups that tasks are of.
pub fn find(paths: &[PathBuf]) -> Result<(Vec<Run<PathBuf>>, Groups)> {
    let none = |name: String| {
        Error::input(format!("{name}: there is no file samples_<task>_<date>.jsonl"))
            .with_hint("run lm_eval with --log_samples and --output_path")
    };
    let found = below(paths, |path| parts(path).is_some(), none)?;
    // A run has one file of results, and one of samples for each task: read it once.
    let mut known: BTreeMap<(PathBuf, String), Results> = BTreeMap::new();
    let mut runs: Vec<Run<PathBuf>> = Vec::new();
    for path in found {
        let (Some((task, date)), Some(folder)) = (parts(&path), path.parent()) else { continue };
        let key = (folder.to_owned(), date.to_owned());
        let results = known.entry(key).or_insert_with(|| results(folder, date).unwrap_or_default());
        let model = results.model_name.as_str().filter(|name| !name.is_empty());
        let Some(model) = model.map(str::to_owned).or_else(|| last_part(folder)) else { continue };
        let (task, date) = (task.to_owned(), date.to_owned());
        runs.push(Run { model, task, date, complete: true, known: path });
    }
    name_apart(&mut runs);
    let mut groups = Groups::default();
    known.values().for_each(|results| groups.add(&results.group_subtasks));
    Ok((runs, groups))
}

/// The task and the date in the name of a file of samples.
fn parts(path: &Path) -> Option<(&str, &str)> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".jsonl")?.strip_prefix("samples_")?.rsplit_once('_')
}

/// The results of the run that wrote samples at a date.
fn results(folder: &Path, date: &str) -> Option<Results> {
    let end = format!("_{date}.json");
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut own = entries.filter(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(&end))
    });
    json::of_file(&own.next()?).ok()
}

/// What a directory is called, by whichever path.
fn last_part(folder: &Path) -> Option<String> {
    Some(canonical(folder).file_name()?.to_string_lossy().into_owned())
}

fn canonical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Says the directory where several have runs of one name: quantised, or prompted otherwise, it is another model
/// to measure, and none of the runs repeats another.
fn name_apart(runs: &mut [Run<PathBuf>]) {
    let folder = |run: &Run<PathBuf>| run.known.parent().map(canonical).unwrap_or_default();
    let mut folders: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for run in &*runs {
        folders.entry(run.model.clone()).or_default().insert(folder(run));
    }
    folders.retain(|_, own| own.len() > 1);
    let labels: BTreeMap<_, _> =
        folders.into_iter().map(|(model, own)| (model, labels(&own))).collect();
    for run in runs {
        let label = labels.get(&run.model).and_then(|own| own.get(&folder(run)));
        if let Some(label) = label {
            run.model = format!("{} ({label})", run.model);
        }
    }
}
