//! CSV and TSV, read as a stream, as a whole or some rows at a time: the text is never in memory as a
//! whole.
//!
//! A column starts as numbers and becomes text at the first cell that is not a number. Quoted
//! fields, any line ends, a byte order mark and blank lines are fine; a row with more or fewer
//! fields than the header is not.

use std::io::{self, Chain, Cursor, ErrorKind, Read};

use csv::{ByteRecord, ReaderBuilder};

use super::super::packed::refused;
use super::super::pieces::Size;
use super::super::started;
use super::builder::Builder;
use super::lines::UnixLines;
use super::record::{Records, too_long};
use crate::error::{Error, Result, unreadable};
use crate::table::{Column, Lines, Source, Table, Wanted};
use calipers::words::thousands;

/// Large enough that system calls cost nothing beside the parsing.
const BUFFER: usize = 1 << 18;

/// Columns that a table may have. Each takes a hundred bytes even if it is empty, which a line of
/// nothing but commas would multiply.
const MOST_COLUMNS: usize = 1_000_000;

/// A file of which the first line was looked at.
type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

/// Text with a delimiter, of which the header line was read.
pub struct Reader<'a, R> {
    inner: csv::Reader<Records<UnixLines<Begun<R>>>>,
    name: &'a str,
    names: Vec<String>,
    builders: Vec<Builder>,
    /// Rows that were handed over.
    rows: u64,
    record: ByteRecord,
}

impl<'a, R: Read> Reader<'a, R> {
    /// Reads the header line; a delimiter of `None` is found out from it.
    pub fn open(
        mut file: R,
        name: &'a str,
        delimiter: Option<u8>,
        wanted: &Wanted,
    ) -> Result<Self> {
        let start = first_line(&mut file).map_err(|error| failed(name, &error))?;
        refuse_other_formats(&start, name)?;
        let delimiter = delimiter.unwrap_or_else(|| sniff(&start));
        let mut inner = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .has_headers(false)
            .buffer_capacity(BUFFER)
            .from_reader(Records::new(UnixLines::new(Cursor::new(start).chain(file))));
        let mut record = ByteRecord::new();
        if !next(&mut inner, &mut record, name)? {
            return Err(Error::input(format!("{name}: the file is empty")));
        }
        if record.len() > MOST_COLUMNS {
            return Err(Error::input(format!(
                "{name}: the header names {} columns; {} are the most",
                thousands(record.len()),
                thousands(MOST_COLUMNS)
            )));
        }
        let names: Vec<String> = record.iter().map(|cell| lossy(cell.trim_ascii())).collect();
        let builders = names.iter().map(|name| Builder::new(wanted, name)).collect();
        Ok(Self { inner, name, names, builders, rows: 0, record })
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// Reads the next rows, as many as the size allows or there are.
    pub fn take(&mut self, size: Size) -> Result<Table> {
        let Self { inner, name, names, builders, record, .. } = self;
        let mut lines = Lines::default();
        let mut rows = 0;
        let mut letters: u64 = 0;
        while rows < size.rows && letters < size.letters && next(inner, record, name)? {
            // Every record ends with a line end, so the line is the one before the reader's.
            let line = inner.position().line() - 1;
            if record.len() != names.len() {
                return Err(Error::input(format!(
                    "{name}, line {line}: {} where the header has {}",
                    fields(record.len()),
                    names.len()
                )));
            }
            for (builder, cell) in builders.iter_mut().zip(&*record) {
                builder.push(cell.trim_ascii());
            }
            lines.note(rows, line);
            rows += 1;
            letters += record.as_slice().len() as u64;
        }
        let first = self.rows;
        self.rows += rows as u64;
        let columns = self.names.iter().zip(&mut self.builders);
        let columns =
            columns.map(|(name, builder)| Column { name: name.clone(), values: builder.take() });
        let source = Source::text(self.name, lines).starting(first);
        Ok(Table { source, columns: columns.collect() })
    }
}

/// Reads a record, if there is one.
fn next<R: Read>(
    reader: &mut csv::Reader<Records<R>>,
    record: &mut ByteRecord,
    name: &str,
) -> Result<bool> {
    let line = reader.position().line();
    let read = reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == ErrorKind::FileTooLarge => {
            Error::input(format!("{name}, line {line}: {}", too_long()))
                .with_hint("is there a quote that is never closed?")
        }
        csv::ErrorKind::Io(error) => failed(name, &error),
        other => Error::input(format!("cannot read {name}: {other:?}")),
    });
    reader.get_mut().ended();
    read
}

/// Why the file cannot be read, or why it is not: it unfolds to too much.
fn failed(name: &str, error: &io::Error) -> Error {
    refused(error).unwrap_or_else(|| unreadable(name, error))
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

fn lossy(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

/// Reads until the first line is there, or enough of it.
fn first_line(file: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    while start.len() < BUFFER && memchr::memchr2(b'\n', b'\r', &start).is_none() {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        start.extend_from_slice(&chunk[..count]);
    }
    Ok(start)
}

/// The first line, or enough of it.
fn header(start: &[u8]) -> &[u8] {
    let end = memchr::memchr2(b'\n', b'\r', start).unwrap_or(start.len());
    &start[..end]
}

/// The delimiter of a header line: a comma, unless there is none and a tab or semicolon is there.
fn sniff(start: &[u8]) -> u8 {
    let line = header(start);
    let delimiters = [b',', b'\t', b';'];
    delimiters.into_iter().find(|delimiter| line.contains(delimiter)).unwrap_or(b',')
}

/// A binary file read as text would give a puzzling message.
fn refuse_other_formats(start: &[u8], name: &str) -> Result<()> {
    let binary = start.starts_with(b"\0").then_some("binary");
    // No text has bytes of zero but UTF-16, whose letters are half zeros.
    let zeros = header(start).contains(&0).then_some("binary: its first line has bytes of zero");
    match started(start).or(binary).or(zeros) {
        None => Ok(()),
        Some(kind) => Err(Error::input(format!("{name}: expected CSV, but it is {kind}"))),
    }
}

#[cfg(test)]
mod tests;
