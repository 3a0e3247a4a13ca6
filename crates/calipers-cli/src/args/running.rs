//! How to run.

use clap::Args;

use super::OUTPUT;

/// How to run.
#[derive(Debug, Args)]
pub struct RunningArgs {
    /// Threads to use; 0 for one a core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(0..=1024),
        help_heading = OUTPUT
    )]
    pub threads: u16,
}
