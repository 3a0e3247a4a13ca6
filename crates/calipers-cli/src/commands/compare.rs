//! `calipers compare`: several models on the same labels.

use std::path::PathBuf;

use calipers::{Folds, Predictions};
use calipers_draw::text::{self, Worse};
use calipers_files::words::file_name;

use super::measure::{estimator, explain, limits, metrics, predictions};
use crate::args::{ColumnArgs, FittingArgs, ListFormat, MEASURE, MethodArgs, MetricArgs, OUTPUT};
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

The files hold the same rows in the same order, with the same labels.

With --max-worse the exit status is 1 if more error is shown to be found in one
of the other files than in the first, by more than the limit; 0 if none is.";

/// Compare several models on the same labels
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The predictions of two models or more, one file each
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

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
    let held = limits.iter().map(|(name, _)| name.as_str());
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str).chain(held))?;
    let estimator = estimator(metrics, &args.method)?;
    let progress = Progress::start("reading");
    let (models, plan) = load_models(&args.files, &args.columns, &args.method.fitting, &|_| {})?;
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
    files: &[PathBuf],
    columns: &ColumnArgs,
    fitting: &FittingArgs,
    say: &dyn Fn(&str),
) -> Result<(Models, Folds)> {
    let mut models: Models = Vec::new();
    let mut plan: Option<Folds> = None;
    for file in files {
        let name = file_name(file);
        if models.iter().any(|(already, _)| *already == name) {
            return Err(Failure::input(format!("{name}: the file is named twice")));
        }
        let loaded = predictions(file, columns, fitting, say)?;
        let own = loaded.folds.unwrap_or_default();
        if plan.as_ref().is_some_and(|plan| *plan != own) {
            return Err(Failure::input(format!(
                "{name}: its folds are not those of the first file"
            ))
            .hint("all models are compared on the same folds; --folds 5 draws them"));
        }
        plan = Some(own);
        models.push((name, loaded.predictions));
    }
    Ok((models, plan.unwrap_or_default()))
}
