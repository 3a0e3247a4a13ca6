//! `calipers tally`: some files of a plan, added up.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use calipers::{Plan, Stop, with_pool};
use calipers_files::words::{file_name, plain};
use calipers_files::{About, Inputs, Layout, Pass};

use crate::args::{RunningArgs, many_to_read};
use crate::error::{Failure, Result};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers tally logs.plan logs/part-1.parquet -o 1.tally
  calipers tally logs.plan logs/part-2.parquet logs/part-3.parquet -o 2.tally

Every file of the plan has to be in one tally. Files are named as the plan was
told them, unless rows have keys (calipers plan --key).";

/// Add up what a plan makes of some of its files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The plan that `calipers plan` wrote
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,

    #[arg(value_name = "FILE", required = true, num_args = 1.., help = many_to_read())]
    pub files: Vec<PathBuf>,

    /// File to write the tally to
    #[arg(short, long, value_name = "TALLY")]
    pub output: PathBuf,

    #[command(flatten)]
    pub running: RunningArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let plan = read_plan(&args.plan)?;
    let about = About::from_json(plan.notes())?;
    let inputs = Inputs::find(&args.files)?;
    let layout = Layout::of(&inputs, &about.columns())?;
    let progress = Progress::start("reading");
    let reading = progress.reading("scoring", inputs.total());
    let seen = |rows, bytes| reading.seen(rows, bytes);
    let threads = args.running.threads.into();
    let pass = Pass::new(&inputs, &layout).threads(threads).seen(&seen);
    let tally = pass.count(&plan, &about)?;
    drop(progress);
    let bytes = tally.to_bytes().map_err(|error| Failure::unexpected(error.to_string()))?;
    Ok(calipers_files::write(&args.output, |file| file.write_all(&bytes))?)
}

/// Reads a plan.
pub fn read_plan(path: &Path) -> Result<Plan> {
    let bytes = read_bytes(path)?;
    // What a plan holds is built on threads of ours, as anything that may take long.
    with_pool(1, &Stop::new(), || Plan::from_bytes(&bytes))
        .map_err(|error| Failure::input(format!("{}: {error}", file_name(path))))
}

/// The bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| {
        Failure::input(format!("cannot read {}: {}", file_name(path), plain(&error)))
    })
}
