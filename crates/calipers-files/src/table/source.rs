//! Where a table came from.

use super::{ClassNames, Lines};

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
    /// The number within the file of the table's first row.
    first: u64,
    /// The line or the number within the file of each row, where rows were picked.
    picked: Option<Vec<u64>>,
    /// What the numbers of some columns stand for.
    class_names: ClassNames,
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
        Self::of(name, Origin::Text(lines))
    }

    /// A table without lines.
    pub fn rows(name: &str) -> Self {
        Self::of(name, Origin::Rows)
    }

    /// An archive of arrays, which say by their names what they are for.
    pub fn archive(name: &str) -> Self {
        Self::of(name, Origin::Archive)
    }

    fn of(name: &str, origin: Origin) -> Self {
        let class_names = ClassNames::default();
        Self { name: name.to_owned(), origin, first: 0, picked: None, class_names }
    }

    /// Notes what the numbers of some columns stand for.
    pub(crate) fn name_classes(&mut self, names: ClassNames) {
        self.class_names = names;
    }

    /// What the numbers of some columns stand for.
    pub(crate) fn class_names(&self) -> &ClassNames {
        &self.class_names
    }

    /// The same file, of which the table holds the rows from this one on.
    ///
    /// ```
    /// use calipers_files::Source;
    ///
    /// let source = Source::rows("table.parquet").starting(1_000_000);
    /// assert_eq!(source.place(7), "table.parquet, row 1000007");
    /// ```
    #[must_use]
    pub fn starting(mut self, first: u64) -> Self {
        self.first = first;
        self
    }

    /// The number within the file of the table's first row, from 0.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether it is text, in which a number is what looks like one.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.origin, Origin::Text(_))
    }

    /// Whether it is an archive of arrays, instead of a table.
    pub fn is_archive(&self) -> bool {
        matches!(self.origin, Origin::Archive)
    }

    /// The place of a row: the line where there are lines, or else the row's number from 0.
    pub fn place(&self, row: usize) -> String {
        let kind = if self.is_text() { "line" } else { "row" };
        format!("{}, {kind} {}", self.name, self.number(row))
    }

    /// The same file, of which the table holds only these rows, in this order.
    pub(crate) fn picked(&self, rows: &[usize]) -> Self {
        let origin = match &self.origin {
            Origin::Text(_) => Origin::Text(Lines::default()),
            Origin::Rows => Origin::Rows,
            Origin::Archive => Origin::Archive,
        };
        let picked = Some(rows.iter().map(|&row| self.number(row)).collect());
        let (name, class_names) = (self.name.clone(), self.class_names.clone());
        Self { name, origin, first: self.first, picked, class_names }
    }

    /// The line of a row, or its number.
    fn number(&self, row: usize) -> u64 {
        match (&self.picked, &self.origin) {
            (Some(picked), _) => picked.get(row).copied().unwrap_or_default(),
            (None, Origin::Text(lines)) => lines.of(row),
            (None, Origin::Rows | Origin::Archive) => self.first + row as u64,
        }
    }

    /// The place of a cell.
    pub fn cell(&self, row: usize, column: &str) -> String {
        format!("{}, column {column}", self.place(row))
    }
}
