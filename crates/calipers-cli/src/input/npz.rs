//! NPZ, NumPy's archive of arrays: `probs` (or `logits`) and `labels`, and if there are `weights`,
//! `groups`, `folds` and `classes`.

use std::fs::File;
use std::io::BufReader;

use ndarray::{ArrayD, Ix1, Ix2};
use ndarray_npy::{NpzReader, ReadNpyError, ReadNpzError};

use super::npy::{Number, Word};
use super::wanted::NOT_READ;
use super::{Column, Source, Table, Text, Values, Wanted};
use crate::error::{Failure, Result};

/// The arrays that have a meaning by their names; an archive may hold much else.
const KNOWN: [&str; 10] =
    ["probs", "logits", "labels", "label", "y", "target", "weights", "groups", "folds", "classes"];

/// Reads an archive.
pub fn read(file: File, name: &str, wanted: &Wanted) -> Result<Table> {
    let unreadable =
        |error: ReadNpzError| Failure::input(format!("cannot read {name}: {}", reason(&error)));
    let mut archive = NpzReader::new(BufReader::new(file)).map_err(unreadable)?;
    let names = archive.names().map_err(unreadable)?;
    let mut columns = Vec::with_capacity(names.len());
    for (at, array) in names.into_iter().enumerate() {
        let values = if wanted.names(&array) || KNOWN.contains(&array.as_str()) {
            read_array(&mut archive, at).map_err(|error| {
                Failure::input(format!("cannot read {array} in {name}: {}", reason(&error)))
            })?
        } else {
            Values::Other(NOT_READ.to_owned())
        };
        columns.push(Column { name: array, values });
    }
    Ok(Table { source: Source::archive(name), columns })
}

/// Numbers if they are, or else text.
fn read_array(
    archive: &mut NpzReader<BufReader<File>>,
    at: usize,
) -> std::result::Result<Values, ReadNpzError> {
    match archive.by_index(at) {
        Ok(numbers) => return Ok(number_values(numbers)),
        Err(ReadNpzError::Npy(ReadNpyError::WrongDescriptor(_))) => {}
        Err(error) => return Err(error),
    }
    match archive.by_index(at) {
        Ok(words) => Ok(text_values(&words)),
        Err(ReadNpzError::Npy(ReadNpyError::WrongDescriptor(kind))) => {
            Ok(Values::Other(match kind.as_string().map(String::as_str) {
                Some("|O") => "an array of Python objects: save it with astype(str)".to_owned(),
                _ => format!("an array of type {kind}"),
            }))
        }
        Err(error) => Err(error),
    }
}

fn number_values(array: ArrayD<Number>) -> Values {
    let shape = array.shape().to_vec();
    let array = array.mapv(|number| number.0);
    match *shape.as_slice() {
        // A single column is read as such, whichever way round it was saved.
        [_] | [_, 1] => Values::Numbers(array.into_iter().collect()),
        [_, _] => {
            array.into_dimensionality::<Ix2>().map_or_else(|_| unusable(&shape), Values::Matrix)
        }
        _ => unusable(&shape),
    }
}

fn text_values(array: &ArrayD<Word>) -> Values {
    match array.view().into_dimensionality::<Ix1>() {
        Ok(words) => Values::Text(words.iter().map(|word| word.0.as_str()).collect::<Text>()),
        Err(_) => unusable(array.shape()),
    }
}

fn unusable(shape: &[usize]) -> Values {
    Values::Other(format!("an array of shape {shape:?}"))
}

/// The innermost reason: the outer ones say that it is about an archive, which is known.
fn reason(error: &ReadNpzError) -> String {
    match error {
        ReadNpzError::Zip(error) => format!("it is no NPZ archive ({error})"),
        ReadNpzError::Npy(error) => format!("the array is damaged ({error})"),
    }
}
