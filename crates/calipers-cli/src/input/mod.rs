//! Files in: every reader yields a [`Table`] of named columns.
//!
//! A new format is one file here, one line in [`read`] and one in
//! [`Format::of`](crate::format::Format::of). Its reader counts what it makes of the file
//! ([`allowance`]) before it makes it.

mod allowance;
#[cfg(feature = "parquet")]
mod arrow;
mod csv;
#[cfg(feature = "parquet")]
mod ipc;
mod lines;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod record;
mod text;
mod wanted;

#[cfg(feature = "parquet")]
use std::cell::Cell;
use std::fs::File;
use std::io;
#[cfg(feature = "parquet")]
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
#[cfg(feature = "parquet")]
use std::sync::Once;

use ndarray::Array2;

use crate::error::{Failure, Result};
use crate::format::Format;
use allowance::Allowance;
pub use allowance::LEAST;
pub use lines::Lines;
pub use text::Text;
pub use wanted::Wanted;

/// What a file holds.
#[derive(Debug)]
pub struct Table {
    /// Where it came from.
    pub source: Source,
    /// The columns, in the file's order.
    pub columns: Vec<Column>,
}

/// A column with its name; in an NPZ archive, an array.
#[derive(Debug)]
pub struct Column {
    /// The name, as it is written in the file.
    pub name: String,
    /// One value a row.
    pub values: Values,
}

/// What a column holds.
#[derive(Debug)]
pub enum Values {
    /// Numbers; what is missing is NaN.
    Numbers(Vec<f64>),
    /// Text; what is missing is empty.
    Text(Text),
    /// Rows of numbers: only archives have these.
    Matrix(Array2<f64>),
    /// What cannot be used, described in a few words: lists, or what was not read.
    Other(String),
}

impl Values {
    /// The number of rows; `None` where the values were not read.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => Some(numbers.len()),
            Self::Text(text) => Some(text.len()),
            Self::Matrix(matrix) => Some(matrix.nrows()),
            Self::Other(_) => None,
        }
    }
}

/// Where a table came from, to name a place in it.
#[derive(Debug)]
pub struct Source {
    /// The file's name, as it was given.
    pub name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Text(Lines),
    #[cfg(feature = "parquet")]
    Rows,
    Archive,
}

impl Source {
    /// Text, in which a row has a line.
    fn text(name: &str, lines: Lines) -> Self {
        Self { name: name.to_owned(), kind: Kind::Text(lines) }
    }

    /// A table without lines.
    #[cfg(feature = "parquet")]
    fn rows(name: &str) -> Self {
        Self { name: name.to_owned(), kind: Kind::Rows }
    }

    /// An archive of arrays, whose names say what they are for.
    fn archive(name: &str) -> Self {
        Self { name: name.to_owned(), kind: Kind::Archive }
    }

    /// Whether the columns are arrays of an archive.
    pub fn is_archive(&self) -> bool {
        matches!(self.kind, Kind::Archive)
    }

    /// The place of a row: the line where there are lines, or else the row's number from 0.
    pub fn place(&self, row: usize) -> String {
        match &self.kind {
            Kind::Text(lines) => format!("{}, line {}", self.name, lines.of(row)),
            #[cfg(feature = "parquet")]
            Kind::Rows => format!("{}, row {row}", self.name),
            Kind::Archive => format!("{}, row {row}", self.name),
        }
    }

    /// The place of a cell.
    pub fn cell(&self, row: usize, column: &str) -> String {
        format!("{}, column {column}", self.place(row))
    }
}

/// Reads a file; `-` is CSV on standard input. Columns that are not wanted may be passed over.
pub fn read(path: &Path, wanted: &Wanted) -> Result<Table> {
    read_within(path, wanted, LEAST)
}

/// As [`read`], of a file that may unfold to so many bytes however small it is.
pub fn read_within(path: &Path, wanted: &Wanted, bytes: u64) -> Result<Table> {
    if path.as_os_str() == "-" {
        return csv::read(io::stdin().lock(), "standard input", None, wanted);
    }
    let name = path.display().to_string();
    let format = Format::of(path)?;
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(&name, &error))?;
    if metadata.is_dir() {
        return Err(Failure::input(format!("cannot read {name}: it is a directory")));
    }
    let allowance = Allowance::of(&name, metadata.len(), bytes);
    match format {
        Format::Csv(delimiter) => csv::read(file, &name, delimiter, wanted),
        #[cfg(feature = "parquet")]
        Format::Parquet => guarded(&name, || parquet::read(file, &name, wanted, allowance)),
        #[cfg(feature = "parquet")]
        Format::Arrow => guarded(&name, || arrow::read(file, &name, wanted, allowance)),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => Err(format.left_out(&name)),
        Format::Npz => npz::read(file, &name, wanted, allowance),
    }
}

/// Reads a file with a library that panics on some damaged files: that is the file's fault, not a
/// bug to report.
#[cfg(feature = "parquet")]
fn guarded(name: &str, read: impl FnOnce() -> Result<Table>) -> Result<Table> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    // Nothing is printed of panics on this thread until the file is read. The hook is every thread's,
    // so it is put in place once and for all.
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    QUIET.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    read.unwrap_or_else(|_| Err(Failure::input(format!("cannot read {name}: the file is damaged"))))
}

/// A file that cannot be read is the user's to mend: exit status 2.
fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::input(format!("cannot read {name}: {}", plain(error)))
}

/// The system's message without its `(os error 2)`, which says nothing more.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
