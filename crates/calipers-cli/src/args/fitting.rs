//! What learns the truth, and from which rows.

use clap::Args;

use super::{FOLDS, MEASURE, RunningArgs};

/// What learns the truth, and from which rows.
#[derive(Debug, Args)]
pub struct FittingArgs {
    /// What learns the truth from the predictions, with parameters after a colon, such as
    /// kernel:bandwidth=0.05. `calipers recalibrators` lists what there is
    #[arg(long, value_name = "R", default_value = "auto", help_heading = MEASURE)]
    pub recalibrator: String,

    /// Folds of the cross-validation, shuffled by the seed [default: 5]
    #[arg(long, value_name = "K", allow_negative_numbers = true, help_heading = FOLDS)]
    pub folds: Option<usize>,

    /// Column that says which fold a row belongs to, instead of shuffled folds
    #[arg(long, value_name = "COL", conflicts_with = "folds", help_heading = FOLDS)]
    pub fold_column: Option<String>,

    /// Column that says which rows belong together, such as those of one patient: folds keep them
    /// together, and bounds allow for what they share
    #[arg(long, value_name = "COL", conflicts_with = "time", help_heading = FOLDS)]
    pub cluster: Option<String>,

    /// Column of numbers or dates that says when a row was: folds are pieces of time, and bounds allow
    /// for what neighbours share
    #[arg(long, value_name = "COL", conflicts_with = "fold_column", help_heading = FOLDS)]
    pub time: Option<String>,

    /// Draw the folds this often and average
    #[arg(long, value_name = "R", default_value_t = 1, allow_negative_numbers = true, help_heading = FOLDS)]
    pub repeats: usize,

    /// Seed of everything random; the same seed gives the same digits on any number of threads
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = FOLDS)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,
}
