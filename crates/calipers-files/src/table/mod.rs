//! What every reader yields: a [`Table`] of named columns.

mod class_names;
mod lines;
mod lists;
mod source;
mod text;
mod wanted;

use ndarray::Array2;

pub(crate) use class_names::{ClassNames, Info};
pub use lines::Lines;
pub use lists::Lists;
pub use source::Source;
pub use text::Text;
pub(crate) use wanted::NOT_READ;
pub use wanted::Wanted;

/// What a file holds; [`read`](crate::read()) makes it.
#[derive(Debug)]
pub struct Table {
    /// Where it came from.
    pub source: Source,
    /// The columns, in the file's order.
    pub columns: Vec<Column>,
}

impl Table {
    /// The number of rows: those of the first column that was read, or 0.
    pub fn rows(&self) -> usize {
        self.columns.iter().find_map(|column| column.values.rows()).unwrap_or(0)
    }
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
    /// A list of numbers a row, not all of one length perhaps.
    Lists(Lists),
    /// What cannot be used, described in a few words: lists of words, or what was not read.
    Other(String),
}

impl Values {
    /// The number of rows; `None` where the values were not read.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => Some(numbers.len()),
            Self::Text(text) => Some(text.len()),
            Self::Matrix(matrix) => Some(matrix.nrows()),
            Self::Lists(lists) => Some(lists.len()),
            Self::Other(_) => None,
        }
    }
}
