//! What else is known of each row, as the package hands it over.

use calipers::{Error, Features, Result};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Columns that have been copied out of Python.
#[derive(Clone)]
pub struct Known {
    columns: Vec<Column>,
}

#[derive(Clone)]
struct Column {
    name: String,
    values: Values,
    /// Whether it was made a column of the other kind.
    turned: bool,
}

#[derive(Clone)]
enum Values {
    Numbers(Vec<f64>),
    Categories { codes: Vec<u32>, levels: Vec<String> },
}

/// A column as the package has brought it into shape.
#[derive(FromPyObject)]
enum Given<'py> {
    Numbers(String, PyReadonlyArray1<'py, f64>),
    Categories(String, PyReadonlyArray1<'py, u32>, Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Known {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let columns: Vec<Given<'py>> = object.extract()?;
        Ok(Self { columns: columns.into_iter().map(Column::from).collect() })
    }
}

impl From<Given<'_>> for Column {
    fn from(given: Given<'_>) -> Self {
        let (name, values) = match given {
            Given::Numbers(name, values) => (name, Values::Numbers(values.as_array().to_vec())),
            Given::Categories(name, codes, levels) => {
                (name, Values::Categories { codes: codes.as_array().to_vec(), levels })
            }
        };
        Self { name, values, turned: false }
    }
}

impl Known {
    /// Checks them.
    pub fn features(self) -> Result<Features> {
        self.columns.into_iter().try_fold(Features::new(), |features, column| match column.values {
            Values::Numbers(values) => features.number(column.name, values),
            Values::Categories { codes, levels } => features.coded(column.name, levels, codes),
        })
    }

    /// Whether an error is about a column in which no value is known, and which could be of the other kind as
    /// well: then it is, from here on.
    pub fn turn(&mut self, error: &Error) -> bool {
        let Error::Feature { name, .. } = error else { return false };
        let own = |column: &&mut Column| column.name == *name && !column.turned;
        let Some(column) = self.columns.iter_mut().find(own) else { return false };
        let Some(other) = column.values.other() else { return false };
        (column.values, column.turned) = (other, true);
        true
    }
}

impl Values {
    /// The same without a value, of the other kind; if there is none known.
    fn other(&self) -> Option<Self> {
        match self {
            Self::Numbers(values) => values.iter().all(|value| value.is_nan()).then(|| {
                let codes = vec![Features::MISSING; values.len()];
                Self::Categories { codes, levels: Vec::new() }
            }),
            Self::Categories { codes, .. } => codes
                .iter()
                .all(|code| *code == Features::MISSING)
                .then(|| Self::Numbers(vec![f64::NAN; codes.len()])),
        }
    }
}
