//! An array in a file of its own, with those that are named beside it: `probs.npy` and `labels.npy`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ndarray::ArrayView1;

use super::super::{Asked, Content, extension};
use super::npy;
use super::read::explain;
use crate::allowance::{Allowance, LEAST};
use crate::error::{Error, Result, unreadable};
use crate::table::{Column, Source, Table, Values, Wanted};
use crate::words::file_name;

/// Words of file names that say what is in them.
const PROBS: [&str; 6] = ["probs", "prob", "proba", "probas", "probability", "probabilities"];
const LOGITS: [&str; 2] = ["logits", "logit"];

/// What sums of single precision may be off.
const ROUNDING: f64 = 1e-3;

/// Whether a file is a single array.
pub fn is_one(path: &Path) -> bool {
    extension(path).is_some_and(|end| end == "npy")
}

/// Reads the array as `probs`, as `logits` if the file is called so, or as what it is asked for by, and every file
/// that a column is asked for by.
pub fn read(content: Content<'_>, asked: Asked<'_>) -> Result<Table> {
    let Asked { path, name, wanted, mut allowance } = asked;
    let values = npy::read(BufReader::new(content), &mut allowance)
        .map_err(|fault| explain(fault, "the array", name))?;
    let own = match asked_as(path, wanted) {
        Some(own) => own,
        None => guessed(path, name, &values)?.to_owned(),
    };
    let mut others: Vec<&str> = wanted.all_names().filter(|name| is_one(Path::new(name))).collect();
    others.retain(|other| *other != own);
    others.sort_unstable();
    let mut columns = vec![Column { name: own, values }];
    for other in others {
        let other_name = file_name(Path::new(other));
        let failed = |error: std::io::Error| unreadable(&other_name, &error);
        let file = File::open(other).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut allowance = Allowance::of(&other_name, size, LEAST);
        let values = npy::read(BufReader::new(file), &mut allowance)
            .map_err(|fault| explain(fault, "the array", &other_name))?;
        refuse_rows(&values, &other_name)?;
        columns.push(Column { name: other.to_owned(), values });
    }
    Ok(Table { source: Source::archive(name), columns })
}

/// The name that the array is asked for by, if it is: the file's, without its ending perhaps, or what it holds.
fn asked_as(path: &Path, wanted: &Wanted) -> Option<String> {
    let mut own: Vec<String> = [Some(path.as_os_str()), path.file_name(), path.file_stem()]
        .into_iter()
        .flatten()
        .map(|own| own.to_string_lossy().into_owned())
        .collect();
    own.extend(["probs", "logits"].map(str::to_owned));
    own.into_iter().find(|own| wanted.names(own))
}

/// What the array holds, by the words of the file's name: probabilities, unless it is called logits.
fn guessed(path: &Path, name: &str, values: &Values) -> Result<&'static str> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let lower = stem.to_lowercase();
    let said = |names: &[&str]| {
        lower.split(|letter: char| !letter.is_alphabetic()).any(|word| names.contains(&word))
    };
    let refused = |reason: &str| {
        Error::input(format!("{name}: {reason}")).with_hint(format!(
            "--probs {stem} says that they are probabilities, --logits {stem} logits"
        ))
    };
    match (said(&PROBS), said(&LOGITS)) {
        (true, true) => Err(refused("by its name it may hold probabilities or logits")),
        (false, true) if are_probabilities(values) => Err(refused(
            "it is called logits, but every row is of numbers from 0 to 1 that sum to 1",
        )),
        (false, true) => Ok("logits"),
        (_, false) => Ok("probs"),
    }
}

/// Whether all rows are numbers from 0 to 1 that sum to 1, as single precision has them.
fn are_probabilities(values: &Values) -> bool {
    let Values::Matrix(matrix) = values else { return false };
    let is_distribution = |row: ArrayView1<'_, f64>| {
        let inside = row.iter().all(|number| (0.0..=1.0).contains(number));
        inside && (row.sum() - 1.0).abs() <= ROUNDING
    };
    matrix.ncols() > 1 && matrix.nrows() > 0 && matrix.rows().into_iter().all(is_distribution)
}

/// Refuses an array of rows beside the predictions: everything else is one value a row.
fn refuse_rows(values: &Values, name: &str) -> Result<()> {
    let Values::Matrix(matrix) = values else { return Ok(()) };
    let one_hot = |row: ArrayView1<'_, f64>| {
        row.iter().filter(|&&cell| (cell - 1.0).abs() <= 0.0).count() == 1
            && row.iter().filter(|&&cell| cell.abs() <= 0.0).count() + 1 == row.len()
    };
    let hint = "one-hot labels as numbers of classes are labels.argmax(axis=1)";
    let one_hot = matrix.ncols() > 1 && matrix.rows().into_iter().all(one_hot);
    let columns = matrix.ncols();
    Err(Error::input(format!(
        "{name}: the array has {columns} columns, where there is to be one value a row"
    ))
    .with_any_hint(one_hot.then(|| hint.to_owned())))
}
