//! `calipers`: calibration errors of a file of predictions, on the command line.
//!
//! A run ([`run`]) is: parse the arguments (`cli`) with those of the project's file (`config`), run the
//! command (`commands`), print the result to standard output and everything else to standard error, and exit with a status that scripts can
//! rely on (`exit`). A command that estimates reads its file with [`calipers_files`], lets the
//! [`calipers`] crate do the mathematics, and prints the report (`output`).
//!
//! The program is [`run`] with the process's arguments. Programs that have files of predictions and
//! want them read as `calipers` reads them call [`calipers_files::predictions`].

mod args;
mod cli;
mod commands;
mod config;
mod error;
mod exit;
mod model;
mod output;
mod program;
mod progress;

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};

use cli::Cli;
use error::{Failure, say};
use exit::Exit;

/// Runs the program; the first argument is its name.
///
/// ```
/// use std::process::ExitCode;
///
/// assert_eq!(calipers_cli::run(["calipers", "metrics"]), ExitCode::SUCCESS);
/// assert_eq!(calipers_cli::run(["calipers", "estimate", "nowhere.csv"]), ExitCode::from(2));
/// ```
pub fn run<I, A>(args: I) -> ExitCode
where
    I: IntoIterator<Item = A>,
    A: Into<OsString> + Clone,
{
    program::tell(Cli::command);
    let typed = args.into_iter().map(Into::into).collect();
    let line = match config::complete(typed, &Cli::command()) {
        Ok(line) => line,
        Err(failure) => return failure.report().into(),
    };
    line.notes.iter().for_each(|note| say(note));
    let parsed = line.program(Cli::command()).try_get_matches_from(&line.args);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let error = suggest(error);
            // Help goes to standard output, faults to standard error; a closed pipe is neither.
            let _ = error.print();
            let exit = if error.use_stderr() { Exit::BadInput } else { Exit::Fine };
            return exit.into();
        }
    };
    let done = panic::catch_unwind(|| cli.command.run());
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

/// What others call the commands, where no likeness of letters would lead to them.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("evaluate", "estimate"),
    ("eval", "estimate"),
    ("measure", "estimate"),
    ("calibration-error", "estimate"),
    ("calibrate", "recalibrate"),
    ("fit", "recalibrate"),
    ("apply", "recalibrate"),
    ("ece", "neighbours"),
    ("draw", "plot"),
];

/// Suggests the command that was meant by another name.
fn suggest(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidSubcommand)
        && let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| other == asked)
    {
        let meant = ContextValue::Strings(vec![(*name).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}
