//! One file a command: its arguments with their help and examples, and its `run`.
//!
//! A new command is such a file, its `mod`, and a line in the list below, from which the program's
//! sub-commands, in this order, and the way to each `run` follow.

mod answers;
mod certify;
mod check;
mod columns;
mod compare;
mod completions;
mod estimate;
mod explain;
mod finish;
mod harness;
mod helm;
mod inspect;
mod lm_eval;
mod man;
mod many;
mod measure;
mod metrics;
mod models;
mod monitor;
mod neighbours;
mod plan;
mod plot;
mod predict;
mod recalibrate;
mod recalibrators;
mod report;
mod schema;
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
    LmEval => lm_eval,
    Inspect => inspect,
    Helm => helm,
    Monitor => monitor,
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
    Completions => completions,
    Man => man,
    Schema => schema,
}
