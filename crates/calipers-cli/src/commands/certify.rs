//! `calipers certify`: do the data show that an error is below its limit?

use std::path::PathBuf;

use calipers::Assumption;
use calipers_draw::text::{self, Certified};

use super::measure::{files, fitting, folds, limits, metrics, refuse_given};
use crate::args::{
    BoundArgs, ColumnArgs, FittingArgs, ListFormat, MEASURE, ManyArgs, OUTPUT, to_read,
};
use crate::error::{Failure, Result};
use crate::exit::Exit;
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers certify predictions.parquet --max l1=0.05
  calipers certify predictions.csv --max top-l1=0.1,classwise-l1=0.05

The exit status is 0 only if the upper confidence bound of every error is below
its limit, 1 if one is not, and 2 if something is wrong with the input. The bound
holds for any number of rows, if the truth never falls as the prediction rises.
Data that contradict this are not certified. Of more than two classes, top- and
classwise- metrics can be certified.";

/// Let a model pass only if its error is shown to be below a limit
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_name = "FILE", help = to_read())]
    pub file: PathBuf,

    /// What must not be reached, such as l1=0.05; repeat it or separate by commas
    #[arg(long, value_name = "M=LIMIT", value_delimiter = ',', required = true, help_heading = MEASURE)]
    pub max: Vec<String>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub fitting: FittingArgs,

    #[command(flatten)]
    pub bounds: BoundArgs,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Runs the command; the exit status says how it went.
pub fn run(args: &Args) -> Result<Exit> {
    let limits = limits("--max", &args.max)?;
    refuse_given("--max", &limits, "there is no upper bound of an error given features")?;
    let metrics = metrics(limits.iter().map(|(name, _)| name.as_str()))?;
    if args.columns.group.is_some() {
        return Err(Failure::input("--group: it is all rows together that are certified")
            .hint("certify a file of each group"));
    }
    let unbounded = [
        ("--weight", "have weights", &args.columns.weight),
        ("--cluster", "belong together", &args.fitting.cluster),
        ("--time", "belong together", &args.fitting.time),
    ];
    if let Some((flag, what, _)) = unbounded.iter().find(|(.., said)| said.is_some()) {
        return Err(Failure::input(format!("{flag}: there is no upper bound where rows {what}")));
    }
    let estimator = args.bounds.ask(fitting(&args.fitting)?.metrics(metrics));
    let estimator = estimator.assume(Assumption::Monotone).draws(0);
    let many = ManyArgs::default();
    let files = files(std::slice::from_ref(&args.file), &args.columns, &many, &args.fitting);
    let file = files.name();
    let progress = Progress::start(format!("reading {file}"));
    let (report, _) = files.estimate(args.fitting.seed, &progress, &|_| {}, &mut |own| {
        let estimator = estimator.clone().fold_plan(folds(own, &args.fitting));
        progress.watch(estimator, Some(0), "bounding from above")
    })?;
    drop(progress);
    if let Some(silent) = report.estimates.iter().find(|one| one.upper.is_none())
        && !report.contradicted
    {
        let name = &silent.metric;
        return Err(Failure::input(format!(
            "--max {name}: a truth that rises with the prediction says nothing of {} classes at once",
            report.classes.len()
        ))
        .hint(format!("ask for top-{name} or classwise-{name}")));
    }
    let outcomes = Certified::all(&report, &limits);
    let text = match args.format {
        ListFormat::Table => text::certify(&report, &outcomes, Some(&file), look()),
        ListFormat::Json => output::pretty(&text::certify_json(&report, &outcomes)),
    };
    output::print(&text)?;
    Ok(if outcomes.iter().all(|one| one.certified) { Exit::Fine } else { Exit::CheckFailed })
}
