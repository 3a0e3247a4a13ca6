//! `calipers completions`: a shell's script that completes commands, options and their values.

use std::sync::LazyLock;

use calipers::{Simulation, neighbours, recalibrators};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::{Shell, generate};

use super::explain::common_metrics;
use super::schema;
use crate::error::Result;
use crate::output::print;
use crate::program::described;

const INSTALL: &str = "\
To install it:
  calipers completions bash >
      ~/.local/share/bash-completion/completions/calipers
  calipers completions zsh > ~/.zfunc/_calipers
      with fpath+=~/.zfunc before compinit in ~/.zshrc
  calipers completions fish > ~/.config/fish/completions/calipers.fish
  calipers completions powershell >> $PROFILE
  calipers completions elvish >> ~/.config/elvish/rc.elv

Directories have to be there. A new version has new options: print it again.";

/// Print a script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = INSTALL)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    let mut program = hinted(described());
    generate(args.shell, &mut program, "calipers", &mut script);
    let more = if args.shell == Shell::Fish { words_of_fish(&program) } else { String::new() };
    print(&(String::from_utf8_lossy(&script).into_owned() + &more))
}

/// What clap leaves out of fish's script: the words that a command takes without an option.
fn words_of_fish(program: &Command) -> String {
    let line = |command: &Command, values: &[String]| {
        let name = command.get_name();
        let within = format!("__fish_calipers_using_subcommand {name}");
        format!("complete -c calipers -n \"{within}\" -f -a \"{}\"\n", values.join(" "))
    };
    let words = |command: &Command| -> Vec<String> {
        let all = command.get_positionals().flat_map(Arg::get_possible_values);
        all.map(|value| value.get_name().to_owned()).collect()
    };
    let commands = program.get_subcommands().map(|command| (command, words(command)));
    commands
        .filter(|(_, words)| !words.is_empty())
        .map(|(command, words)| line(command, &words))
        .collect()
}

// clap takes names that live as long as the program does.
static METRICS: LazyLock<Vec<String>> = LazyLock::new(common_metrics);
static COMMANDS: LazyLock<Vec<String>> = LazyLock::new(|| names(&described()));

/// A command, and those within it, with the values that a shell can suggest. It is for scripts alone, which
/// refuse nothing: the program itself takes metrics and recalibrators with parameters, and says more of
/// names that are misspelt.
fn hinted(command: Command) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|arg| match values(&name, arg.get_id().as_str()) {
            Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
            None => arg,
        })
        .mut_subcommands(hinted)
}

/// The values of an argument, if they can be told.
fn values(command: &str, argument: &str) -> Option<Vec<&'static str>> {
    Some(match (command, argument) {
        (_, "metric") => METRICS.iter().map(String::as_str).collect(),
        (_, "recalibrator") => recalibrators().map(|one| one.name).collect(),
        (_, "measure") => neighbours().map(|one| one.name).collect(),
        ("simulate", "name") => Simulation::all().iter().map(|one| one.name).collect(),
        ("schema", "name") => schema::names().collect(),
        ("man", "command") => COMMANDS.iter().map(String::as_str).collect(),
        _ => return None,
    })
}

/// The names of the commands, and of those within them.
fn names(program: &Command) -> Vec<String> {
    let within = program.get_subcommands();
    within.flat_map(|one| std::iter::once(one.get_name().to_owned()).chain(names(one))).collect()
}
