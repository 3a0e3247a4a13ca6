//! JSON Lines, read a line at a time: the text is never in memory as a whole.
//!
//! Keys are columns, in the order in which they first occur; a row that has not a key has nothing in its
//! column. Blank lines and a byte order mark are fine.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use serde::de::DeserializeSeed;

use super::super::packed::refused;
use super::super::pieces::Size;
use super::super::started;
use super::builder::Builder;
use super::cell::{Row, RowSeed};
use super::tokens::rewritten;
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};
use crate::table::{Column, Lines, Source, Table, Wanted};
use calipers::words::thousands;

/// Bytes that a line may have: it is held as a whole.
const LONGEST: u64 = 64 << 20;

/// Columns that a table may have.
const MOST_COLUMNS: usize = 1_000_000;

/// What a column takes beside its cells.
const COLUMN: u64 = 256;

/// Text of an object a line.
pub struct Reader<'a, R> {
    inner: R,
    name: &'a str,
    wanted: &'a Wanted,
    builders: Vec<Builder>,
    places: HashMap<String, usize>,
    /// Lines that were read.
    line: u64,
    /// Rows that were handed over.
    rows: u64,
    buffer: Vec<u8>,
}

impl<'a, R: BufRead> Reader<'a, R> {
    /// Nothing is read yet.
    pub fn new(inner: R, name: &'a str, wanted: &'a Wanted) -> Self {
        let (builders, places) = (Vec::new(), HashMap::new());
        Self { inner, name, wanted, builders, places, line: 0, rows: 0, buffer: Vec::new() }
    }

    /// Reads the next rows, as many as the size allows or there are.
    pub fn take(&mut self, size: Size, allowance: &mut Allowance) -> Result<Table> {
        let mut lines = Lines::default();
        let mut rows = 0;
        let mut letters: u64 = 0;
        while rows < size.rows && letters < size.letters && self.next_line()? {
            letters += self.buffer.len() as u64;
            if self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let row = self.row()?;
            self.add(row, rows, allowance)?;
            lines.note(rows, self.line);
            rows += 1;
        }
        if self.line == 0 {
            return Err(Error::input(format!("{}: the file is empty", self.name)));
        }
        let mut columns = Vec::with_capacity(self.builders.len());
        for builder in &mut self.builders {
            let values = builder.take(rows, allowance)?;
            columns.push(Column { name: builder.name.clone(), values });
        }
        let source = Source::text(self.name, lines).starting(self.rows);
        self.rows += rows as u64;
        Ok(Table { source, columns })
    }

    /// Reads a line, if there is one.
    fn next_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let line =
            Read::by_ref(&mut self.inner).take(LONGEST + 1).read_until(b'\n', &mut self.buffer);
        let count =
            line.map_err(|error| refused(&error).unwrap_or_else(|| unreadable(self.name, &error)))?;
        if count == 0 {
            return Ok(false);
        }
        self.line += 1;
        if count as u64 > LONGEST {
            return Err(self.refusal(&format!("a line of more than {} MiB", LONGEST >> 20)));
        }
        if self.line == 1 {
            if let Some(kind) = started(&self.buffer) {
                let name = self.name;
                return Err(Error::input(format!("{name}: expected JSON Lines, but it is {kind}")));
            }
            if self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.buffer.drain(..3);
            }
        }
        Ok(true)
    }

    /// The line as a row. That numbers may be infinite is looked at where the line is no JSON.
    fn row(&self) -> Result<Row> {
        let parsed = |line: &[u8]| {
            let mut from = serde_json::Deserializer::from_slice(line);
            let row = RowSeed(self.wanted).deserialize(&mut from)?;
            from.end().map(|()| row)
        };
        parsed(&self.buffer).or_else(|error| {
            let again = rewritten(&self.buffer).and_then(|line| parsed(&line).ok());
            again.ok_or_else(|| self.fault(&error))
        })
    }

    /// Adds the cells of a row.
    fn add(&mut self, row: Row, at: usize, allowance: &mut Allowance) -> Result<()> {
        for (key, cell) in row.0 {
            let place = match self.places.get(&key) {
                Some(&place) => place,
                None => self.new_column(&key, allowance)?,
            };
            let builder = &mut self.builders[place];
            if std::mem::replace(&mut builder.line, self.line) == self.line {
                return Err(self.refusal(&format!("the key {key:?} is there twice")));
            }
            builder.push(cell, at, self.line, allowance)?;
        }
        Ok(())
    }

    fn new_column(&mut self, key: &str, allowance: &mut Allowance) -> Result<usize> {
        let place = self.builders.len();
        if place == MOST_COLUMNS {
            let most = thousands(MOST_COLUMNS);
            return Err(self.refusal(&format!("there are more keys than {most} in all lines")));
        }
        allowance.spend(COLUMN + CELL + 2 * key.len() as u64)?;
        self.builders.push(Builder::new(key.to_owned(), self.wanted.wants(key)));
        self.places.insert(key.to_owned(), place);
        Ok(place)
    }

    fn refusal(&self, reason: &str) -> Error {
        Error::input(format!("{}, line {}: {reason}", self.name, self.line))
    }

    /// What is wrong with a line.
    fn fault(&self, error: &serde_json::Error) -> Error {
        let said = error.to_string();
        // The library has lines of its own, of which each text here is the first.
        let reason = said.split(" at line ").next().unwrap_or_default();
        let column = error.column();
        let text = String::from_utf8_lossy(&self.buffer);
        let hint = if self.line == 1 && text.trim_start().starts_with('[') {
            Some("write one object a line, without a list around them")
        } else if self.line == 1 && text.trim() == "{" {
            Some("write each object on one line")
        } else if ["out of range", "hex escape", "surrogate"].iter().any(|it| reason.contains(it)) {
            Some("--label and --probs name the keys that are needed: no other is read then")
        } else if text.split(|letter: char| !letter.is_alphanumeric()).any(is_pythons) {
            Some("write null for what is missing, and -Infinity for a logit of what is impossible")
        } else {
            None
        };
        self.refusal(&format!("no object of JSON: {reason} at letter {column}"))
            .with_any_hint(hint.map(str::to_owned))
    }
}

/// Whether a word is a number of Python's, or none, that JSON writes otherwise.
fn is_pythons(word: &str) -> bool {
    ["nan", "inf", "None"].contains(&word)
}

#[cfg(test)]
mod tests;
