//! `calipers metrics`: what can be measured, and how to name it.

use calipers_draw::text::lists;

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::{look, pretty, print};

/// Runs the command.
pub fn metrics(args: &ListArgs) -> Result<()> {
    print(&match args.format {
        ListFormat::Table => lists::metrics(look()),
        ListFormat::Json => pretty(&lists::metrics_json()),
    })
}
