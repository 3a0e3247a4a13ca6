//! `calipers columns`: how columns and labels are understood.

use calipers::labels::RULES;
use calipers_files::GUESSES;

use crate::error::Result;
use crate::output::print;

/// Explain how columns and labels are understood
#[derive(Debug, clap::Args)]
#[command(after_help = rules())]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Result<()> {
    print(&rules())
}

fn rules() -> String {
    format!("{GUESSES}\n{RULES}")
}
