//! The settings of `calipers recalibrate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ColumnArgs, MEASURE, RunningArgs, ScoreArgs};

/// The two steps of recalibration.
#[derive(Debug, Subcommand)]
pub enum RecalibrateCommand {
    /// Learn from a file of predictions what they mean
    #[command(after_help = FIT_EXAMPLES)]
    Fit(FitArgs),
    /// Correct the probabilities of a file, which needs no labels
    #[command(after_help = APPLY_EXAMPLES)]
    Apply(ApplyArgs),
}

const FIT_EXAMPLES: &str = "\
Examples:
  calipers recalibrate fit validation.csv -o model.json
  calipers recalibrate fit validation.npz -o model.json --recalibrator isotonic

The model is JSON: numbers, the classes' names and the columns' names. Fit it to
predictions that the classifier was not trained on.";

const APPLY_EXAMPLES: &str = "\
Examples:
  calipers recalibrate apply model.json test.csv -o corrected.csv
  calipers recalibrate apply model.json test.parquet -o - | calipers estimate -

All columns of the file are written as they were, but for those of the
predictions, which are corrected. Without --probs and --logits these are the
columns that the model was fitted to, if they are there.";

/// The settings of `calipers recalibrate fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// File to write the model to: JSON; - prints it
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,

    #[command(flatten)]
    pub columns: ColumnArgs,

    /// What learns the truth from the predictions, with parameters after a colon, such as
    /// kernel:bandwidth=0.05. `calipers recalibrators` lists what there is
    #[arg(long, value_name = "R", default_value = "auto", help_heading = MEASURE)]
    pub recalibrator: String,

    /// Seed of everything random; the same seed gives the same model on any number of threads
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = MEASURE)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,
}

/// The settings of `calipers recalibrate apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The model that `calipers recalibrate fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// File to write: .csv, .tsv, .parquet, .arrow, .feather, .ipc or .npz; - prints CSV
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    #[command(flatten)]
    pub scores: ScoreArgs,

    #[command(flatten)]
    pub running: RunningArgs,
}
