//! Labels of any kind as classes, by the rules that the command line has, too.

use std::collections::HashMap;
use std::hash::Hash;

use calipers::labels::{ClassColumns, Label, Reading, Rule, read};
use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString};

use crate::error::{input_error, raise};

/// Labels as Python holds them; the package has brought them into one of these forms.
pub enum Labels<'py> {
    /// An array of whole numbers.
    Whole(Box<dyn Whole + 'py>),
    /// An array of numbers.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// An array of truths.
    Truths(PyReadonlyArray1<'py, bool>),
    /// Anything else: words, or a mixture.
    Objects(Bound<'py, PyList>),
    /// Words, each written once: which of them a row has.
    Coded(PyReadonlyArray1<'py, u32>, Bound<'py, PyList>),
}

impl<'py> FromPyObject<'_, 'py> for Labels<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(array) = object.cast::<PyUntypedArray>() else {
            if let Ok(list) = object.cast::<PyList>() {
                return Ok(Self::Objects(list.to_owned()));
            }
            let (codes, words) = object.extract()?;
            return Ok(Self::Coded(codes, words));
        };
        let kind = array.dtype();
        Ok(match (kind.kind(), kind.itemsize()) {
            (b'b', _) => Self::Truths(object.extract()?),
            (b'f', _) => Self::Numbers(object.extract()?),
            (b'u', 1) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, u8>>()?)),
            (b'u', 2) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, u16>>()?)),
            (b'u', _) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, u32>>()?)),
            (_, 1) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, i8>>()?)),
            (_, 2) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, i16>>()?)),
            (_, 4) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, i32>>()?)),
            (_, _) => Self::Whole(Box::new(object.extract::<PyReadonlyArray1<'py, i64>>()?)),
        })
    }
}

/// An array of whole numbers of any size, which is read as it is.
pub trait Whole {
    /// The numbers, row by row.
    fn values(&self) -> Box<dyn Iterator<Item = i64> + '_>;
}

impl<T: Element + Copy + Into<i64>> Whole for PyReadonlyArray1<'_, T> {
    fn values(&self) -> Box<dyn Iterator<Item = i64> + '_> {
        // The iterator of a view that is dropped here would not live long enough.
        let view = self.as_array();
        Box::new((0..view.len()).map(move |row| view[row].into()))
    }
}

/// The class of each row, and what the classes are.
pub struct Resolved {
    /// The class of each row.
    pub codes: Vec<u32>,
    /// What the labels that occur mean.
    pub reading: Reading,
    /// The first row of each label that occurs.
    pub firsts: Vec<usize>,
}

impl Labels<'_> {
    /// Turns labels into classes.
    pub fn resolve(&self, py: Python<'_>, columns: &ClassColumns<'_>) -> PyResult<Resolved> {
        let (mut rows, found) = self.occurring(py)?;
        let reading = read(&found, columns);
        let reading = reading.map_err(|error| raise(py, &error))?;
        let codes: Vec<u32> = reading.codes.iter().map(|&code| code as u32).collect();
        rows.iter_mut().for_each(|row| *row = codes[*row as usize]);
        let firsts = found.iter().map(|label| label.row).collect();
        Ok(Resolved { codes: rows, reading, firsts })
    }

    /// The labels that occur, and which of them each row has.
    pub fn occurring(&self, py: Python<'_>) -> PyResult<(Vec<u32>, Vec<Label>)> {
        let mut found = Vec::new();
        let rows = match self {
            Self::Whole(array) => {
                let label = |value: i64, row| Label {
                    text: value.to_string(),
                    number: Some(value as f64),
                    row,
                    count: 0,
                };
                let place = |value: i64| usize::try_from(value).ok();
                distinct(array.values(), place, label, &mut found)
            }
            Self::Truths(array) => {
                let label = |value: bool, row| counted(Label::word(&value.to_string(), row));
                let place = |value| Some(usize::from(value));
                distinct(array.as_array().iter().copied(), place, label, &mut found)
            }
            Self::Numbers(array) => {
                let values = array.as_array();
                if let Some(row) = values.iter().position(|value| value.is_nan()) {
                    return Err(raise(py, &calipers::Error::MissingLabel { row }));
                }
                // Adding 0 turns -0 into 0.
                let bits = values.iter().map(|value| (value + 0.0).to_bits());
                let label = |bits, row| counted(Label::number(f64::from_bits(bits), row));
                let place = |bits| {
                    let value = f64::from_bits(bits);
                    (value >= 0.0 && value.fract() <= 0.0).then_some(value as usize)
                };
                distinct(bits, place, label, &mut found)
            }
            Self::Objects(list) => objects(list, &mut found)?,
            Self::Coded(codes, words) => {
                let mut written = Vec::new();
                let places = objects(words, &mut written)?;
                let values = codes.as_array();
                let values = values.iter().map(|&code| places[code as usize]);
                let label = |at: u32, row| counted(Label { row, ..written[at as usize].clone() });
                distinct(values, |at| Some(at as usize), label, &mut found)
            }
        };
        Ok((rows, found))
    }
}

/// What labels can name: `columns` without names, or those of these names; a single column is that of the
/// second of two classes, and may have a name. Names are `given` for the columns in their order, or are the
/// columns' own.
pub fn class_columns(columns: usize, names: Option<&[String]>, given: bool) -> ClassColumns<'_> {
    match (names, columns) {
        (None, 0 | 1) => ClassColumns::One(None),
        (None, _) => ClassColumns::Unnamed(columns),
        (Some([name]), _) => ClassColumns::One(Some(name)),
        (Some(names), _) if given => ClassColumns::Given(names),
        (Some(names), _) => ClassColumns::Named(names),
    }
}

fn counted(label: Label) -> Label {
    Label { count: 0, ..label }
}

/// Which of the values that occur each row has; they are added to `found` as they come. Those that are a
/// `place` in a short list are found there, which is quicker than any table.
fn distinct<T: Hash + Eq + Copy>(
    values: impl Iterator<Item = T>,
    place: impl Fn(T) -> Option<usize>,
    label: impl Fn(T, usize) -> Label,
    found: &mut Vec<Label>,
) -> Vec<u32> {
    let mut known: HashMap<T, u32> = HashMap::new();
    let mut listed = [None; LISTED];
    values
        .enumerate()
        .map(|(row, value)| {
            let mut look_up = || {
                *known.entry(value).or_insert_with(|| {
                    found.push(label(value, row));
                    found.len() as u32 - 1
                })
            };
            let at = match place(value).and_then(|place| listed.get_mut(place)) {
                Some(at) => *at.get_or_insert_with(look_up),
                None => look_up(),
            };
            found[at as usize].count += 1;
            at
        })
        .collect()
}

/// Labels are the numbers from 0 on as a rule, and not many.
const LISTED: usize = 1_024;

/// As [`distinct`], for objects: words, truths and numbers.
fn objects(list: &Bound<'_, PyList>, found: &mut Vec<Label>) -> PyResult<Vec<u32>> {
    let py = list.py();
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut rows = Vec::with_capacity(list.len());
    for (row, object) in list.iter().enumerate() {
        let label = if let Ok(word) = object.cast::<PyString>() {
            let word = word.to_cow().map_err(|_| {
                let message = format!("row {row}: the label is no valid text");
                input_error(py, &message, Some(row), None, Some(object.clone()))
            })?;
            if let Some(&at) = known.get(word.as_ref()) {
                found[at as usize].count += 1;
                rows.push(at);
                continue;
            }
            // A string is a word even if it looks like a number: scikit-learn sorts it by letters.
            Label { number: None, ..Label::word(&word, row) }
        } else {
            other(&object, row)?
        };
        if label.text.is_empty() {
            return Err(raise(py, &calipers::Error::MissingLabel { row }));
        }
        let at = *known.entry(label.text.clone()).or_insert_with(|| {
            found.push(counted(label));
            found.len() as u32 - 1
        });
        found[at as usize].count += 1;
        rows.push(at);
    }
    Ok(rows)
}

/// A label that is no word; without text if it is missing.
fn other(object: &Bound<'_, PyAny>, row: usize) -> PyResult<Label> {
    if object.is_none() {
        Ok(Label::word("", row))
    } else if let Ok(truth) = object.cast::<PyBool>() {
        Ok(Label::word(&truth.is_true().to_string(), row))
    } else if object.is_instance_of::<PyInt>() {
        Ok(Label::word(&object.str()?.to_cow()?, row))
    } else if let Ok(number) = object.cast::<PyFloat>() {
        let number: f64 = number.extract()?;
        Ok(if number.is_nan() { Label::word("", row) } else { Label::number(number, row) })
    } else {
        let kind = object.get_type().name()?;
        let message = format!("row {row}: a label cannot be of type {kind}");
        Err(input_error(object.py(), &message, Some(row), None, Some(object.clone())))
    }
}

/// Turns labels into classes: the class of each row, the classes' names, by which rule they were
/// read, a remark if there is one, and for each class a row that has it, or -1.
#[pyfunction]
#[pyo3(signature = (labels, columns, names, given))]
#[allow(clippy::type_complexity, reason = "the tuple is taken apart at once, in Python")]
pub fn read_labels<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    columns: usize,
    names: Option<Vec<String>>,
    given: bool,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Vec<String>, &'static str, Option<String>, Vec<isize>)> {
    let Resolved { codes, reading, firsts } =
        labels.resolve(py, &class_columns(columns, names.as_deref(), given))?;
    let rule = match reading.rule {
        Rule::Names => "names",
        Rule::Positions(0) => "positions",
        Rule::Positions(_) => "positions from 1",
        Rule::Truth => "truth",
        Rule::Sorted => "sorted",
    };
    let mut examples = vec![-1; reading.classes.len()];
    for (&code, &row) in reading.codes.iter().zip(&firsts) {
        examples[code] = row as isize;
    }
    let codes = PyArray1::from_vec(py, codes);
    Ok((codes, reading.classes, rule, reading.remark, examples))
}
