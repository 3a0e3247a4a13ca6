//! The files that lm-evaluation-harness leaves in a directory: `samples_<task>_<date>.jsonl`, beside
//! `results_<date>.json` of the same run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Error, Result, unreadable};
use crate::words::file_name;

/// Directories within directories, at most.
const DEEPEST: usize = 16;

/// The samples of one task of one run.
#[derive(Debug, Clone)]
pub struct Samples {
    pub path: PathBuf,
    pub model: String,
    pub task: String,
    /// When it was, in letters that sort by time.
    pub date: String,
}

/// All files of samples below some paths, which may be such files themselves.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Samples>> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        walk(path, DEEPEST, &mut found)?;
        if found.len() == before {
            return Err(Error::input(format!(
                "{}: there is no file samples_<task>_<date>.jsonl",
                file_name(path)
            ))
            .with_hint("run lm_eval with --log_samples and --output_path"));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    Ok(found)
}

fn walk(path: &Path, deep: usize, found: &mut Vec<Samples>) -> Result<()> {
    let name = file_name(path);
    let about = fs::metadata(path).map_err(|error| unreadable(&name, &error))?;
    if !about.is_dir() {
        found.extend(samples(path));
        return Ok(());
    }
    if deep == 0 {
        return Err(Error::input(format!("{name}: it is too deep within other directories")));
    }
    let entries = fs::read_dir(path).map_err(|error| unreadable(&name, &error))?;
    let mut inner: Vec<PathBuf> = Vec::new();
    for entry in entries {
        inner.push(entry.map_err(|error| unreadable(&name, &error))?.path());
    }
    inner.sort();
    inner.iter().try_for_each(|path| walk(path, deep - 1, found))
}

/// A file of samples, by its name.
fn samples(path: &Path) -> Option<Samples> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.strip_prefix("samples_")?;
    let (task, date) = stem.rsplit_once('_')?;
    let folder = path.parent()?;
    let model = recorded(folder, date).or_else(|| {
        let folder = fs::canonicalize(folder).ok()?;
        Some(folder.file_name()?.to_string_lossy().into_owned())
    })?;
    Some(Samples { path: path.to_owned(), model, task: task.to_owned(), date: date.to_owned() })
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
