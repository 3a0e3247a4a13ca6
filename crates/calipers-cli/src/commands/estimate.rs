//! `calipers estimate`: read, estimate, print.

use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::time::Instant;

use calipers::View;
use calipers_draw::strip;
use calipers_draw::text::{self, Face};
use calipers_files::Format;

use super::explain::explain;
use super::measure::{estimator, files, folds, metrics};
use crate::args::{
    AnswerArgs, ColumnArgs, FeatureArgs, MEASURE, ManyArgs, MethodArgs, MetricArgs, OUTPUT,
    ReportFormat, many_to_read,
};
use crate::error::{Failure, Result, say};
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers estimate predictions.csv
  calipers estimate predictions.parquet --label animal --probs p_cat,p_dog
  calipers estimate 'logs/day=*/*.parquet' more/ --key request_id --group day
  calipers estimate logits.npz --metric l1,top-l1,log --log-floor 1e-12
  calipers estimate loans.csv --probs p_bad --features age,income,region
  cut -d, -f2- table.csv | calipers estimate - --metric l1 --format json";

/// The examples, and what files may be.
fn after_help() -> String {
    format!(
        "{EXAMPLES}\n\n\
         Files are {}. Without --label and --probs the columns are guessed; what was understood is \
         said above the table. `calipers help columns` has the rules.",
        Format::described()
    )
}

/// Estimate the calibration errors of a file of predictions
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    #[arg(value_name = "FILE", required = true, num_args = 1.., help = many_to_read())]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub features: FeatureArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    #[command(flatten)]
    pub answer: AnswerArgs,

    /// Add the in-sample estimates, which err upwards as the others err downwards
    #[arg(long, help_heading = MEASURE)]
    pub bracket: bool,

    /// Split the mean brier and log losses into miscalibration, discrimination and uncertainty
    #[arg(long, help_heading = OUTPUT)]
    pub decompose: bool,

    /// How to print the estimates
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,

    /// Leave out the small diagram that ends the table in a terminal
    #[arg(long, help_heading = OUTPUT)]
    pub plain: bool,

    /// Say on standard error how long reading and estimating took
    #[arg(long, help_heading = OUTPUT)]
    pub timings: bool,

    /// Say what was fitted and drawn, and what kept it quick
    #[arg(long, help_heading = OUTPUT)]
    pub verbose: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    // The settings are checked before the file is read: that may take long.
    if args.decompose && args.format == ReportFormat::Csv {
        return Err(Failure::input("--decompose: CSV has no place for the parts of a loss")
            .hint("--format json has them"));
    }
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let estimator =
        args.answer.ask(estimator(metrics, &args.method, &args.columns)?.bracket(args.bracket));
    let start = Instant::now();
    let fitting = &args.method.fitting;
    let files = files(&args.files, &args.columns, &args.many, fitting).knowing(&args.features);
    let name = files.name();
    let progress = Progress::start(format!("reading {name}"));
    // The table and JSON have it themselves.
    let said = |line: &str| {
        if args.format == ReportFormat::Csv {
            progress.say(line)
        }
    };
    let mut reading = start.elapsed();
    let then = match (&args.columns.group, &args.features.features) {
        (Some(_), _) => "estimating within groups",
        (None, Some(_)) => "estimating given the features",
        (None, None) => "adding up",
    };
    let mut watched = None;
    let (report, predictions) = files.estimate(fitting.seed, &progress, &said, &mut |own| {
        reading = start.elapsed();
        let estimator = estimator.clone().fold_plan(folds(own, fitting));
        let estimator = progress.watch(estimator, args.method.draws, then);
        watched = Some(estimator.clone());
        estimator
    })?;
    drop(progress);
    if args.timings {
        let estimating = (start.elapsed() - reading).as_secs_f64();
        say(&format!("reading: {:.6} s; estimating: {estimating:.6} s", reading.as_secs_f64()));
    }
    let mut notes = text::notes(&report, Face::CommandLine);
    if args.verbose {
        notes.push(text::note(&format!("{} made", text::count(report.fits, "fit"))));
        notes.extend(text::approximations(&report.approximations));
    }
    let text = match args.format {
        ReportFormat::Table => text::report(&report, Some(&name), args.decompose, &notes, look()),
        ReportFormat::Json => output::pretty(&report.to_json()),
        ReportFormat::Csv => text::csv::report(&report),
    };
    output::print(&text)?;
    if let (Some(predictions), Some(estimator)) = (&predictions, watched)
        && args.format == ReportFormat::Table
        && !args.plain
        && stdout().is_terminal()
    {
        let sketch = estimator.sketch(predictions, View::of(predictions));
        output::print(&format!("\n{}", strip(&sketch.map_err(|error| explain(&error))?)))?;
    }
    // In the table the notes are part of what is read; elsewhere they would be in the way.
    if args.format != ReportFormat::Table {
        notes.iter().for_each(|note| say(note));
    }
    Ok(())
}
