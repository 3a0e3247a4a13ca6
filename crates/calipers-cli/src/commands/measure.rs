//! What `estimate`, `check` and `compare` have in common: settings, reading, and errors in words.

use std::path::PathBuf;

use calipers::{BinaryNorm, Estimator, Folds, Metric, recalibrator};
use calipers_draw::text::GIVEN_FEATURES;
use calipers_files::FoldColumn;

use super::explain::explain;
use super::many::Files;
use crate::args::{Binary, ColumnArgs, FittingArgs, ManyArgs, MethodArgs};
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

/// What stands before a metric to be held given features, if it does, and the metric.
pub fn split_given(name: &str) -> (&str, &str) {
    match name.strip_prefix(GIVEN_FEATURES) {
        Some(metric) => (GIVEN_FEATURES, metric),
        None => ("", name),
    }
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
        let (given, name) = split_given(name.trim());
        let own = metrics(std::iter::once(name))?;
        let name = own.first().map_or_else(String::new, |metric| format!("{given}{metric}"));
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

/// Refuses limits given features where these are not looked at.
pub fn refuse_given(flag: &str, limits: &[(String, f64)], reason: &str) -> Result<()> {
    match limits.iter().find(|(name, _)| !split_given(name).0.is_empty()) {
        None => Ok(()),
        Some((name, _)) => Err(Failure::input(format!("{flag} {name}: {reason}"))
            .hint("calipers check takes such limits, with --features")),
    }
}

/// An estimator with everything but the folds, which the file may have. Where a column says how sure
/// something was, over-confident is what is too high.
pub fn estimator(
    metrics: Vec<Metric>,
    method: &MethodArgs,
    columns: &ColumnArgs,
) -> Result<Estimator> {
    let mut estimator = method.bounds.ask(fitting(&method.fitting)?.metrics(metrics));
    // With --models, what says how sure something was is a column for each model.
    if let Some(column) = &columns.correct_column {
        if method.bounds.binary == Binary::Vector {
            return Err(Failure::input(format!(
                "--binary vector: beside {column}, there is one number of a row, not a vector"
            )));
        }
        estimator = estimator.binary(BinaryNorm::Confidence);
    }
    if let Some(test) = method.test {
        estimator = estimator.test(test.into());
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

/// Which column of folds to look for.
pub fn fold_column(fitting: &FittingArgs) -> FoldColumn {
    match (&fitting.fold_column, fitting.folds) {
        (Some(column), _) => FoldColumn::Named(column.clone()),
        (None, None) => FoldColumn::Unsaid,
        (None, Some(_)) => FoldColumn::Drawn,
    }
}

/// The folds of a file, or those asked for.
pub fn folds(own: Option<Folds>, fitting: &FittingArgs) -> Folds {
    own.unwrap_or(Folds::Shuffled(fitting.folds.unwrap_or(DEFAULT_FOLDS)))
}

/// The files of one model.
pub fn files<'a>(
    paths: &'a [PathBuf],
    columns: &'a ColumnArgs,
    many: &'a ManyArgs,
    fitting: &FittingArgs,
) -> Files<'a> {
    let threads = fitting.running.threads.into();
    let (cluster, time) = (fitting.cluster.clone(), fitting.time.clone());
    let folds = fold_column(fitting);
    Files { paths, columns, many, folds, cluster, time, features: None, threads }
}
