//! `calipers recalibrators`: what the truth can be learnt with.

use calipers_draw::text::lists;

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::{look, pretty, print};

/// List the recalibrators: what the truth is learnt with
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub list: ListArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    print(&match args.list.format {
        ListFormat::Table => lists::recalibrators(look()),
        ListFormat::Json => pretty(&lists::recalibrators_json()),
    })
}
