//! `calipers recalibrators`: what the truth can be learnt with.

use calipers_draw::text::lists;

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::{look, pretty, print};

/// Runs the command.
pub fn recalibrators(args: &ListArgs) -> Result<()> {
    print(&match args.format {
        ListFormat::Table => lists::recalibrators(look()),
        ListFormat::Json => pretty(&lists::recalibrators_json()),
    })
}
