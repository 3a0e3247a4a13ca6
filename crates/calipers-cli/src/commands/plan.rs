//! `calipers plan`: the first third of an estimate of more than one machine reads.

use std::io::Write;
use std::path::PathBuf;

use calipers_draw::text::count;

use super::explain::explain;
use super::measure::{estimator, files, folds, metrics};
use crate::args::{ColumnArgs, ManyArgs, MethodArgs, MetricArgs, many_to_read};
use crate::error::{Result, say};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers plan 'logs/*.parquet' --key request_id -o logs.plan
  calipers tally logs.plan logs/part-1.parquet -o 1.tally      anywhere, in any parts
  calipers finish logs.plan *.tally

A plan says which rows are the sample, and holds what was learnt from them. All
files are read once for it; they are read once more, each by any one machine,
for tallies.";

/// Draw a sample of many files and learn from it, for tallies to be made elsewhere
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_name = "FILE", required = true, num_args = 1.., help = many_to_read())]
    pub files: Vec<PathBuf>,

    /// File to write the plan to
    #[arg(short, long, value_name = "PLAN")]
    pub output: PathBuf,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let fitting = &args.method.fitting;
    let estimator =
        estimator(metrics, &args.method, &args.columns)?.fold_plan(folds(None, fitting));
    let files = files(&args.files, &args.columns, &args.many, fitting);
    let progress = Progress::start(format!("reading {}", files.name()));
    let stream = files.stream()?;
    let pick = files.draw(&stream, fitting.seed, &progress)?;
    let rows = count(pick.rows(), "row");
    let seen = count(pick.seen() as usize, "row");
    let estimator = progress.watch(estimator, args.method.draws, "fitting what scores the rest");
    let (plan, _) = pick.plan(&estimator).map_err(|error| explain(&error))?;
    let bytes = plan.to_bytes().map_err(|error| explain(&error))?;
    drop(progress);
    calipers_files::write(&args.output, |file| file.write_all(&bytes))?;
    say(&format!("note: the sample has {rows} of {seen}"));
    Ok(())
}
