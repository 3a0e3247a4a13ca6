//! `calipers estimate`: read, estimate, print.

use std::time::Instant;

use calipers::{Error, Estimator, Folds, Metric, recalibrator, recalibrators};

use crate::args::{EstimateArgs, ReportFormat};
use crate::columns::{FoldSource, Loaded, load};
use crate::error::{Failure, Result, say};
use crate::input::{Wanted, read};
use crate::output::{self, notes};
use crate::progress::Progress;
use crate::suggest::did_you_mean;

/// Runs the command.
pub fn estimate(args: &EstimateArgs) -> Result<()> {
    // The settings are checked before the file is read: that may take long.
    let estimator = settings(args)?;
    let folds = match (&args.fold_column, args.folds) {
        (Some(column), _) => FoldSource::Column(column),
        (None, None) => FoldSource::Unsaid,
        (None, Some(_)) => FoldSource::Shuffled,
    };
    let start = Instant::now();
    let table = read(&args.file, &wanted(args))?;
    let Loaded { predictions, folds: plan } = load(table, &args.columns, &folds)?;
    let reading = start.elapsed();
    let plan = plan.unwrap_or(Folds::Shuffled(args.folds.unwrap_or(DEFAULT_FOLDS)));
    let (estimator, progress) = Progress::watch(estimator.fold_plan(plan));
    let report = estimator.estimate(&predictions).map_err(|error| explain(&error))?;
    drop(progress);
    if args.timings {
        let estimating = (start.elapsed() - reading).as_secs_f64();
        say(&format!("reading: {:.6} s; estimating: {estimating:.6} s", reading.as_secs_f64()));
    }
    let notes = notes(&report);
    let text = match args.format {
        ReportFormat::Table => {
            output::table::report(&report, &args.file.display().to_string(), &notes)
        }
        ReportFormat::Json => output::json::pretty(&report.to_json()),
        ReportFormat::Csv => output::csv::report(&report),
    };
    output::print(&text)?;
    // In the table the notes are part of what is read; elsewhere they would be in the way.
    if args.format != ReportFormat::Table {
        notes.iter().for_each(|note| say(note));
    }
    Ok(())
}

const DEFAULT_FOLDS: usize = 5;

/// The columns that the flags name; if they do not name all that are needed, any may be needed.
fn wanted(args: &EstimateArgs) -> Wanted {
    let columns = &args.columns;
    let scores = columns.probs.as_ref().or(columns.logits.as_ref());
    let single = [&columns.label, &columns.weight, &columns.group, &args.fold_column];
    let names = single.into_iter().flatten().chain(scores.into_iter().flatten());
    Wanted::new(names.cloned().collect(), columns.label.is_none() || scores.is_none())
}

fn settings(args: &EstimateArgs) -> Result<Estimator> {
    let mut metrics: Vec<Metric> = Vec::new();
    for name in &args.metric {
        let metric: Metric = name.trim().parse().map_err(|error| explain(&error))?;
        // Asked for twice, it is still one metric.
        if metrics.iter().all(|already| already.to_string() != metric.to_string()) {
            metrics.push(metric);
        }
    }
    let recalibrator = recalibrator(&args.recalibrator).map_err(|error| explain(&error))?;
    let estimator = Estimator::new()
        .metrics(metrics)
        .recalibrator(recalibrator)
        .repeats(args.repeats)
        .seed(args.seed)
        .confidence(args.confidence)
        .binary(args.binary.into())
        .threads(args.threads.into());
    Ok(match args.log_floor {
        Some(floor) => estimator.log_floor(floor),
        None => estimator,
    })
}

/// The core's error in terms of the command line, with a suggestion where a name is misspelt.
fn explain(error: &Error) -> Failure {
    match error {
        Error::Setting { name, reason } => {
            let flag = name.replace(' ', "-");
            Failure::input(format!("--{flag}: {reason}"))
        }
        Error::Metric { text, .. } => Failure::input(error.to_string())
            .maybe_hint(metric_hint(text).or_else(|| Some("see calipers metrics".to_owned()))),
        Error::Recalibrator { text, reason } => {
            let name = text.split(':').next().unwrap_or_default();
            let names: Vec<&str> = recalibrators().map(|info| info.name).collect();
            // The name is right and a parameter is wrong: then the recalibrator is not unknown.
            let known = names.contains(&name);
            let message =
                if known { format!("recalibrator {text}: {reason}") } else { error.to_string() };
            let hint = if known { None } else { did_you_mean(name, names) };
            Failure::input(message)
                .hint(hint.unwrap_or_else(|| "see calipers recalibrators".to_owned()))
        }
        Error::TooFewRows { .. } => {
            Failure::input(error.to_string()).hint("ask for fewer folds with --folds")
        }
        // A recalibrator of the core cannot fail: if it does, that is a fault of ours.
        Error::External { .. } | Error::Stopped => Failure::unexpected(error.to_string()),
        _ => Failure::input(error.to_string()),
    }
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
