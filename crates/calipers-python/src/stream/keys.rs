//! Who rows are.

use std::fmt::Write;

use calipers::{Identities, identity, place};
use ndarray::ArrayView1;
use numpy::{
    PyArray1, PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::input_error;

/// Keys as Python holds them: the package has brought them into one of these forms.
pub enum Keys<'py> {
    /// Whole numbers.
    Whole(PyReadonlyArray1<'py, i64>),
    /// Whole numbers, of which some may be too large for the others.
    Natural(PyReadonlyArray1<'py, u64>),
    /// Texts, one after the other, and where each begins and ends.
    Texts(PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i64>),
    /// Texts as Python's own.
    Objects(Bound<'py, PyList>),
}

impl<'py> FromPyObject<'_, 'py> for Keys<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast::<PyList>() {
            return Ok(Self::Objects(list.to_owned()));
        }
        let Ok(array) = object.cast::<PyUntypedArray>() else {
            let (bytes, ends) = object.extract()?;
            return Ok(Self::Texts(bytes, ends));
        };
        match array.dtype().kind() {
            b'u' => Ok(Self::Natural(object.extract()?)),
            _ => Ok(Self::Whole(object.extract()?)),
        }
    }
}

/// The identities of rows with keys.
#[pyfunction]
#[pyo3(signature = (keys))]
pub fn identities<'py>(py: Python<'py>, keys: Keys<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let found = match &keys {
        Keys::Whole(numbers) => {
            let numbers = numbers.as_array();
            py.detach(|| written(numbers))
        }
        Keys::Natural(numbers) => {
            let numbers = numbers.as_array();
            py.detach(|| written(numbers))
        }
        Keys::Texts(bytes, ends) => {
            let (bytes, ends) = (bytes.as_slice()?, ends.as_slice()?);
            let found = py.detach(|| between(bytes, ends));
            found.map_err(|row| {
                let message = format!("row {row}: the key is no valid text");
                input_error(py, &message, Some(row), None, None)
            })?
        }
        Keys::Objects(list) => list
            .iter()
            .map(|key| Ok(identity(&key.extract::<String>()?)))
            .collect::<PyResult<_>>()?,
    };
    Ok(PyArray1::from_vec(py, found))
}

/// The identities of numbers as they are written.
fn written<T: std::fmt::Display>(numbers: ArrayView1<'_, T>) -> Vec<u64> {
    let mut text = String::new();
    let one = |number: &T| {
        text.clear();
        // Writing to a string cannot fail.
        let _ = write!(text, "{number}");
        identity(&text)
    };
    numbers.iter().map(one).collect()
}

/// The identities of texts between two ends each; or the row of one that is none.
fn between(bytes: &[u8], ends: &[i64]) -> Result<Vec<u64>, usize> {
    let texts = ends.windows(2).enumerate().map(|(row, ends)| {
        let text = bytes.get(ends[0] as usize..ends[1] as usize);
        text.and_then(|text| std::str::from_utf8(text).ok()).map(identity).ok_or(row)
    });
    texts.collect()
}

/// Who the rows of a batch are, as the package says it.
#[derive(FromPyObject)]
pub enum Who<'py> {
    /// The part, and the number of the first row in it.
    Numbered((u32, u64)),
    /// The part of each row, and its number in it.
    Placed((PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u64>)),
    /// An identity each.
    Keyed(PyReadonlyArray1<'py, u64>),
}

/// The same, for any thread.
pub enum Rows {
    /// The part, and the number of the first row in it.
    Numbered(u32, u64),
    /// An identity each.
    Keyed(Vec<u64>),
}

impl Who<'_> {
    /// What another thread may have.
    pub fn rows(&self) -> Rows {
        match self {
            Self::Numbered((part, first)) => Rows::Numbered(*part, *first),
            Self::Placed((parts, numbers)) => {
                let (parts, numbers) = (parts.as_array(), numbers.as_array());
                let both = parts.iter().zip(numbers.iter());
                Rows::Keyed(both.map(|(&part, &number)| place(part, number)).collect())
            }
            Self::Keyed(identities) => Rows::Keyed(identities.as_array().to_vec()),
        }
    }
}

impl Rows {
    /// Those of a stretch of rows.
    pub fn identities(&self, from: usize, to: usize) -> Identities<'_> {
        match self {
            Self::Numbered(part, first) => {
                Identities::Numbered { part: *part, first: first + from as u64 }
            }
            Self::Keyed(all) => Identities::Keyed(all.get(from..to).unwrap_or_default()),
        }
    }

    /// How many there are, if that is known.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Numbered(..) => None,
            Self::Keyed(all) => Some(all.len()),
        }
    }
}

/// How many rows are in a sample of so many classes, unless it is said.
#[pyfunction]
pub fn usual_sample(classes: usize) -> usize {
    calipers::usual_sample(classes)
}

/// Which rows may be in a sample of so many out of so many.
#[pyfunction]
#[pyo3(signature = (who, rows, sample, total, seed))]
pub fn candidates<'py>(
    py: Python<'py>,
    who: Who<'py>,
    rows: usize,
    sample: usize,
    total: u64,
    seed: u64,
) -> Bound<'py, PyArray1<bool>> {
    let who = who.rows();
    let rows = who.count().unwrap_or(rows);
    let picked =
        py.detach(|| calipers::candidates(&who.identities(0, rows), rows, sample, total, seed));
    PyArray1::from_vec(py, picked)
}
