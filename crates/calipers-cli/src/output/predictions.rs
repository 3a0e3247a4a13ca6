//! Predictions as a file: the column `label`, then one probability a class.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use calipers::Predictions;

use crate::error::{Failure, Result};
use crate::format::Format;

/// Writes CSV to standard output.
pub fn to_stdout(predictions: &Predictions) -> Result<()> {
    delimited(predictions, b',', io::stdout().lock()).map_err(|error| Failure::stdout(&error))
}

/// Writes a file of a format.
pub fn write(predictions: &Predictions, format: Format, file: &mut File) -> io::Result<()> {
    match format {
        Format::Csv(delimiter) => delimited(predictions, delimiter.unwrap_or(b','), file),
        _ => Err(io::Error::other("x")),
    }
}

/// Text; numbers are as short as they can be and still read back as the same.
fn delimited(predictions: &Predictions, delimiter: u8, out: impl Write) -> io::Result<()> {
    let delimiter = char::from(delimiter);
    let mut out = BufWriter::new(out);
    write!(out, "label")?;
    for class in 0..predictions.classes() {
        write!(out, "{delimiter}p_{class}")?;
    }
    writeln!(out)?;
    for (label, row) in predictions.labels().iter().zip(predictions.probs().rows()) {
        write!(out, "{label}")?;
        for value in row {
            write!(out, "{delimiter}{value:?}")?;
        }
        writeln!(out)?;
    }
    out.flush()
}
