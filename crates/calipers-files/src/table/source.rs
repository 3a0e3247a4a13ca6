//! Where a table came from.

use super::Lines;

/// Where a table came from, to name a place in it.
///
/// ```
/// use calipers_files::Source;
///
/// let source = Source::rows("table.parquet");
/// assert_eq!(source.cell(7, "p_cat"), "table.parquet, row 7, column p_cat");
/// ```
#[derive(Debug)]
pub struct Source {
    /// The file's name, as it was given.
    pub name: String,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Text(Lines),
    Rows,
    Archive,
}

impl Source {
    /// Text, in which a row has a line.
    pub fn text(name: &str, lines: Lines) -> Self {
        Self { name: name.to_owned(), origin: Origin::Text(lines) }
    }

    /// A table without lines.
    pub fn rows(name: &str) -> Self {
        Self { name: name.to_owned(), origin: Origin::Rows }
    }

    /// An archive of arrays, which say by their names what they are for.
    pub fn archive(name: &str) -> Self {
        Self { name: name.to_owned(), origin: Origin::Archive }
    }

    /// Whether it is an archive of arrays, instead of a table.
    pub fn is_archive(&self) -> bool {
        matches!(self.origin, Origin::Archive)
    }

    /// The place of a row: the line where there are lines, or else the row's number from 0.
    pub fn place(&self, row: usize) -> String {
        match &self.origin {
            Origin::Text(lines) => format!("{}, line {}", self.name, lines.of(row)),
            Origin::Rows | Origin::Archive => format!("{}, row {row}", self.name),
        }
    }

    /// The place of a cell.
    pub fn cell(&self, row: usize, column: &str) -> String {
        format!("{}, column {column}", self.place(row))
    }
}
