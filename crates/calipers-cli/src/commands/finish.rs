//! `calipers finish`: tallies put together.

use std::path::PathBuf;

use calipers::Tally;
use calipers_draw::text::{self, Face};
use calipers_files::words::file_name;

use super::explain::explain;
use super::tally::{read_bytes, read_plan};
use crate::args::{OUTPUT, ReportFormat};
use crate::error::{Failure, Result, say};
use crate::output::{self, look};

const EXAMPLES: &str = "\
Examples:
  calipers finish logs.plan 1.tally 2.tally
  calipers finish logs.plan *.tally --format json

The same report, to the last bit, as calipers estimate of all files at once.
Rows that are missing, or that two tallies have counted, are an error.";

/// Put the tallies of a plan together, and print the report
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The plan that `calipers plan` wrote
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,

    /// The tallies that `calipers tally` wrote
    #[arg(value_name = "TALLY", required = true, num_args = 1..)]
    pub tallies: Vec<PathBuf>,

    /// How to print the estimates
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let plan = read_plan(&args.plan)?;
    let mut all = plan.tally();
    for path in &args.tallies {
        let tally = Tally::from_bytes(&read_bytes(path)?);
        let merged = tally.and_then(|tally| all.merge(&tally));
        merged.map_err(|error| Failure::input(format!("{}: {error}", file_name(path))))?;
    }
    let report = plan.finish(&all).map_err(|error| explain(&error))?;
    let notes = text::notes(&report, Face::CommandLine);
    let name = file_name(&args.plan);
    output::print(&match args.format {
        ReportFormat::Table => text::report(&report, Some(&name), false, &notes, look()),
        ReportFormat::Json => output::pretty(&report.to_json()),
        ReportFormat::Csv => text::csv::report(&report),
    })?;
    if args.format != ReportFormat::Table {
        notes.iter().for_each(|note| say(note));
    }
    Ok(())
}
