//! `calipers`: calibration errors of a file of predictions, on the command line.
//!
//! A run is: parse the arguments ([`args`]), run the command ([`commands`]), print the result to
//! standard output and everything else to standard error, and exit with a status that scripts can
//! rely on ([`exit`]). A command that estimates reads its file into a table ([`input`]), makes
//! predictions of its columns ([`columns`]), lets the `calipers` crate do the mathematics, and
//! prints the report ([`output`]).

mod args;
mod columns;
mod commands;
mod error;
mod exit;
mod format;
mod input;
mod output;
mod progress;
mod suggest;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use error::{Failure, say};
use exit::Exit;

/// Keeps memory that was freed for the next large array. The system's allocator gives it back at
/// once, and finding it again took half of the time of an estimate on a million rows
/// (`bench/million_rows.py`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to standard output, faults to standard error; a closed pipe is neither.
            let _ = error.print();
            let exit = if error.use_stderr() { Exit::BadInput } else { Exit::Fine };
            return exit.into();
        }
    };
    let done = panic::catch_unwind(|| match cli.command {
        Command::Estimate(args) => commands::estimate(&args).map(|()| Exit::Fine),
        Command::Check(args) => commands::check(&args),
        Command::Compare(args) => commands::compare(&args).map(|()| Exit::Fine),
        Command::Report(args) => commands::report(&args).map(|()| Exit::Fine),
        Command::Plot(args) => commands::plot(&args).map(|()| Exit::Fine),
        Command::Neighbours(args) => commands::neighbours(&args).map(|()| Exit::Fine),
        Command::Simulate(args) => commands::simulate(&args).map(|()| Exit::Fine),
        Command::Metrics(args) => commands::metrics(&args).map(|()| Exit::Fine),
        Command::Recalibrators(args) => commands::recalibrators(&args).map(|()| Exit::Fine),
    });
    let exit = match done {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => Failure::report(&failure),
        Err(_) => {
            say("error: this is a bug in calipers; please report it with the lines above");
            Exit::Unexpected
        }
    };
    exit.into()
}
