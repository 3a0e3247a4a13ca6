//! Inspect: the logs of its runs, `.eval` archives or `.json`.

mod archive;
mod created;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use calipers::words::{listed, visible};
use serde::Deserialize;
use serde_json::{Map, Value};

use self::archive::Archive;
use self::created::sortable;
use self::settings::{Settings, listed as arguments, name_apart};
use super::answers::{Answers, Found, confidence};
use super::json;
use super::runs::{Latest, LeftOut, Run, latest};
use super::walk::below;
use crate::error::{Error, Result};
use crate::words::file_name;

/// The status of a run that came to its end.
const SUCCESS: &str = "success";

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
    /// How the run ended: `success`, `error` or `cancelled`; `started` if it did not.
    status: Option<String>,
    eval: Eval,
    samples: Option<Vec<Sample>>,
}

#[derive(Debug, Deserialize)]
struct Eval {
    task: String,
    model: String,
    #[serde(default)]
    created: String,
    #[serde(default)]
    task_args_passed: Map<String, Value>,
    solver: Option<String>,
    /// Without the defaults; older logs have none but the whole.
    solver_args_passed: Option<Map<String, Value>>,
    solver_args: Option<Map<String, Value>>,
    model_args: Option<Map<String, Value>>,
    model_generate_config: Option<Map<String, Value>>,
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
    /// Who declared the sample to be invalid, if it was.
    #[serde(default)]
    invalidation: Value,
}

#[derive(Debug, Deserialize)]
struct Score {
    #[serde(default)]
    value: Value,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

impl InspectLogs {
    /// Reads all logs below some directories; of several runs of one model and task, the last that came to its end.
    /// Runs with another solver, or other arguments or options of the model, are those of another model. Samples
    /// that were declared invalid are left out.
    ///
    /// # Errors
    /// There is no log; one that is damaged; a task or a scorer that was named and is not there; scorers of which
    /// none is the only one to take; a confidence that is none, with its sample.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Answers> {
        let logs: Result<Vec<Option<Run<Source>>>> =
            below(paths, is_log, no_log)?.into_iter().map(run).collect();
        let mut logs: Vec<Run<Source>> = logs?.into_iter().flatten().collect();
        if logs.is_empty() {
            return Err(no_log(paths.first().map_or_else(String::new, |path| file_name(path))));
        }
        name_apart(&mut logs);
        let logs = latest(logs, &self.tasks)?;
        let (mut left_out, earlier) = broken_off(&logs);
        let (mut runs, mut scorers) = (Vec::new(), BTreeSet::new());
        for Run { model, task, date, complete, known: source } in logs.counted {
            let name = file_name(&source.path);
            let mut samples = source.samples()?;
            let all = samples.len();
            samples.retain(|sample| sample.invalidation.is_null());
            if let Some(reason) = invalid(all - samples.len(), &name) {
                left_out.push(LeftOut { model: model.clone(), task: task.clone(), reason });
            }
            scorers.extend(samples.iter().flat_map(Sample::scorers).map(str::to_owned));
            runs.push(Run { model, task, date, complete, known: Ok(self.found(&samples, &name)?) });
        }
        if let Some(scorer) = self.scorer.as_ref().filter(|scorer| !scorers.contains(*scorer)) {
            let there: Vec<&str> = scorers.iter().map(String::as_str).collect();
            return Err(Error::input(format!("--scorer {scorer}: there is no such scorer"))
                .with_hint(format!("there are {}", listed(&there))));
        }
        let mut answers = Answers::of(runs, earlier);
        answers.left_out.extend(left_out);
        Ok(answers)
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

/// What is not measured because a run did not come to its end: later than the one that counts, or of the one that
/// counts for want of a better; and how many others are of earlier runs.
fn broken_off(logs: &Latest<Source>) -> (Vec<LeftOut>, usize) {
    let said = |log: &Run<Source>, rest: &str| LeftOut {
        model: log.model.clone(),
        task: log.task.clone(),
        reason: format!(
            "{}, of which the run did not succeed ({}){rest}",
            file_name(&log.known.path),
            visible(&log.known.status)
        ),
    };
    let (mut all, mut earlier) = (Vec::new(), 0);
    for log in &logs.passed_over {
        let same = |one: &&Run<Source>| one.model == log.model && one.task == log.task;
        let is_later = logs.counted.iter().find(same).is_some_and(|one| one.date < log.date);
        match log.complete || !is_later {
            true => earlier += 1,
            false => all.push(said(log, ": an earlier one that did counts")),
        }
    }
    let alone = logs.counted.iter().filter(|log| !log.complete);
    all.extend(alone.map(|log| said(log, ": what it did not come to, and there is no other")));
    (all, earlier)
}

/// How many samples were declared to be invalid.
fn invalid(count: usize, name: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 sample of {name}, which was declared invalid")),
        several => Some(format!("{several} samples of {name}, which were declared invalid")),
    }
}

/// A log, with its samples if they were read already.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    /// How the run ended.
    status: String,
    settings: Settings,
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
    let log = if path.extension().is_some_and(|end| end == "eval") {
        Archive::open(&path)?.head()?
    } else {
        let whole: Value = json::of_file(&path)?;
        if whole.get("eval").is_none() {
            return Ok(None);
        }
        let log: Log = serde_json::from_value(whole).map_err(|error| damaged(&name, &error))?;
        Log { samples: Some(log.samples.unwrap_or_default()), ..log }
    };
    let Log { status, eval, samples } = log;
    // What does not say how it ended was not written by Inspect itself.
    let status = status.unwrap_or_else(|| SUCCESS.to_owned());
    let complete = status == SUCCESS;
    let date = format!("{} {name}", sortable(&eval.created));
    let (model, task, settings) = (eval.model.clone(), eval.called(), eval.settings());
    let known = Source { path, status, settings, samples };
    Ok(Some(Run { model, task, date, complete, known }))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(format!("{name}: it is no log of Inspect: {error}"))
}

impl Eval {
    /// The task with the arguments that were given to it: other arguments are another task.
    fn called(&self) -> String {
        match arguments(&self.task_args_passed) {
            none if none.is_empty() => self.task.clone(),
            some => format!("{}({some})", self.task),
        }
    }
}
