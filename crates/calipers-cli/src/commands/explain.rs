//! The core's errors in terms of the command line.

use calipers::{Error, neighbours, recalibrators};
use calipers_files::words::did_you_mean;

use crate::error::Failure;

/// The core's error in terms of the command line, with a suggestion where a name is misspelt.
pub fn explain(error: &Error) -> Failure {
    match error {
        // The models are files, not a flag.
        Error::Setting { name: "models", reason } => Failure::input(reason.clone()),
        // Flags out of range do not come this far: it is the system that has no threads to give.
        Error::Setting { name: "threads", reason } => {
            Failure::unexpected(format!("threads: {reason}"))
        }
        Error::Setting { name: "clusters" | "times", reason } => Failure::input(reason.clone()),
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
        Error::Tally { reason } => Failure::input(reason.clone()),
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
    did_you_mean(&text, common_metrics().iter().map(String::as_str))
}

/// The metrics that are asked for by name, without parameters.
pub fn common_metrics() -> Vec<String> {
    let mut names = Vec::new();
    for scope in ["", "top-", "classwise-"] {
        for side in ["", "over-", "under-"] {
            let losses = ["l1", "l2", "linf", "brier", "log"];
            names.extend(losses.map(|loss| format!("{scope}{side}{loss}")));
        }
    }
    names
}
