//! One file a command: its arguments with their help and examples, and its `run`.
//!
//! A new command is such a file, its `mod`, and a line in the list below, from which the program's
//! sub-commands, in this order, and the way to each `run` follow.

mod certify;
mod check;
mod columns;
mod compare;
mod estimate;
mod explain;
mod finish;
mod many;
mod measure;
mod metrics;
mod neighbours;
mod plan;
mod plot;
mod predict;
mod recalibrate;
mod recalibrators;
mod report;
mod simulate;
mod tally;

use clap::Subcommand;

use crate::error::Result;
use crate::exit::Exit;

macro_rules! commands {
    ($($name:ident => $module:ident,)*) => {
        /// What can be asked for.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($name(Box<$module::Args>),)*
        }

        impl Command {
            /// Runs the command; the exit status says how it went.
            pub fn run(&self) -> Result<Exit> {
                match self {
                    $(Self::$name(args) => $module::run(args).map(Exit::from),)*
                }
            }
        }
    };
}

commands! {
    Estimate => estimate,
    Check => check,
    Certify => certify,
    Compare => compare,
    Report => report,
    Plan => plan,
    Tally => tally,
    Finish => finish,
    Plot => plot,
    Neighbours => neighbours,
    Recalibrate => recalibrate,
    Simulate => simulate,
    Metrics => metrics,
    Recalibrators => recalibrators,
    Columns => columns,
}
