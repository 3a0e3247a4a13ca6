//! CSV and TSV: text with a delimiter and a header line.

mod lines;
mod read;
mod record;
mod write;

use std::fs::File;
use std::io;
use std::path::Path;

use super::{Asked, Format, Support};
use crate::error::Result;
use crate::sheet::Sheet;
use crate::table::{Table, Wanted};

pub(super) const FORMAT: Format = Format {
    name: "CSV",
    about: "CSV or TSV with a header line",
    extensions: &["csv", "tsv", "txt"],
    aliases: &["tab"],
    start: None,
    arrays: false,
    support: Support::BuiltIn { read, write },
};

fn read(file: File, asked: Asked<'_>) -> Result<Table> {
    read::read(file, asked.name, delimiter(asked.path), asked.wanted)
}

/// Reads standard input.
pub(crate) fn read_stdin(wanted: &Wanted) -> Result<Table> {
    read::read(io::stdin().lock(), "standard input", None, wanted)
}

fn write(sheet: &Sheet<'_>, path: &Path, file: &mut File) -> io::Result<()> {
    write::write(sheet, delimiter(path).unwrap_or(b','), file)
}

/// Writes to standard output.
pub(crate) fn print(sheet: &Sheet<'_>) -> io::Result<()> {
    write::write(sheet, b',', io::stdout().lock())
}

/// The delimiter, if the file's name tells; else the first line does.
fn delimiter(path: &Path) -> Option<u8> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    ["tsv", "tab"].contains(&extension.as_str()).then_some(b'\t')
}
