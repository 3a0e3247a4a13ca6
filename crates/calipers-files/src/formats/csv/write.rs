//! Columns as text.

use std::fmt::Write as _;
use std::io::{self, Write};

use csv::WriterBuilder;

use crate::sheet::{Cells, Sheet};

/// Writes CSV or TSV; numbers are as short as they can be and still read back as the same.
pub fn write(sheet: &Sheet<'_>, delimiter: u8, out: impl Write) -> io::Result<()> {
    let mut out = WriterBuilder::new().delimiter(delimiter).from_writer(out);
    out.write_record(sheet.columns.iter().map(|(name, _)| name)).map_err(failed)?;
    let mut cell = String::new();
    for row in 0..sheet.rows() {
        for (_, cells) in &sheet.columns {
            cell.clear();
            match cells {
                Cells::Class(class) => write!(cell, "{:?}", sheet.probs[[row, *class]]),
                Cells::Whole(numbers) => write!(cell, "{}", numbers[row]),
                Cells::Numbers(numbers) if numbers[row].is_nan() => Ok(()),
                Cells::Numbers(numbers) => write!(cell, "{:?}", numbers[row]),
                Cells::Text(text) => write!(cell, "{}", text.get(row)),
            }
            .map_err(io::Error::other)?;
            out.write_field(&cell).map_err(failed)?;
        }
        out.write_record(None::<&[u8]>).map_err(failed)?;
    }
    out.flush()
}

/// The system's error: a closed pipe is to be known as one.
fn failed(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
