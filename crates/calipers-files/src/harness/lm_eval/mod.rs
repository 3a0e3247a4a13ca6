//! lm-evaluation-harness: the samples of its runs.

mod files;
mod folders;
mod groups;
mod line;
mod questions;
mod samples;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use self::files::find;
use self::samples::questions;
use super::runs::{LeftOut, Run, latest};
use crate::error::Result;
pub use questions::{Question, Questions};

/// The questions that models answered, read from what `lm_eval --log_samples --output_path` wrote.
///
/// ```
/// use calipers_files::LmEval;
///
/// let folder = tempfile::tempdir()?;
/// let model = folder.path().join("org__model");
/// std::fs::create_dir(&model)?;
/// let line = r#"{"doc_id": 0, "target": "1", "filtered_resps": [["-2.5", "False"], ["-0.5", "False"]], "acc": 1.0}"#;
/// std::fs::write(model.join("samples_arc_easy_2026-01-31T12-00-00.jsonl"), line)?;
/// let found = LmEval::read(&[folder.path().to_owned()], &[])?;
/// assert_eq!(found.models[0].name, "org__model");
/// assert_eq!(found.models[0].questions.tasks()["arc_easy"], (1, 2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct LmEval {
    /// The models, by their names.
    pub models: Vec<ModelRuns>,
    /// Tasks that could not be measured, or lines of them, and why.
    pub left_out: Vec<LeftOut>,
    /// How many files are of earlier runs, and were passed over.
    pub earlier: usize,
}

/// What one model answered.
#[derive(Debug)]
pub struct ModelRuns {
    /// The model's name.
    pub name: String,
    /// Its questions, of all tasks.
    pub questions: Questions,
}

impl LmEval {
    /// Reads all files of samples below some directories; of several runs of one model and task in one directory,
    /// the last. Models of one name in several directories are told apart by those. If tasks are named, by their
    /// names, those of their groups, or as patterns, no others.
    ///
    /// A file with a line that is damaged is left out, with the place of that line, and is no error; of a last line
    /// that is written in part, only that line.
    ///
    /// # Errors
    /// There is no such file; a task that was named and is not there.
    pub fn read(paths: &[PathBuf], tasks: &[String]) -> Result<Self> {
        let (runs, groups) = find(paths)?;
        let there: BTreeSet<&str> = runs.iter().map(|run| run.task.as_str()).collect();
        let tasks = groups.unfolded(tasks, &there);
        let runs = latest(runs, &tasks)?;
        let mut found = Self { earlier: runs.passed_over.len(), ..Self::default() };
        let mut models: BTreeMap<String, Questions> = BTreeMap::new();
        for Run { model, task, known: path, .. } in runs.counted {
            let reason = match questions(&path, &task) {
                Ok(own) => {
                    models.entry(model.clone()).or_default().0.extend(own.questions);
                    own.without
                }
                Err(reason) => Some(reason),
            };
            found.left_out.extend(reason.map(|reason| LeftOut { model, task, reason }));
        }
        let models = models.into_iter();
        found.models = models.map(|(name, questions)| ModelRuns { name, questions }).collect();
        Ok(found)
    }
}
