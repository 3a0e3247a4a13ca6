//! Tables of the package's own numbers, written as all others are.

use calipers_draw::text::{Look, Table};
use pyo3::prelude::*;

use crate::evaluate::printed;

/// A column: numbers, of which some may be missing, or words.
#[derive(FromPyObject)]
pub enum Cells {
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Words.
    Words(Vec<String>),
}

/// A table of named columns, as text and as HTML.
#[pyfunction]
#[pyo3(signature = (columns))]
pub fn table(columns: Vec<(String, Cells)>) -> (String, String) {
    let table = columns.into_iter().fold(Table::new(), |table, (name, cells)| match cells {
        Cells::Numbers(numbers) => table.numbers(&name, numbers),
        Cells::Words(words) => table.words(&name, words),
    });
    (printed(&table.text(Look::PYTHON)).to_owned(), table.html())
}
