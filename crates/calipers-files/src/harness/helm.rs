//! HELM: the `per_instance_stats.json` of its runs, beside the `run_spec.json` that says which model and task.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers::words::visible;
use serde::Deserialize;
use serde_json::Value;

use super::answers::{Answers, Found, confidence};
use super::json;
use super::runs::{Run, latest};
use super::walk::below;
use crate::error::{Error, Result};
use crate::words::file_name;

/// The file of a run's answers, and the one beside it that says what the run was.
const STATS: &str = "per_instance_stats.json";
const SPEC: &str = "run_spec.json";

/// What HELM's own calibration metrics are made of: how sure the model was, and whether it was right.
const SURE: &str = "max_prob";
const RIGHT: &str = "exact_match";

/// Says that a model gave no log-probabilities, if it is 0 everywhere: the confidence is then 1 by default.
const LOG_PROBABILITY: &str = "logprob";

/// What is asked of the runs of HELM.
///
/// The confidence of an answer is `max_prob`, whether it is right `exact_match`, as in HELM's own `ece_10_bin`.
/// Perturbed copies of questions are not read; trials of one question are answers to the same one.
///
/// ```
/// use calipers_files::HelmRuns;
///
/// let folder = tempfile::tempdir()?;
/// let spec = r#"{"name": "boolq:model=org_model", "adapter_spec": {"model": "org/model"}}"#;
/// std::fs::write(folder.path().join("run_spec.json"), spec)?;
/// let stats = r#"[{"instance_id": "id1", "train_trial_index": 0, "stats": [
///     {"name": {"name": "logprob"}, "sum": -1.5, "mean": -1.5},
///     {"name": {"name": "max_prob"}, "sum": 0.75, "mean": 0.75},
///     {"name": {"name": "exact_match"}, "sum": 1.0, "mean": 1.0}]}]"#;
/// std::fs::write(folder.path().join("per_instance_stats.json"), stats)?;
/// let found = HelmRuns::default().read(&[folder.path().to_owned()])?;
/// assert_eq!((found.models[0].name.as_str(), found.models[0].answers[0].task.as_str()), ("org/model", "boolq"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct HelmRuns {
    /// The tasks to read; all, if none is named.
    pub tasks: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Spec {
    name: String,
    #[serde(default)]
    adapter_spec: Adapter,
}

#[derive(Debug, Default, Deserialize)]
struct Adapter {
    #[serde(default)]
    model: String,
}

/// What one of HELM's metrics says of one trial of one question.
#[derive(Debug, Deserialize)]
struct Instance {
    instance_id: String,
    #[serde(default)]
    perturbation: Value,
    #[serde(default)]
    train_trial_index: i64,
    stats: Vec<Stat>,
}

#[derive(Debug, Deserialize)]
struct Stat {
    name: Name,
    /// Of how many numbers the mean is; older runs do not say it.
    count: Option<u64>,
    #[serde(default)]
    mean: Value,
}

#[derive(Debug, Deserialize)]
struct Name {
    name: String,
}

impl HelmRuns {
    /// Reads all runs below some directories.
    ///
    /// # Errors
    /// There is none; one that is damaged, or is there twice; a task that was named and is not there; a confidence
    /// that is none, with its question.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Answers> {
        let none = |name: String| {
            Error::input(format!("{name}: there is no {STATS}"))
                .with_hint("helm-run writes it to benchmark_output/runs")
        };
        let is_one = |path: &Path| path.file_name().is_some_and(|name| name == STATS);
        let mut runs: Vec<Run<PathBuf>> = Vec::new();
        for path in below(paths, is_one, none)? {
            let own = run(path)?;
            let same = |one: &&Run<PathBuf>| one.model == own.model && one.task == own.task;
            if let Some(other) = runs.iter().find(same) {
                return Err(Error::input(format!(
                    "{} of {} is there twice: {} and {}",
                    visible(&own.task),
                    visible(&own.model),
                    file_name(&other.known),
                    file_name(&own.known)
                ))
                .with_hint("name the directory of one suite"));
            }
            runs.push(own);
        }
        // None is passed over: two of one model and task were refused.
        let runs = latest(runs, &self.tasks)?.counted;
        let read = |Run { model, task, date, complete, known }: Run<PathBuf>| {
            Ok(Run { model, task, date, complete, known: found(&known)? })
        };
        Ok(Answers::of(runs.into_iter().map(read).collect::<Result<_>>()?, 0))
    }
}

/// The run that a file of answers is of.
fn run(path: PathBuf) -> Result<Run<PathBuf>> {
    let spec: Spec = json::of_file(&path.with_file_name(SPEC))?;
    let (task, arguments) = spec.name.split_once(':').unwrap_or((&spec.name, ""));
    let (model, others): (Vec<&str>, Vec<&str>) =
        arguments.split(',').filter(|argument| !argument.is_empty()).partition(|argument| {
            argument.starts_with("model=") || argument.starts_with("model_deployment=")
        });
    let named = model.iter().find_map(|argument| argument.strip_prefix("model="));
    let model = match spec.adapter_spec.model.as_str() {
        "" => named.unwrap_or("model"),
        model => model,
    };
    let task = match others.join(",") {
        none if none.is_empty() => task.to_owned(),
        others => format!("{task}:{others}"),
    };
    Ok(Run { model: model.to_owned(), task, date: String::new(), complete: true, known: path })
}

/// The answers of a run; or why there are none.
fn found(path: &Path) -> Result<std::result::Result<Vec<Found>, String>> {
    let name = file_name(path);
    let instances: Vec<Instance> = json::of_file(path)?;
    // Every metric of HELM's has an entry of its own for each trial of a question.
    let mut trials: BTreeMap<(String, i64), BTreeMap<String, Value>> = BTreeMap::new();
    let (mut has_log_probabilities, mut all_zero) = (false, true);
    for one in instances.into_iter().filter(|one| one.perturbation.is_null()) {
        let own = trials.entry((one.instance_id, one.train_trial_index)).or_default();
        // A metric that was not counted says nothing, and must not hide what another entry says.
        for stat in one.stats.into_iter().filter(|stat| stat.count != Some(0)) {
            if stat.name.name == LOG_PROBABILITY {
                has_log_probabilities = true;
                all_zero &= stat.mean.as_f64().is_none_or(|mean| mean >= 0.0);
            }
            own.insert(stat.name.name, stat.mean);
        }
    }
    if has_log_probabilities && all_zero {
        return Ok(Err("all log-probabilities are 0: the model gave none".to_owned()));
    }
    let mut all = Vec::with_capacity(trials.len());
    for ((question, trial), stats) in trials {
        let place = || format!("{name}, {}, trial {trial}", visible(&question));
        let sure = confidence(stats.get(SURE), &place)?;
        let right = match stats.get(RIGHT).and_then(Value::as_f64) {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        };
        all.push(Found { question, confidence: sure, right });
    }
    Ok(Ok(all))
}
