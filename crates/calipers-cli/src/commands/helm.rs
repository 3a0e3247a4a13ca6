//! `calipers helm`: what HELM wrote of language models.

use std::path::PathBuf;

use calipers_files::HelmRuns;

use super::answers::{self, AnswersArgs};
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  calipers helm benchmark_output/runs/my-suite/
  calipers helm benchmark_output/runs/my-suite/ --task boolq --format json

A run's per_instance_stats.json says how sure the model was of each answer
(max_prob) and whether it was right (exact_match): what HELM's own ece_10_bin is
made of. Errors are of all tasks together and of each, with bounds that hold
together. Perturbed copies of questions are not counted, trials of one question
belong together, and runs of models that gave no log-probabilities are named and
left out.";

/// Measure language models from the runs of HELM
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Directories of runs, or their per_instance_stats.json
    #[arg(value_name = "DIR", required = true, num_args = 1..)]
    pub paths: Vec<PathBuf>,

    #[command(flatten)]
    pub answers: AnswersArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    answers::run(&args.answers, |tasks| Ok(HelmRuns { tasks: tasks.to_vec() }.read(&args.paths)?))
}
