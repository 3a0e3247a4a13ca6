//! `calipers inspect`: what Inspect logged of language models.

use std::path::PathBuf;

use calipers_files::InspectLogs;

use super::answers::{self, AnswersArgs};
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  calipers inspect logs/
  calipers inspect logs/*.eval --task arc --scorer sure --format json
  calipers inspect logs/ --model openai/gpt-4o -o report.html

A score says how sure the model was as `confidence` in its metadata, or in that
of the sample; --confidence-key is another name. Errors are of all tasks
together and of each, with bounds that hold together. Epochs of a sample belong
together. Of several logs of one model and task the last that succeeded counts;
runs with another solver, or other arguments or options of the model, are named
apart. Samples that were declared invalid are left out, and it is said.";

/// Measure language models from the logs of Inspect
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Logs of Inspect, .eval or .json, or directories of them
    #[arg(value_name = "LOGS", required = true, num_args = 1..)]
    pub paths: Vec<PathBuf>,

    /// Scorer to measure [default: the one that says how sure the model was]
    #[arg(long, value_name = "NAME")]
    pub scorer: Option<String>,

    /// Key of the metadata that holds how sure the model was, from 0 to 1
    #[arg(long, value_name = "KEY", default_value = "confidence")]
    pub confidence_key: String,

    #[command(flatten)]
    pub answers: AnswersArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    answers::run(&args.answers, |tasks| {
        let (scorer, key) = (args.scorer.clone(), args.confidence_key.clone());
        Ok(InspectLogs { tasks: tasks.to_vec(), scorer, key }.read(&args.paths)?)
    })
}
