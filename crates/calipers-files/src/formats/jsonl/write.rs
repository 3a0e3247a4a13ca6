//! Columns as an object a line.

use std::io::{self, ErrorKind, Write};

use super::super::growing::Growing;
use super::super::packed::Packer;
use crate::sheet::{Cells, Sheet};

/// Text that sheets are added to; numbers are as short as they can be and still read back as the same.
pub struct Writer<W: Write> {
    out: Packer<W>,
    line: String,
}

impl<W: Write> Writer<W> {
    /// Nothing is written yet.
    pub fn new(out: Packer<W>) -> Self {
        Self { out, line: String::new() }
    }

    /// Adds the rows of a sheet.
    pub fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()> {
        let keys: Vec<String> =
            sheet.columns.iter().map(|(name, _)| quoted(name)).collect::<io::Result<_>>()?;
        for row in 0..sheet.rows() {
            self.line.clear();
            for (at, ((name, cells), key)) in sheet.columns.iter().zip(&keys).enumerate() {
                self.line.push_str(if at == 0 { "{" } else { ", " });
                self.line.push_str(key);
                self.line.push_str(": ");
                self.line.push_str(&match cells {
                    Cells::Class(class) => number(sheet.probs[[row, *class]], name)?,
                    Cells::Whole(numbers) => numbers[row].to_string(),
                    Cells::Numbers(numbers) => number(numbers[row], name)?,
                    Cells::Text(text) if text.get(row).is_empty() => "null".to_owned(),
                    Cells::Text(text) => quoted(text.get(row))?,
                });
            }
            self.line.push_str(if sheet.columns.is_empty() { "{}\n" } else { "}\n" });
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    /// Writes what is left, and the end.
    pub fn finish(self) -> io::Result<()> {
        self.out.finish()
    }
}

fn quoted(text: &str) -> io::Result<String> {
    serde_json::to_string(text).map_err(io::Error::other)
}

/// A number as JSON has it; what is missing is null.
fn number(number: f64, column: &str) -> io::Result<String> {
    match number {
        number if number.is_nan() => Ok("null".to_owned()),
        number if number.is_infinite() => Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!("{column} has an infinite number, and JSON has none"),
        )),
        number => Ok(format!("{number:?}")),
    }
}

impl<W: Write> Growing for Writer<W> {
    fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()> {
        self.append(sheet)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()
    }
}
