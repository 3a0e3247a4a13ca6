//! `calipers compare`: several models on the same labels.

use std::path::PathBuf;

use calipers::{Folds, Predictions};
use calipers_draw::text::{self, Worse};
use calipers_files::words::file_name;

use super::explain::explain;
use super::many::say_sample;
use super::measure::{estimator, files, folds, limits, metrics, refuse_given};
use crate::args::{
    ColumnArgs, FeatureArgs, FittingArgs, ListFormat, MEASURE, ManyArgs, MethodArgs, MetricArgs,
    OUTPUT,
};
use crate::error::{Failure, Result};
use crate::exit::Exit;
use crate::output::{self, look};
use crate::progress::Progress;

/// Models by the names of their files.
pub type Models = Vec<(String, Predictions<'static>)>;

const EXAMPLES: &str = "\
Examples:
  calipers compare old.csv new.csv
  calipers compare a.parquet b.parquet c.parquet --metric l1,brier --format json
  calipers compare old.csv new.csv --max-worse l1=0.01
  calipers compare old/ new/ --key request_id

The files hold the same rows in the same order, with the same labels; or rows
are paired by a column that both have (--key). A directory or a pattern of
several files is one model.

With --max-worse the exit status is 1 if more error is shown to be found in one
of the other files than in the first, by more than the limit; 0 if none is.";

/// Compare several models on the same labels
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The predictions of two models or more, one file, directory or pattern each
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// How much more error than in the first file may be found in the others, such as l1=0.01; repeat
    /// it or separate by commas
    #[arg(long, value_name = "M=LIMIT", value_delimiter = ',', help_heading = MEASURE)]
    pub max_worse: Vec<String>,

    /// How to print the comparison
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit> {
    if args.columns.group.is_some() && args.format == ListFormat::Table {
        return Err(Failure::input("--group: the table of a comparison has no room for groups")
            .hint("--format json has the errors of each model within groups"));
    }
    let limits = limits("--max-worse", &args.max_worse)?;
    refuse_given("--max-worse", &limits, "models are compared by their predictions alone")?;
    let held = limits.iter().map(|(name, _)| name.as_str());
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str).chain(held))?;
    let estimator = estimator(metrics, &args.method)?;
    let progress = Progress::start("reading");
    let (models, plan) = load_models(
        &args.files,
        &args.columns,
        &FeatureArgs::default(),
        &args.many,
        &args.method.fitting,
        &progress,
        &|_| {},
    )?;
    let estimator =
        progress.watch(estimator.fold_plan(plan), args.method.draws, "on to the next model");
    let named: Vec<(&str, &Predictions<'_>)> =
        models.iter().map(|(name, predictions)| (name.as_str(), predictions)).collect();
    let comparison = estimator.compare(&named).map_err(|error| explain(&error))?;
    drop(progress);
    let worse = Worse::all(&comparison, &limits);
    let text = match args.format {
        ListFormat::Table => {
            format!("{}{}", text::comparison(&comparison, look()), text::worse(&worse))
        }
        ListFormat::Json => output::pretty(&text::comparison_json(&comparison, &worse)),
    };
    output::print(&text)?;
    Ok(if worse.iter().any(Worse::failed) { Exit::CheckFailed } else { Exit::Fine })
}

/// Reads the files of one model or several, by their names, and the folds that they share.
pub fn load_models(
    paths: &[PathBuf],
    columns: &ColumnArgs,
    features: &FeatureArgs,
    many: &ManyArgs,
    fitting: &FittingArgs,
    progress: &Progress,
    say: &dyn Fn(&str),
) -> Result<(Models, Folds)> {
    let mut models: Models = Vec::new();
    let mut plan: Option<Folds> = None;
    let mut keys: Option<u64> = None;
    for path in paths {
        let name = file_name(path);
        if models.iter().any(|(already, _)| *already == name) {
            return Err(Failure::input(format!("{name}: the file is named twice")));
        }
        let files = files(std::slice::from_ref(path), columns, many, fitting).knowing(features);
        let gathered = files.gather(fitting.seed, progress, say)?;
        say_sample(&gathered);
        if let (Some(first), Some(own)) = (keys, gathered.keys)
            && first != own
        {
            return Err(Failure::input(format!(
                "{name}: its rows are not those of the first file: their keys differ"
            )));
        }
        keys = gathered.keys;
        let own = folds(gathered.folds, fitting);
        if plan.as_ref().is_some_and(|plan| *plan != own) {
            return Err(Failure::input(format!(
                "{name}: its folds are not those of the first file"
            ))
            .hint("all models are compared on the same folds; --folds 5 draws them"));
        }
        plan = Some(own);
        models.push((name, gathered.predictions));
    }
    Ok((models, plan.unwrap_or_default()))
}
