//! Results out: a report as table, JSON or CSV.

pub mod csv;
pub mod json;
pub mod junit;
pub mod style;
pub mod table;

mod notes;

use std::io::{self, Write};

use crate::error::{Failure, Result};
pub use notes::{count, notes};

/// Prints a result to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::stdout(&error))
}
