//! `calipers metrics`: what can be measured, and how to name it.

use calipers_draw::text::lists;

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::{look, pretty, print};

/// List the metrics: what can be measured
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub list: ListArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    print(&match args.list.format {
        ListFormat::Table => lists::metrics(look()),
        ListFormat::Json => pretty(&lists::metrics_json()),
    })
}
