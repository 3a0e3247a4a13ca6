//! CSV and TSV, read as a stream: the text is never in memory as a whole.
//!
//! A column starts as numbers and becomes text at the first cell that is not a number. Quoted
//! fields, any line ends, a byte order mark and blank lines are fine; a row with more or fewer
//! fields than the header is not.

use std::io::{Cursor, ErrorKind, Read};

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::super::started;
use super::lines::UnixLines;
use super::record::{Records, too_long};
use crate::error::{Error, Result, unreadable};
use crate::table::{Column, Lines, NOT_READ, Source, Table, Text, Values, Wanted};
use calipers::words::thousands;

/// Large enough that system calls cost nothing beside the parsing.
const BUFFER: usize = 1 << 18;

/// Columns that a table may have. Each takes a hundred bytes even if it is empty, which a line of
/// nothing but commas would multiply.
const MOST_COLUMNS: usize = 1_000_000;

/// Reads text with a delimiter; `None` finds it out from the first line.
pub fn read(
    mut file: impl Read,
    name: &str,
    delimiter: Option<u8>,
    wanted: &Wanted,
) -> Result<Table> {
    let start = first_line(&mut file).map_err(|error| unreadable(name, &error))?;
    refuse_other_formats(&start, name)?;
    let delimiter = delimiter.unwrap_or_else(|| sniff(&start));
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .buffer_capacity(BUFFER)
        .from_reader(Records::new(UnixLines::new(Cursor::new(start).chain(file))));
    let mut record = ByteRecord::new();
    if !next(&mut reader, &mut record, name)? {
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
    let mut builders: Vec<Builder> = names.iter().map(|name| Builder::new(wanted, name)).collect();
    let mut lines = Lines::default();
    let mut rows = 0;
    while next(&mut reader, &mut record, name)? {
        // Every record ends with a line end, so the line is the one before the reader's.
        let line = reader.position().line() - 1;
        if record.len() != names.len() {
            return Err(Error::input(format!(
                "{name}, line {line}: {} where the header has {}",
                fields(record.len()),
                names.len()
            )));
        }
        for (builder, cell) in builders.iter_mut().zip(&record) {
            builder.push(cell.trim_ascii());
        }
        lines.note(rows, line);
        rows += 1;
    }
    let columns = names.into_iter().zip(builders);
    let columns = columns.map(|(name, builder)| Column { name, values: builder.finish() });
    Ok(Table { source: Source::text(name, lines), columns: columns.collect() })
}

/// Reads a record, if there is one.
fn next<R: Read>(
    reader: &mut Reader<Records<R>>,
    record: &mut ByteRecord,
    name: &str,
) -> Result<bool> {
    let line = reader.position().line();
    let read = reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == ErrorKind::FileTooLarge => {
            Error::input(format!("{name}, line {line}: {}", too_long()))
                .with_hint("is there a quote that is never closed?")
        }
        csv::ErrorKind::Io(error) => unreadable(name, &error),
        other => Error::input(format!("cannot read {name}: {other:?}")),
    });
    reader.get_mut().ended();
    read
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

fn lossy(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

/// Reads until the first line is there, or enough of it.
fn first_line(file: &mut impl Read) -> std::io::Result<Vec<u8>> {
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
    let kinds: [(&[u8], &str); 4] = [
        (b"\x1f\x8b", "gzip-compressed"),
        (b"\xff\xfe", "UTF-16 text"),
        (b"\xfe\xff", "UTF-16 text"),
        (b"\0", "binary"),
    ];
    let other = kinds.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    // No text has bytes of zero but UTF-16, whose letters are half zeros.
    let zeros = header(start).contains(&0).then_some("binary: its first line has bytes of zero");
    match started(start).or(other).or(zeros) {
        None => Ok(()),
        Some(kind) => Err(Error::input(format!("{name}: expected CSV, but it is {kind}"))),
    }
}

/// A column while it is read.
enum Builder {
    Numbers {
        numbers: Vec<f64>,
        /// Cells such as `NA` that mean a missing number, but may be a name in a text.
        marks: Vec<(usize, &'static str)>,
    },
    Text(Text),
    /// A column that was not asked for.
    Skipped,
}

/// What stands for a missing number in files that R, pandas or polars wrote.
const MISSING: [&str; 6] = ["NA", "NaN", "nan", "null", "NULL", "None"];

impl Builder {
    fn new(wanted: &Wanted, name: &str) -> Self {
        if wanted.wants(name) {
            Self::Numbers { numbers: Vec::new(), marks: Vec::new() }
        } else {
            Self::Skipped
        }
    }

    fn push(&mut self, cell: &[u8]) {
        match self {
            Self::Skipped => {}
            Self::Text(text) => text.push(&String::from_utf8_lossy(cell)),
            Self::Numbers { numbers, marks } => {
                if cell.is_empty() {
                    numbers.push(f64::NAN);
                } else if let Some(number) = number(cell) {
                    numbers.push(number);
                } else if let Some(mark) = MISSING.iter().find(|mark| mark.as_bytes() == cell) {
                    marks.push((numbers.len(), mark));
                    numbers.push(f64::NAN);
                } else {
                    let mut text = to_text(numbers, marks);
                    text.push(&String::from_utf8_lossy(cell));
                    *self = Self::Text(text);
                }
            }
        }
    }

    fn finish(self) -> Values {
        match self {
            Self::Numbers { numbers, marks } if marks.len() == numbers.len() => {
                Values::Text(to_text(&numbers, &marks))
            }
            Self::Numbers { numbers, .. } => Values::Numbers(numbers),
            Self::Text(text) => Values::Text(text),
            Self::Skipped => Values::Other(NOT_READ.to_owned()),
        }
    }
}

/// Turns numbers back into text; `1.0` comes back as `1`.
fn to_text(numbers: &[f64], marks: &[(usize, &str)]) -> Text {
    let mut marks = marks.iter().peekable();
    let mut text = Text::default();
    for (row, number) in numbers.iter().enumerate() {
        if let Some((_, mark)) = marks.next_if(|(at, _)| *at == row) {
            text.push(mark);
        } else if number.is_nan() {
            text.push("");
        } else {
            text.push(&number.to_string());
        }
    }
    text
}

/// A cell as a number. Codes such as `007` and integers that a double cannot hold exactly, such as
/// hashes, are not numbers: as such they would lose what tells them apart.
fn number(cell: &[u8]) -> Option<f64> {
    let digits = cell.strip_prefix(b"-").or_else(|| cell.strip_prefix(b"+")).unwrap_or(cell);
    match digits {
        [b'0', b'0'..=b'9', ..] => return None,
        [b'0'..=b'9' | b'.', ..] => {}
        _ if digits.eq_ignore_ascii_case(b"inf") || digits.eq_ignore_ascii_case(b"infinity") => {}
        _ => return None,
    }
    if digits.len() > 15 && digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(cell).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
