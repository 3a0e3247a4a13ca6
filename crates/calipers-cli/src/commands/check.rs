//! `calipers check`: does the data show that an error is above its limit?

use std::io::Write;
use std::path::PathBuf;

use calipers_draw::text::{self, Face, GIVEN_FEATURES, Outcome};

use super::measure::{estimator, files, folds, limits, metrics, split_given};
use crate::args::{
    ColumnArgs, FeatureArgs, ListFormat, MEASURE, ManyArgs, MethodArgs, OUTPUT, many_to_read,
};
use crate::error::{Failure, Result, say};
use crate::exit::Exit;
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers check predictions.parquet --max l1=0.02
  calipers check predictions.csv --max top-l1=0.03,brier=0.001 --junit report.xml
  calipers check predictions.csv --max l1=0.05 --group site
  calipers check loans.csv --features age,region --max given-features-l1=0.05

The exit status is 1 if the lower confidence bound of an error is above its
limit, 0 if none is, and 2 if something is wrong with the input. So a build is
only stopped by what the data show; what they leave open is said. With --group
every group is held to the limits, too. With --features a limit may be one on
the error given f and the features: given-features- before any metric.";

/// Stop a build whose model is shown to be calibrated worse than allowed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_name = "FILE", required = true, num_args = 1.., help = many_to_read())]
    pub files: Vec<PathBuf>,

    /// What may not be exceeded, such as l1=0.02; repeat it or separate by commas
    #[arg(long, value_name = "M=LIMIT", value_delimiter = ',', required = true, help_heading = MEASURE)]
    pub max: Vec<String>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub features: FeatureArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Write the outcome as JUnit XML, for systems that show it beside other tests
    #[arg(long, value_name = "XML", help_heading = OUTPUT)]
    pub junit: Option<PathBuf>,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Runs the command; the exit status says how it went.
pub fn run(args: &Args) -> Result<Exit> {
    let limits = limits("--max", &args.max)?;
    let given = given(&limits, &args.features)?;
    let metrics = metrics(limits.iter().map(|(name, _)| split_given(name).1))?;
    let mut estimator = estimator(metrics, &args.method, &args.columns)?;
    // A limit is held against the bound: the table has the p-value for those who ask for it.
    let asked = args.method.draws.is_some() || args.method.test.is_some();
    let draws = if asked || args.format == ListFormat::Json { args.method.draws } else { Some(0) };
    if let Some(draws) = draws {
        estimator = estimator.draws(draws);
    }
    let fitting = &args.method.fitting;
    let files = files(&args.files, &args.columns, &args.many, fitting).knowing(&args.features);
    let file = files.name();
    let progress = Progress::start(format!("reading {file}"));
    let (report, _) = files.estimate(fitting.seed, &progress, &|_| {}, &mut |own| {
        let estimator = estimator.clone().fold_plan(folds(own, fitting));
        progress.watch(estimator, draws, "holding errors to the limits")
    })?;
    drop(progress);
    let outcomes = Outcome::all(&report, &limits);
    if let Some(path) = &args.junit {
        let text = text::junit(&file, &outcomes, report.groups.as_ref());
        calipers_files::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    let text = match args.format {
        ListFormat::Table => text::check(&report, &outcomes, Some(&file), look()),
        ListFormat::Json => output::pretty(&text::check_json(&report, &outcomes)),
    };
    output::print(&text)?;
    text::notes(&report, Face::CommandLine).iter().for_each(|note| say(note));
    given.iter().for_each(|note| say(note));
    Ok(if outcomes.iter().any(Outcome::failed) { Exit::CheckFailed } else { Exit::Fine })
}

/// Refuses limits given features that there are not; a note where there are features and no such limit.
fn given(limits: &[(String, f64)], features: &FeatureArgs) -> Result<Option<String>> {
    let held = limits.iter().find(|(name, _)| !split_given(name).0.is_empty());
    match (held, &features.features) {
        (Some((name, _)), None) => {
            Err(Failure::input(format!("--max {name}: no features are given"))
                .hint("--features names their columns, or '*' for every one that is nothing else"))
        }
        (None, Some(_)) => {
            let first = limits.first().map_or("l1", |(name, _)| name);
            Ok(Some(text::note(&format!(
                "no error given the features has a limit; --max {GIVEN_FEATURES}{first}=0.05 sets one"
            ))))
        }
        _ => Ok(None),
    }
}
