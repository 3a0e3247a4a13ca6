//! What the program is, for commands that describe all of it. They are told: who lists the commands
//! imports them, so that they cannot import it.

use std::sync::OnceLock;

use clap::Command;

static DESCRIBE: OnceLock<fn() -> Command> = OnceLock::new();

/// Says how the program is described; the first time counts.
pub fn tell(describe: fn() -> Command) {
    DESCRIBE.get_or_init(|| describe);
}

/// The program with all its commands and options.
pub fn described() -> Command {
    DESCRIBE.get().map_or_else(|| Command::new("calipers"), |describe| describe())
}
