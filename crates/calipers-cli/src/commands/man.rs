//! `calipers man`: the help of every command as manual pages.

use std::io::Write;
use std::path::{Path, PathBuf};

use calipers_files::words::{did_you_mean, file_name, plain};
use clap::Command;
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
    Man::new(command.clone())
        .render(&mut text)
        .map_err(|error| Failure::unexpected(format!("a page of the manual: {}", plain(&error))))?;
    Ok(text)
}

/// The page of a command and those of the commands within it; `help` has none.
fn write_all(command: &Command, directory: &Path) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let text = page(command)?;
    calipers_files::write(&directory.join(format!("{name}.1")), |out| out.write_all(&text))?;
    let mut within = command.get_subcommands().filter(|one| one.get_name() != "help");
    within.try_for_each(|one| write_all(one, directory))
}
