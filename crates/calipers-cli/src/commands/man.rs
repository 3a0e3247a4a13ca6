//! `calipers man`: the help of every command as manual pages.

use std::io::Write;
use std::path::{Path, PathBuf};

use calipers_files::words::{did_you_mean, file_name, plain};
use clap::{Arg, Command};
use clap_mangen::Man;

use crate::error::{Failure, Result};
use crate::output::print;
use crate::program::described;

const INSTALL: &str = "\
Examples:
  calipers man | man -l -
  calipers man recalibrate fit | man -l -
  calipers man --out ~/.local/share/man/man1

With the last, `man calipers` and `man calipers-estimate` find the pages.";

/// Print a manual page, or write those of all commands
#[derive(Debug, clap::Args)]
#[command(after_help = INSTALL)]
pub struct Args {
    /// The command; without it the page is that of calipers
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Vec<String>,

    /// Directory to write the pages of all commands to; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    // What is built knows what each command is called in full.
    let mut program = described();
    program.build();
    let Some(directory) = &args.out else {
        return print(&String::from_utf8_lossy(&page(found(&program, &args.command)?)?));
    };
    std::fs::create_dir_all(directory).map_err(|error| {
        Failure::input(format!("cannot make {}: {}", file_name(directory), plain(&error)))
    })?;
    write_all(&program, directory)
}

/// The command of these names, one within the other.
fn found<'a>(program: &'a Command, names: &[String]) -> Result<&'a Command> {
    names.iter().try_fold(program, |within, name| {
        within.find_subcommand(name).ok_or_else(|| {
            let known = within.get_subcommands().map(Command::get_name);
            Failure::input(format!("{} has no command {name:?}", within.get_name()))
                .maybe_hint(did_you_mean(name, known))
        })
    })
}

/// A page of the manual, as roff.
fn page(command: &Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    // Who looks at the page of a command asks which calipers it is of.
    Man::new(shaped(command))
        .source(concat!("calipers ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(|error| Failure::unexpected(format!("a page of the manual: {}", plain(&error))))?;
    let heading = if examples(command).is_some() { ".SH EXAMPLES" } else { ".SH NOTES" };
    Ok(String::from_utf8_lossy(&text).replacen(".SH EXTRA", heading, 1).into_bytes())
}

/// The command as a page tells of it: options have their values in the synopsis, and the heading says
/// that there are examples.
fn shaped(command: &Command) -> Command {
    let mut shaped = command.clone();
    if command.get_overridden_usage().is_none() {
        shaped = shaped.override_usage(synopsis(command));
    }
    match examples(command) {
        Some(rest) => shaped.after_help(rest),
        None => shaped,
    }
}

/// The text behind the help, if it begins with examples.
fn examples(command: &Command) -> Option<String> {
    let text = command.get_after_help()?.to_string();
    text.strip_prefix("Examples:\n").map(str::to_owned)
}

/// How the command is called, with what options take.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = shown().filter(|arg| !arg.is_positional());
    // What has to be said stands behind what need not be, before the files.
    let (needed, free): (Vec<&Arg>, Vec<&Arg>) = options.partition(|arg| arg.is_required_set());
    let files = shown().filter(|arg| arg.is_positional());
    let mut words = vec![name.to_owned()];
    words.extend(free.into_iter().chain(needed).chain(files).map(used));
    words.extend(command.has_subcommands().then(|| "<COMMAND>".to_owned()));
    words.join(" ")
}

/// An argument as it is typed; in brackets, if it need not be.
fn used(arg: &Arg) -> String {
    let value = || match arg.get_value_names() {
        Some(names) => names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" "),
        None => arg.get_id().as_str().to_uppercase(),
    };
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    let takes = arg.get_action().takes_values();
    let more =
        if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "..." } else { "" };
    let text = match (flags.is_empty(), takes) {
        (true, _) => format!("{}{more}", value()),
        (false, true) => format!("{} {}{more}", flags.join("|"), value()),
        (false, false) => flags.join("|"),
    };
    if arg.is_required_set() { text } else { format!("[{text}]") }
}

/// The page of a command and those of the commands within it; `help` has none.
fn write_all(command: &Command, directory: &Path) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let text = page(command)?;
    calipers_files::write(&directory.join(format!("{name}.1")), |out| out.write_all(&text))?;
    let mut within = command.get_subcommands().filter(|one| one.get_name() != "help");
    within.try_for_each(|one| write_all(one, directory))
}
