//! Inspect: the logs of its runs, `.eval` archives or `.json`.

mod archive;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use calipers::words::{listed, visible};
use serde::Deserialize;
use serde_json::{Map, Value};

use self::archive::Archive;
use super::answers::{Answers, Found, confidence};
use super::json;
use super::runs::{Run, latest};
use super::walk::below;
use crate::error::{Error, Result};
use crate::words::file_name;

/// What is asked of logs of Inspect: which tasks, which scorer, and under which key it says how sure the model was.
///
/// A confidence is in the metadata of the score, or else of the sample. Of several scorers the one with confidences
/// is taken. Epochs of a sample are answers to the same question.
///
/// ```
/// use calipers_files::InspectLogs;
///
/// let folder = tempfile::tempdir()?;
/// let log = r#"{"eval": {"task": "sums", "model": "org/model", "created": "2026-01-31"}, "samples": [
///     {"id": 1, "epoch": 1, "scores": {"match": {"value": "C", "metadata": {"confidence": 0.75}}}}]}"#;
/// std::fs::write(folder.path().join("log.json"), log)?;
/// let found = InspectLogs::default().read(&[folder.path().to_owned()])?;
/// assert_eq!(found.models[0].name, "org/model");
/// assert_eq!((found.models[0].answers[0].confidence, found.models[0].answers[0].right), (0.75, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct InspectLogs {
    /// The tasks to read; all, if none is named.
    pub tasks: Vec<String>,
    /// The scorer, if there are several.
    pub scorer: Option<String>,
    /// The key of the confidence in the metadata.
    pub key: String,
}

impl Default for InspectLogs {
    fn default() -> Self {
        Self { tasks: Vec::new(), scorer: None, key: "confidence".to_owned() }
    }
}

/// What is read of a log; the rest of it is not.
#[derive(Debug, Deserialize)]
struct Log {
    eval: Eval,
    #[serde(default)]
    samples: Vec<Sample>,
}

#[derive(Debug, Deserialize)]
struct Eval {
    task: String,
    model: String,
    #[serde(default)]
    created: String,
    #[serde(default)]
    task_args_passed: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Sample {
    id: Value,
    #[serde(default)]
    epoch: u64,
    #[serde(default)]
    scores: Option<BTreeMap<String, Score>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct Score {
    #[serde(default)]
    value: Value,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

impl InspectLogs {
    /// Reads all logs below some directories; of several runs of one model and task, the last.
    ///
    /// # Errors
    /// There is no log; one that is damaged; a task or a scorer that was named and is not there; scorers of which
    /// none is the only one to take; a confidence that is none, with its sample.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Answers> {
        let logs: Result<Vec<Option<Run<Source>>>> =
            below(paths, is_log, no_log)?.into_iter().map(run).collect();
        let logs: Vec<Run<Source>> = logs?.into_iter().flatten().collect();
        if logs.is_empty() {
            return Err(no_log(paths.first().map_or_else(String::new, |path| file_name(path))));
        }
        let (logs, earlier) = latest(logs, &self.tasks)?;
        let (mut runs, mut scorers) = (Vec::new(), BTreeSet::new());
        for Run { model, task, date, known: source } in logs {
            let name = file_name(&source.path);
            let samples = source.samples()?;
            scorers.extend(samples.iter().flat_map(Sample::scorers).map(str::to_owned));
            runs.push(Run { model, task, date, known: Ok(self.found(&samples, &name)?) });
        }
        if let Some(scorer) = self.scorer.as_ref().filter(|scorer| !scorers.contains(*scorer)) {
            let there: Vec<&str> = scorers.iter().map(String::as_str).collect();
            return Err(Error::input(format!("--scorer {scorer}: there is no such scorer"))
                .with_hint(format!("there are {}", listed(&there))));
        }
        Ok(Answers::of(runs, earlier))
    }

    /// The answers of a log.
    fn found(&self, samples: &[Sample], name: &str) -> Result<Vec<Found>> {
        let scorer = match &self.scorer {
            Some(scorer) => scorer.clone(),
            None => self.only_scorer(samples, name)?,
        };
        let mut all = Vec::new();
        for sample in samples {
            let question = sample.name();
            let score = sample.scores.as_ref().and_then(|scores| scores.get(&scorer));
            let place = || format!("{name}, sample {}", visible(&question));
            let stated = score
                .and_then(|score| score.stated(&self.key))
                .or_else(|| sample.metadata.as_ref()?.get(&self.key).filter(|_| score.is_some()));
            let confidence = confidence(stated, &place)?;
            all.push(Found { confidence, right: score.and_then(Score::right), question });
        }
        Ok(all)
    }

    /// The scorer that says how sure the model was; or the only one there is.
    fn only_scorer(&self, samples: &[Sample], name: &str) -> Result<String> {
        let scores = || samples.iter().filter_map(|sample| sample.scores.as_ref()).flatten();
        let sure: BTreeSet<&str> = scores()
            .filter(|(_, score)| score.stated(&self.key).is_some())
            .map(|(scorer, _)| scorer.as_str())
            .collect();
        let all: BTreeSet<&str> = samples.iter().flat_map(Sample::scorers).collect();
        let mut left = if sure.is_empty() { all } else { sure };
        match left.len() {
            0 | 1 => Ok(left.pop_first().unwrap_or_default().to_owned()),
            _ => Err(Error::input(format!(
                "{name}: {} may be the scorer to measure",
                listed(&left.into_iter().collect::<Vec<_>>())
            ))
            .with_hint("--scorer says which one")),
        }
    }
}

impl Sample {
    /// What the sample is called: a number, or a text.
    fn name(&self) -> String {
        self.id.as_str().map_or_else(|| self.id.to_string(), str::to_owned)
    }

    fn scorers(&self) -> impl Iterator<Item = &str> {
        self.scores.iter().flatten().map(|(scorer, _)| scorer.as_str())
    }
}

impl Score {
    /// What the scorer says of how sure the model was.
    fn stated(&self, key: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(key).filter(|value| !value.is_null())
    }

    /// Whether the answer was right, in Inspect's letters or as a number.
    fn right(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(right) => Some(*right),
            Value::String(letter) => match letter.as_str() {
                "C" => Some(true),
                "I" | "N" => Some(false),
                _ => None,
            },
            other => match other.as_f64() {
                Some(1.0) => Some(true),
                Some(0.0) => Some(false),
                _ => None,
            },
        }
    }
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "eval" || end == "json")
}

fn no_log(name: String) -> Error {
    Error::input(format!("{name}: there is no log of Inspect"))
        .with_hint("its logs end in .eval or .json")
}

/// A log, with its samples if they were read already.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    samples: Option<Vec<Sample>>,
}

impl Source {
    /// The samples, in an order that does not depend on how the log is kept.
    fn samples(self) -> Result<Vec<Sample>> {
        let mut all = match self.samples {
            Some(samples) => samples,
            None => Archive::open(&self.path)?.samples()?,
        };
        all.sort_by_cached_key(|one| (one.id.as_u64(), one.name(), one.epoch));
        Ok(all)
    }
}

/// The run that a log is of; none for some other JSON among the logs.
fn run(path: PathBuf) -> Result<Option<Run<Source>>> {
    let name = file_name(&path);
    let (head, samples) = if path.extension().is_some_and(|end| end == "eval") {
        (Archive::open(&path)?.head()?, None)
    } else {
        let whole: Value = json::of_file(&path)?;
        if whole.get("eval").is_none() {
            return Ok(None);
        }
        let log: Log = serde_json::from_value(whole).map_err(|error| damaged(&name, &error))?;
        (log.eval, Some(log.samples))
    };
    let date = format!("{} {}", head.created, name);
    let (model, task) = (head.model.clone(), head.called());
    Ok(Some(Run { model, task, date, known: Source { path, samples } }))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(format!("{name}: it is no log of Inspect: {error}"))
}

impl Eval {
    /// The task with the arguments that were given to it: other arguments are another task.
    fn called(&self) -> String {
        let given = self.task_args_passed.iter().map(|(name, value)| format!("{name}={value}"));
        match given.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => self.task.clone(),
            some => format!("{}({some})", self.task),
        }
    }
}
