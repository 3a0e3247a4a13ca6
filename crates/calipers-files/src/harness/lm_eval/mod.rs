//! lm-evaluation-harness: the samples of its runs.

mod files;
mod line;
mod questions;
mod targets;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use self::files::find;
use self::line::{Answers, Line};
use self::targets::{Chosen, resolve};
use super::runs::{LeftOut, Run, latest};
use crate::error::{Error, Result, unreadable};
use crate::words::file_name;
pub use questions::{Question, Questions};

/// The questions that models answered, read from what `lm_eval --log_samples --output_path` wrote.
///
/// ```
/// use calipers_files::LmEval;
///
/// let folder = tempfile::tempdir()?;
/// let model = folder.path().join("org__model");
/// std::fs::create_dir(&model)?;
/// let line = r#"{"doc_id": 0, "target": "1", "filtered_resps": [["-2.5", "False"], ["-0.5", "False"]]}"#;
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
    /// Tasks that could not be measured, and why.
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
    /// Reads all files of samples below some directories; of several runs of one model and task, the last. If
    /// tasks are named, no others.
    ///
    /// # Errors
    /// There is no such file; a line that is damaged, with its place; a task that was named and is not there.
    pub fn read(paths: &[PathBuf], tasks: &[String]) -> Result<Self> {
        let (runs, earlier) = latest(find(paths)?, tasks)?;
        let mut found = Self { earlier, ..Self::default() };
        let mut models: BTreeMap<String, Questions> = BTreeMap::new();
        for Run { model, task, known: path, .. } in runs {
            match questions(&path, &task)? {
                Ok(own) => models.entry(model).or_default().0.extend(own),
                Err(reason) => found.left_out.push(LeftOut { model, task, reason }),
            }
        }
        let models = models.into_iter();
        found.models = models.map(|(name, questions)| ModelRuns { name, questions }).collect();
        Ok(found)
    }
}

type Numbered = BTreeMap<(String, u64), Question>;

/// The questions of one file; or why it holds none that can be measured.
fn questions(path: &Path, task: &str) -> Result<std::result::Result<Numbered, String>> {
    let name = file_name(path);
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let mut filter: Option<Option<String>> = None;
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    let mut chosen: Vec<Chosen> = Vec::new();
    for (at, text) in BufReader::new(file).lines().enumerate() {
        let place = || format!("{name}, line {}", at + 1);
        let text = text.map_err(|error| unreadable(&name, &error))?;
        if text.trim().is_empty() {
            continue;
        }
        let line: Line = serde_json::from_str(&text).map_err(|error| {
            Error::input(format!("{}: this is no sample of lm_eval: {error}", place()))
        })?;
        // Every filter has all questions once more.
        if *filter.get_or_insert_with(|| line.filter.clone()) != line.filter {
            continue;
        }
        let options = match line.answers() {
            Answers::Options(options) => options,
            Answers::Other(reason) => return Ok(Err(reason.to_owned())),
            Answers::Bad(value) => {
                return Err(Error::input(format!(
                    "{}: the log-likelihood {value} is not a number below infinity",
                    place()
                )));
            }
        };
        if options.iter().all(|option| *option <= f64::NEG_INFINITY) {
            return Err(Error::input(format!("{}: no option is possible", place())));
        }
        let Some(number) = line.number() else {
            return Err(Error::input(format!("{}: doc_id is not a number", place())));
        };
        if let Some(first) = numbers.insert(number, at) {
            return Err(Error::input(format!(
                "{}: question {number} was on line {} already",
                place(),
                first + 1
            ))
            .with_hint("the file was added to by a second run: keep one of the two"));
        }
        chosen.push(Chosen { line, options });
    }
    if chosen.is_empty() {
        return Ok(Err("there are no questions".to_owned()));
    }
    let right = match resolve(&chosen) {
        Ok(right) => right,
        Err(reason) => return Ok(Err(reason)),
    };
    let all = chosen.into_iter().zip(right).filter_map(|(one, right)| {
        let id = (task.to_owned(), one.line.number()?);
        Some((id, Question { options: one.options, right, hash: one.line.doc_hash }))
    });
    Ok(Ok(all.collect()))
}
