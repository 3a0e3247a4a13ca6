//! Predictions as text.

use std::io::{self, BufWriter, Write};

use calipers::Predictions;

/// Writes CSV or TSV; numbers are as short as they can be and still read back as the same.
pub fn write(predictions: &Predictions<'_>, delimiter: u8, out: impl Write) -> io::Result<()> {
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
