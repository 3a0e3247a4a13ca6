//! What `estimate`, `check` and `compare` have in common: settings, reading, and errors in words.

use std::path::Path;

use calipers::{Error, Estimator, Folds, Metric, neighbours, recalibrator, recalibrators};
use calipers_files::words::did_you_mean;
use calipers_files::{Columns, FoldColumn, Loaded, load};

use crate::args::{ColumnArgs, FittingArgs, MethodArgs};
use crate::error::{Failure, Result};

const DEFAULT_FOLDS: usize = 5;

/// Metrics by their names, each once however often it was asked for.
pub fn metrics<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Metric>> {
    let mut metrics: Vec<Metric> = Vec::new();
    for name in names {
        let metric: Metric = name.trim().parse().map_err(|error| explain(&error))?;
        if metrics.iter().all(|already| already.to_string() != metric.to_string()) {
            metrics.push(metric);
        }
    }
    Ok(metrics)
}

/// `l1=0.02` and so on; a metric may have one limit.
pub fn limits(flag: &str, given: &[String]) -> Result<Vec<(String, f64)>> {
    let mut limits: Vec<(String, f64)> = Vec::new();
    for text in given {
        let text = text.trim();
        let Some((name, limit)) = text.split_once('=') else {
            return Err(Failure::input(format!("{flag} {text}: a limit is missing"))
                .hint(format!("write it as {flag} {text}=0.02")));
        };
        // The name as it is printed, so that `l1.0` is `l1`.
        let name =
            metrics(std::iter::once(name))?.first().map_or_else(String::new, ToString::to_string);
        let limit = limit.trim().parse::<f64>().ok().filter(|limit| *limit >= 0.0);
        let Some(limit) = limit.filter(|limit| limit.is_finite()) else {
            return Err(Failure::input(format!(
                "{flag} {text}: the limit is not a number of at least 0"
            )));
        };
        if limits.iter().any(|(already, _)| *already == name) {
            return Err(Failure::input(format!("{flag} {text}: {name} has a limit already")));
        }
        limits.push((name, limit));
    }
    Ok(limits)
}

/// An estimator with everything but the folds, which the file may have.
pub fn estimator(metrics: Vec<Metric>, method: &MethodArgs) -> Result<Estimator> {
    let mut estimator = fitting(&method.fitting)?
        .metrics(metrics)
        .confidence(method.confidence)
        .binary(method.binary.into());
    if let Some(test) = method.test {
        estimator = estimator.test(test.into());
    }
    if let Some(floor) = method.log_floor {
        estimator = estimator.log_floor(floor);
    }
    if let Some(draws) = method.draws {
        estimator = estimator.draws(draws);
    }
    Ok(estimator)
}

/// An estimator that knows what to learn with, and nothing of what to measure.
pub fn fitting(args: &FittingArgs) -> Result<Estimator> {
    let recalibrator = recalibrator(&args.recalibrator).map_err(|error| explain(&error))?;
    Ok(Estimator::new()
        .recalibrator(recalibrator)
        .repeats(args.repeats)
        .seed(args.seed)
        .threads(args.running.threads.into()))
}

/// Reads a file of predictions; the folds are its own, or those asked for. `say` is told what was
/// guessed.
pub fn predictions(
    file: &Path,
    columns: &ColumnArgs,
    fitting: &FittingArgs,
    say: &dyn Fn(&str),
) -> Result<Loaded> {
    let folds = match (&fitting.fold_column, fitting.folds) {
        (Some(column), _) => FoldColumn::Named(column.clone()),
        (None, None) => FoldColumn::Unsaid,
        (None, Some(_)) => FoldColumn::Drawn,
    };
    let mut loaded = load(file, &Columns { folds, ..columns.into() }, say)?;
    let shuffled = || Folds::Shuffled(fitting.folds.unwrap_or(DEFAULT_FOLDS));
    loaded.folds = Some(loaded.folds.unwrap_or_else(shuffled));
    Ok(loaded)
}

/// The core's error in terms of the command line, with a suggestion where a name is misspelt.
pub fn explain(error: &Error) -> Failure {
    match error {
        // The models are files, not a flag.
        Error::Setting { name: "models", reason } => Failure::input(reason.clone()),
        // Flags out of range do not come this far: it is the system that has no threads to give.
        Error::Setting { name: "threads", reason } => {
            Failure::unexpected(format!("threads: {reason}"))
        }
        Error::Setting { name, reason } => {
            let flag = name.replace(' ', "-");
            Failure::input(format!("--{flag}: {reason}"))
        }
        Error::Metric { text, .. } => Failure::input(error.to_string())
            .maybe_hint(metric_hint(text).or_else(|| Some("see calipers metrics".to_owned()))),
        Error::Recalibrator { text, reason } => {
            let names = recalibrators().map(|info| info.name);
            misnamed(error, "recalibrator", text, reason, names)
        }
        Error::Neighbour { text, reason } => {
            let names = neighbours().map(|info| info.name);
            misnamed(error, "neighbour", text, reason, names)
        }
        Error::TooFewRows { .. } => {
            Failure::input(error.to_string()).hint("ask for fewer folds with --folds")
        }
        // A recalibrator of the core cannot fail: if it does, that is a fault of ours.
        Error::External { .. } | Error::Stopped => Failure::unexpected(error.to_string()),
        _ => Failure::input(error.to_string()),
    }
}

/// A name, or a parameter behind one, that there is not.
fn misnamed<'a>(
    error: &Error,
    what: &str,
    text: &str,
    reason: &str,
    names: impl Iterator<Item = &'a str>,
) -> Failure {
    let name = text.split(':').next().unwrap_or_default();
    let names: Vec<&str> = names.collect();
    // The name is right and a parameter is wrong: then it is not unknown.
    let known = names.contains(&name);
    let message = if known { format!("{what} {text}: {reason}") } else { error.to_string() };
    let hint = if known { None } else { did_you_mean(name, names) };
    Failure::input(message).hint(hint.unwrap_or_else(|| format!("see calipers {what}s")))
}

/// What other packages call these metrics.
const ALIASES: [(&str, &str); 9] = [
    ("ece", "l1, or top-l1 for the most probable class"),
    ("mce", "linf"),
    ("cce", "classwise-l1"),
    ("rmsce", "l2"),
    ("mse", "brier"),
    ("kl", "log"),
    ("nll", "log"),
    ("logloss", "log"),
    ("cross-entropy", "log"),
];

fn metric_hint(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    if let Some((_, name)) = ALIASES.iter().find(|(alias, _)| *alias == text) {
        return Some(format!("did you mean {name}?"));
    }
    let mut names = Vec::new();
    for scope in ["", "top-", "classwise-"] {
        for side in ["", "over-", "under-"] {
            let losses = ["l1", "l2", "linf", "brier", "log"];
            names.extend(losses.map(|loss| format!("{scope}{side}{loss}")));
        }
    }
    did_you_mean(&text, names.iter().map(String::as_str))
}
