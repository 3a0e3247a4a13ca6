//! `calipers compare`: several models on the same labels.

use std::path::PathBuf;

use calipers::Predictions;
use calipers::words::visible;
use calipers_draw::leaderboard_page;
use calipers_draw::text::{self, Worse};
use clap::ValueEnum;

use super::explain::explain;
use super::measure::{estimator, limits, metrics, refuse_given};
use super::models::Asked;
use crate::args::{
    ColumnArgs, FeatureArgs, MEASURE, ManyArgs, MethodArgs, MetricArgs, ModelArgs, OUTPUT,
};
use crate::error::{Failure, Result, say};
use crate::exit::Exit;
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers compare old.csv new.csv
  calipers compare a.parquet b.parquet c.parquet --metric l1,brier --format json
  calipers compare old.csv new.csv --max-worse l1=0.01
  calipers compare old/ new/ --key request_id
  calipers compare all.csv --models 'p_{model}_{class}' --leaderboard
  calipers compare long.csv --model-column model --key id --leaderboard

The files hold the same rows in the same order, with the same labels; or rows
are paired by a column that both have (--key). A directory or a pattern of
several files is one model. One file may hold several models: in columns named
after a pattern (--models), or in rows of their own (--model-column).

With --leaderboard the models are listed by the estimate of the error found, the
least first, with the ranks that the rows allow and groups of models that cannot
be told apart; as a table, JSON, CSV or a page of HTML. All of it is of what is
found: the recalibrator may miss more of one error than of another.

With --max-worse the exit status is 1 if more error is shown to be found in one
of the other files than in the first, by more than the limit; 0 if none is.";

/// Compare several models on the same labels
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The predictions of two models or more, one file, directory or pattern each; or one file with
    /// --models or --model-column
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub models: ModelArgs,

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

    /// List the models by the error found, with those that cannot be told apart in groups
    #[arg(long, help_heading = OUTPUT)]
    pub leaderboard: bool,

    /// How to print the comparison; csv and html with --leaderboard
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: BoardFormat,
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum BoardFormat {
    // For people.
    #[default]
    Table,
    // For programs: everything.
    Json,
    // For spreadsheets: the leaderboard.
    Csv,
    // For browsers: the leaderboard.
    Html,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit> {
    if matches!(args.format, BoardFormat::Csv | BoardFormat::Html) && !args.leaderboard {
        return Err(Failure::input("--format: only a leaderboard is printed as CSV or HTML")
            .hint("--leaderboard asks for one; calipers report writes a page of the comparison"));
    }
    if args.files.len() < 2 && args.models.flag().is_none() {
        return Err(Failure::input("one file: there is nothing to compare it with").hint(
            "name another file; or, if it holds several models, --models or --model-column says where",
        ));
    }
    if args.columns.group.is_some() && args.format != BoardFormat::Json {
        return Err(Failure::input("--group: the table of a comparison has no room for groups")
            .hint("--format json has the errors of each model within groups"));
    }
    let limits = limits("--max-worse", &args.max_worse)?;
    refuse_given("--max-worse", &limits, "models are compared by their predictions alone")?;
    let held = limits.iter().map(|(name, _)| name.as_str());
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str).chain(held))?;
    let estimator = estimator(metrics, &args.method, &args.columns)?;
    let progress = Progress::start("reading");
    let asked = Asked {
        paths: &args.files,
        columns: &args.columns,
        models: &args.models,
        features: &FeatureArgs::default(),
        many: &args.many,
        fitting: &args.method.fitting,
    };
    let (models, plan) = asked.load(&progress, &|_| {})?;
    if let ([(only, _)], Some(column), [path]) =
        (models.as_slice(), &args.models.model_column, args.files.as_slice())
    {
        return Err(Failure::input(format!(
            "{}, column {column}: {} is the only model; a comparison needs two",
            output::name(path),
            visible(only)
        ))
        .hint("--model-column names the column that says which model a row is of"));
    }
    let estimator =
        progress.watch(estimator.fold_plan(plan), args.method.draws, "on to the next model");
    let named: Vec<(&str, &Predictions<'_>)> =
        models.iter().map(|(name, predictions)| (name.as_str(), predictions)).collect();
    let comparison = estimator.compare(&named).map_err(|error| explain(&error))?;
    drop(progress);
    let worse = Worse::all(&comparison, &limits);
    let text = match args.format {
        BoardFormat::Table => {
            let found = match args.leaderboard {
                true => text::leaderboard(&comparison, look()),
                false => text::comparison(&comparison, look()),
            };
            format!("{found}{}", text::worse(&worse))
        }
        BoardFormat::Json => {
            let mut json = text::comparison_json(&comparison, &worse);
            if args.leaderboard {
                json["leaderboard"] = text::leaderboard_json(&comparison);
            }
            output::pretty(&json)
        }
        BoardFormat::Csv => text::leaderboard_csv(&comparison),
        BoardFormat::Html => leaderboard_page(&comparison),
    };
    output::print(&text)?;
    // What is read by programs has no room for these.
    if args.format == BoardFormat::Csv {
        text::leaderboard_remarks(&comparison, look()).lines().for_each(say);
    }
    if matches!(args.format, BoardFormat::Csv | BoardFormat::Html) {
        text::worse(&worse).trim().lines().for_each(say);
    }
    Ok(if worse.iter().any(Worse::failed) { Exit::CheckFailed } else { Exit::Fine })
}
