//! What the page asks, and what it is told.

use std::collections::BTreeSet;

use calipers_files::{Column, Columns, Error, Table, Values};
use serde::{Deserialize, Serialize};

/// A column of more different values is no column of classes to choose from.
const MOST_VALUES: usize = 20;

/// Which columns the page names; the others are guessed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// The column of the observed classes.
    pub label: Option<String>,
    /// The columns of the predictions.
    pub scores: Vec<String>,
    /// Whether these are logits.
    pub logits: bool,
    /// The class that a single column is the probability of.
    pub positive: Option<String>,
}

impl Asked {
    /// The same in the words of those who read files.
    pub fn columns(&self) -> Columns {
        let columns = Columns {
            label: self.label.clone(),
            positive: self.positive.clone(),
            ..Columns::default()
        };
        match (self.scores.as_slice(), self.logits) {
            ([], _) => columns,
            (names, true) => columns.logits(names),
            (names, false) => columns.probs(names),
        }
    }
}

/// What was found, or what is wrong.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The columns that there are, once the file could be read.
    pub columns: Vec<ColumnInfo>,
    /// Which column was taken for what.
    pub understood: Option<String>,
    /// The report as `calipers estimate FILE --format json` prints it.
    pub json: Option<String>,
    /// What is wrong.
    pub error: Option<Fault>,
}

/// A column to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Whether it holds numbers, alone or in lists: it may be a prediction.
    pub numbers: bool,
    /// What is in it, if that is little: it may be what was observed.
    pub values: Vec<String>,
}

impl ColumnInfo {
    /// Those of a table.
    pub fn all(table: &Table) -> Vec<Self> {
        table.columns.iter().map(Self::of).collect()
    }

    fn of(column: &Column) -> Self {
        let (numbers, values) = match &column.values {
            Values::Numbers(numbers) => {
                let there = numbers.iter().filter(|number| !number.is_nan());
                (true, few(there.map(f64::to_string)))
            }
            Values::Text(text) => {
                (false, few(text.iter().filter(|cell| !cell.is_empty()).map(str::to_owned)))
            }
            Values::Matrix(_) | Values::Lists(_) => (true, Vec::new()),
            Values::Other(_) => (false, Vec::new()),
        };
        Self { name: column.name.clone(), numbers, values }
    }
}

/// The different values, unless they are many.
fn few(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for value in values {
        found.insert(value);
        if found.len() > MOST_VALUES {
            return Vec::new();
        }
    }
    found.into_iter().collect()
}

/// What is wrong, as the command line says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// One sentence that names the place.
    pub message: String,
    /// What there is to choose from.
    pub list: Vec<String>,
    /// How to mend it.
    pub hint: Option<String>,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self { message: error.message().to_owned(), list: error.list().to_vec(), hint }
    }
}

impl From<calipers::Error> for Fault {
    fn from(error: calipers::Error) -> Self {
        Self { message: error.to_string(), list: Vec::new(), hint: None }
    }
}
