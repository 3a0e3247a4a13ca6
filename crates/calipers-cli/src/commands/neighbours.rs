//! `calipers neighbours`: calibration as others measure it.

use std::path::PathBuf;

use calipers::{Neighbour, Neighbours};
use calipers_draw::text::{self, lists};
use calipers_files::FoldColumn;

use super::explain::explain;
use super::many::Files;
use crate::args::{ColumnArgs, MEASURE, ManyArgs, OUTPUT, ReportFormat, RunningArgs, to_read};
use crate::error::{Failure, Result, say};
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers neighbours                       lists what there is
  calipers neighbours predictions.csv
  calipers neighbours predictions.csv --measure ece:bins=20,by=mass,smooth
  calipers neighbours ten.parquet --measure top-ece,classwise-ece,skce

One-dimensional measures of more than two classes take a scope: top- for the
most probable class, classwise- for the mean over classes, marginal- for their
mean under the measure's power.";

/// Measure calibration as others do: ECE and its kin, and classical tests
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(
        value_name = "FILE",
        help = format!("{}; leave it out for a list of the measures", to_read())
    )]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    /// What to measure, with parameters after a colon, such as ece:bins=20; repeat it or separate by
    /// commas [default: all that measure such predictions]
    #[arg(long, value_name = "M", help_heading = MEASURE)]
    pub measure: Vec<String>,

    /// Labels drawn from the predictions where a test needs it; 0 for no such test [default: 999,
    /// fewer for much data]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = MEASURE)]
    pub draws: Option<usize>,

    /// Seed of the drawings
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = MEASURE)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,

    /// How to print the measures
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let Some(file) = &args.file else { return list(args) };
    if args.columns.group.is_some() {
        return Err(Failure::input("--group: these measures have no groups")
            .hint("calipers estimate --group estimates the errors within groups"));
    }
    let mut asked = Neighbours::new().seed(args.seed).threads(args.running.threads.into());
    for name in separate(&args.measure) {
        asked = asked.ask(name.parse::<Neighbour>().map_err(|error| explain(&error))?);
    }
    if let Some(draws) = args.draws {
        asked = asked.draws(draws);
    }
    let files = Files {
        paths: std::slice::from_ref(file),
        columns: &args.columns,
        many: &args.many,
        folds: FoldColumn::Unsaid,
        cluster: None,
        time: None,
        features: None,
        threads: args.running.threads.into(),
    };
    let progress = Progress::start(format!("reading {}", files.name()));
    let found = files.measure(&asked, args.seed, &progress, &say)?;
    drop(progress);
    output::print(&match args.format {
        ReportFormat::Table => text::measurements(&found, Some(&output::name(file)), look()),
        ReportFormat::Json => output::pretty(&found.to_json()),
        ReportFormat::Csv => text::csv::measurements(&found),
    })
}

/// The measures of `a,b:x=1,y=2,c`: a comma separates them, unless a parameter follows.
fn separate(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for (place, part) in text.split(',').map(str::trim).enumerate() {
            let parameter = part.contains('=') && !part.contains(':');
            match names.last_mut().filter(|_| parameter && place > 0) {
                Some(name) => *name = format!("{name},{part}"),
                None => names.push(part.to_owned()),
            }
        }
    }
    names
}

/// Lists what there is, which no other option has to do with.
fn list(args: &Args) -> Result<()> {
    let Args { columns, many, measure, draws, seed, .. } = args;
    let given = [
        ("--label", columns.label.is_some()),
        ("--probs", columns.scores.probs.is_some()),
        ("--logits", columns.scores.logits.is_some()),
        ("--renormalise", columns.scores.renormalise),
        ("--weight", columns.weight.is_some()),
        ("--group", columns.group.is_some()),
        ("--key, --sample, --skip-bad-files", many.is_said()),
        ("--measure", !measure.is_empty()),
        ("--draws", draws.is_some()),
        ("--seed", *seed != 0),
        ("--format csv", args.format == ReportFormat::Csv),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!("{flag}: there is no file to measure"))
            .hint("without a file the measures are listed, as a table or as JSON"));
    }
    output::print(&match args.format {
        ReportFormat::Json => output::pretty(&lists::measures_json()),
        ReportFormat::Table | ReportFormat::Csv => lists::measures(look()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_measures_and_parameters() {
        let separated = |text: &str| separate(&[text.to_owned()]);
        assert_eq!(separated("ece,smooth"), ["ece", "smooth"]);
        assert_eq!(
            separated("ece:bins=20,by=mass,kernel:p=2, cox"),
            ["ece:bins=20,by=mass", "kernel:p=2", "cox"]
        );
        assert_eq!(separated("ece:bins=20,kernel:p=2,bandwidth=0.1").len(), 2);
    }
}
