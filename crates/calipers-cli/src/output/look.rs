//! What standard output looks like.

use std::io::{IsTerminal, stdout};

use calipers_draw::text::Look;

/// The command line's words; in a person's terminal, headers stand out.
pub fn look() -> Look {
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Look::command_line(stdout().is_terminal() && !colourless && !is_dumb())
}

/// Whether the terminal, if there is one, says that it can only print letters: an editor's, for example.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|value| value == "dumb")
}
