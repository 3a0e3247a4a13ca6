//! `calipers completions`: a shell's script that completes commands, options and their values.

use clap_complete::{Shell, generate};

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
    generate(args.shell, &mut described(), "calipers", &mut script);
    print(&String::from_utf8_lossy(&script))
}
