//! Results out: text on standard output.

pub mod look;

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use calipers_files::words::file_name;
use serde_json::Value;

use crate::error::{Failure, Result};
pub use look::look;

/// Prints a result to standard output. That nobody reads it any more (`calipers check … | head -1`) is no
/// reason to stop: the exit status and what is written to files are results, too.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| Failure::stdout(&error)),
    }
}

/// JSON over several lines.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// What a file of predictions is called.
pub fn name(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file_name(file) }
}
