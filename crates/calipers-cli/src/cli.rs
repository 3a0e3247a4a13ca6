//! The command line as a whole.

use std::path::PathBuf;

use clap::Parser;

use crate::args::OUTPUT;
use crate::commands::Command;

/// How far a classifier's probabilities are from the truth.
///
/// calipers estimates the calibration error of a file of predictions: how far the probabilities
/// that a classifier gave are from the frequencies with which the classes turned out. The
/// estimate needs no bins, and in expectation it never exceeds the true error.
#[derive(Debug, Parser)]
#[command(name = "calipers", version, subcommand_required = true, max_term_width = 80)]
pub struct Cli {
    /// File of options that need not be typed [default: calipers.toml here or above]
    #[arg(long, global = true, value_name = "TOML", help_heading = OUTPUT)]
    pub config: Option<PathBuf>,

    /// Look for no calipers.toml
    #[arg(long, global = true, conflicts_with = "config", help_heading = OUTPUT)]
    pub no_config: bool,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}
