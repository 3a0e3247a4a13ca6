//! Columns as text.

use std::fmt::Write as _;
use std::io::{self, Write};

use csv::WriterBuilder;

use super::super::growing::Growing;
use super::super::packed::Packer;
use crate::sheet::{Cells, Sheet};

/// Writes CSV or TSV.
pub fn write(sheet: &Sheet<'_>, delimiter: u8, out: impl Write) -> io::Result<()> {
    let mut out = Writer::new(delimiter, out);
    out.append(sheet)?;
    out.inner.flush()
}

/// Text that sheets are added to; numbers are as short as they can be and still read back as the same.
pub struct Writer<W: Write> {
    inner: csv::Writer<W>,
    has_header: bool,
}

impl<W: Write> Writer<W> {
    /// Nothing is written yet.
    pub fn new(delimiter: u8, out: W) -> Self {
        let inner = WriterBuilder::new().delimiter(delimiter).from_writer(out);
        Self { inner, has_header: false }
    }

    /// Adds the rows of a sheet, after the header line if they are the first.
    pub fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()> {
        let out = &mut self.inner;
        if !std::mem::replace(&mut self.has_header, true) {
            out.write_record(sheet.columns.iter().map(|(name, _)| name)).map_err(failed)?;
        }
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
        Ok(())
    }
}

/// The system's error: a closed pipe is to be known as one.
fn failed(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl<W: Write> Growing for Writer<Packer<W>> {
    fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()> {
        self.append(sheet)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.inner.into_inner().map_err(|error| error.into_error())?.finish()
    }
}
