//! The labels of a column as classes.

use std::collections::HashMap;

use calipers::labels::{ClassColumns, Label, Reading, read};
use calipers::words::listed;

use crate::error::{Error, Result};
use crate::table::Values;

/// The labels as classes.
pub struct Labels {
    /// The class of each row.
    pub codes: Vec<usize>,
    /// The classes' names.
    pub classes: Vec<String>,
}

/// Turns labels into classes by the rules of [`calipers::labels`]; `place` names a row's label in
/// the file.
pub fn resolve(
    values: &Values,
    classes: &ClassColumns<'_>,
    place: &dyn Fn(usize) -> String,
) -> Result<Labels> {
    let (rows, found) = distinct(values, place)?;
    let Reading { codes, classes, .. } =
        read(&found, classes).map_err(|error| explained(&error, place))?;
    Ok(Labels { codes: rows.into_iter().map(|at| codes[at]).collect(), classes })
}

/// The labels that occur, and which of them each row has.
fn distinct(values: &Values, place: &dyn Fn(usize) -> String) -> Result<(Vec<usize>, Vec<Label>)> {
    let mut found: Vec<Label> = Vec::new();
    let missing = |row: usize| Error::input(format!("{}: the label is missing", place(row)));
    let mut rows = Vec::with_capacity(values.rows().unwrap_or(0));
    match values {
        Values::Numbers(numbers) => {
            let mut known: HashMap<u64, usize> = HashMap::new();
            for (row, &number) in numbers.iter().enumerate() {
                if number.is_nan() {
                    return Err(missing(row));
                }
                // Adding 0 turns -0 into 0.
                let at = *known.entry((number + 0.0).to_bits()).or_insert_with(|| {
                    found.push(Label { count: 0, ..Label::number(number, row) });
                    found.len() - 1
                });
                found[at].count += 1;
                rows.push(at);
            }
        }
        Values::Text(text) => {
            let mut known: HashMap<&str, usize> = HashMap::new();
            for (row, cell) in text.iter().enumerate() {
                if cell.is_empty() {
                    return Err(missing(row));
                }
                let at = *known.entry(cell).or_insert_with(|| {
                    // Text sorts as text, also where it looks like numbers.
                    found.push(Label { count: 0, number: None, ..Label::word(cell, row) });
                    found.len() - 1
                });
                found[at].count += 1;
                rows.push(at);
            }
        }
        Values::Matrix(matrix) => {
            let columns = matrix.ncols();
            return Err(Error::input(format!(
                "{}: a label cannot be a row of {columns} numbers",
                place(0)
            )));
        }
        Values::Lists(_) => {
            return Err(Error::input(format!("{}: a label cannot be a list of numbers", place(0))));
        }
        Values::Other(kind) => {
            return Err(Error::input(format!("{}: a label cannot be {kind}", place(0))));
        }
    }
    Ok((rows, found))
}

/// The core's error with its place in the file, and what to do about it.
pub fn explained(error: &calipers::Error, place: &dyn Fn(usize) -> String) -> Error {
    match error {
        calipers::Error::UnknownLabel { row, value, classes } => Error::input(format!(
            "{}: label {value:?} is none of the classes {}",
            place(*row),
            listed(classes)
        ))
        .with_hint(format!(
            "a label is a class's name, which is that of its column; --classes names the {} classes \
             otherwise",
            classes.len()
        )),
        ambiguous @ calipers::Error::AmbiguousLabels { .. } => {
            Error::input(format!("{}: {ambiguous}", place(0))).with_hint(
                "--classes names the class of each column as the labels do, --positive-class that of a \
                 single one",
            )
        }
        calipers::Error::OnlyLabel { row, value } => Error::input(format!(
            "{}: all labels are {value:?}, so there is no telling which class the single \
             probability column is for",
            place(*row)
        ))
        .with_hint("--positive-class says which"),
        calipers::Error::ThirdLabel { row, value } => Error::input(format!(
            "{}: label {value:?} is a third one, but a single probability column means two classes",
            place(*row)
        ))
        .with_hint("name one column a class with --probs"),
        calipers::Error::NoCorrectness { row, value } => Error::input(format!(
            "{}: {value:?} does not say whether the answer was right: it is neither 0 nor 1",
            place(*row)
        ))
        .with_hint("0 and 1, true and false, yes and no, correct and incorrect, right and wrong do"),
        other => Error::input(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Text;

    fn resolved(values: &Values) -> std::result::Result<Vec<usize>, String> {
        let labels = resolve(values, &ClassColumns::Unnamed(2), &|row| format!("line {}", row + 2));
        labels.map(|labels| labels.codes).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn every_row_gets_its_class_and_every_fault_its_place() {
        let words = |cells: &[&str]| Values::Text(cells.iter().copied().collect::<Text>());
        assert_eq!(resolved(&words(&["b", "a", "b"])), Ok(vec![1, 0, 1]));
        assert_eq!(resolved(&Values::Numbers(vec![1.0, -0.0, 0.0])), Ok(vec![1, 0, 0]));
        let fault = |values: Values| resolved(&values).unwrap_err();
        assert!(fault(words(&["a", ""])).contains("line 3: the label is missing"));
        assert!(fault(Values::Numbers(vec![f64::NAN])).contains("line 2: the label is missing"));
        assert!(fault(Values::Numbers(vec![0.0, 9.0, 8.0])).contains("line 3: label"));
        assert!(fault(Values::Other("a list".to_owned())).contains("a label cannot be a list"));
    }
}
