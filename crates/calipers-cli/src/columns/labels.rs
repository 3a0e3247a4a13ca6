//! What the labels mean: names of classes, positions of columns, or true and false.

use std::collections::HashMap;

use super::find::listed;
use crate::error::{Failure, Result};
use crate::input::Values;

/// The classes that labels can name.
pub enum Classes<'a> {
    /// One a column.
    Named(&'a [String]),
    /// Two, of which the second has a column of this name.
    One(&'a str),
}

/// The labels as classes.
pub struct Labels {
    /// The class of each row.
    pub codes: Vec<usize>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// What the user should know about how the labels were read.
    pub remark: Option<String>,
}

/// Turns labels into classes; `place` names a row's label in the file.
///
/// If every label is a class's name, that is what they are; otherwise whole numbers are positions
/// of columns, and `true` and `false` are classes 1 and 0. With a single column, any two labels
/// will do: the one the column is named after, or else the second in sorted order, is class 1.
pub fn resolve(
    values: &Values,
    classes: &Classes<'_>,
    place: &dyn Fn(usize) -> String,
) -> Result<Labels> {
    let (rows, found) = distinct(values, place)?;
    let reading = match classes {
        Classes::Named(names) => many(&found, names, place)?,
        Classes::One(name) => single(&found, name, place)?,
    };
    let codes = rows.into_iter().map(|at| reading.codes[at]).collect();
    Ok(Labels { codes, ..reading })
}

/// A label that occurs, with the row where it first does.
struct Label {
    text: String,
    number: Option<f64>,
    row: usize,
    count: usize,
}

impl Label {
    /// The class of this name; `1` and `1.0` are the same name.
    fn named(&self, names: &[String]) -> Option<usize> {
        let same = |name: &String| {
            let number = || Some((name.parse::<f64>().ok()?, self.number?));
            *name == self.text || number().is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
        };
        names.iter().position(|name| *name == self.text).or_else(|| names.iter().position(same))
    }

    /// The column at this position.
    fn position(&self, count: usize) -> Option<usize> {
        self.number
            .filter(|number| number.fract().abs() <= 0.0 && (0.0..count as f64).contains(number))
            .map(|number| number as usize)
    }

    fn truth(&self) -> Option<usize> {
        let word = self.text.to_lowercase();
        ["false", "true"].iter().position(|truth| *truth == word)
    }
}

/// The labels that occur, and which of them each row has.
fn distinct(values: &Values, place: &dyn Fn(usize) -> String) -> Result<(Vec<usize>, Vec<Label>)> {
    let mut found: Vec<Label> = Vec::new();
    let missing = |row: usize| Failure::input(format!("{}: the label is missing", place(row)));
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
                    let text = (number + 0.0).to_string();
                    found.push(Label { text, number: Some(number), row, count: 0 });
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
                    let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
                    found.push(Label { text: cell.to_owned(), number, row, count: 0 });
                    found.len() - 1
                });
                found[at].count += 1;
                rows.push(at);
            }
        }
        Values::Matrix(matrix) => {
            let columns = matrix.ncols();
            return Err(Failure::input(format!(
                "{}: a label cannot be a row of {columns} numbers",
                place(0)
            )));
        }
        Values::Other(kind) => {
            return Err(Failure::input(format!("{}: a label cannot be {kind}", place(0))));
        }
    }
    Ok((rows, found))
}

/// Labels of as many classes as there are columns.
fn many(found: &[Label], names: &[String], place: &dyn Fn(usize) -> String) -> Result<Labels> {
    let count = names.len();
    let by_name: Vec<Option<usize>> = found.iter().map(|label| label.named(names)).collect();
    let by_position: Vec<Option<usize>> = found.iter().map(|label| label.position(count)).collect();
    let mut readings = vec![by_name, by_position];
    if count == 2 {
        readings.push(found.iter().map(Label::truth).collect());
    }
    for (order, reading) in readings.iter().enumerate() {
        if let Some(codes) = reading.iter().copied().collect::<Option<Vec<usize>>>() {
            // Named 1, 2, 3 and labelled 0, 1, 2: read as asked, but it may well be a mistake.
            let doubtful = order == 1 && names.iter().all(|name| name.parse::<u64>().is_ok());
            let remark = doubtful.then(|| {
                format!("labels: taken as positions of columns, so label 0 is class {}", names[0])
            });
            return Ok(Labels { codes, classes: names.to_vec(), remark });
        }
    }
    // The reading that explains the most rows is the one whose exception helps the most.
    let unexplained = |reading: &[Option<usize>]| -> usize {
        let pairs = reading.iter().zip(found);
        pairs.filter(|(code, _)| code.is_none()).map(|(_, label)| label.count).sum()
    };
    let best = readings.iter().min_by_key(|reading| unexplained(reading));
    let culprit = best.and_then(|reading| reading.iter().position(Option::is_none)).unwrap_or(0);
    let Label { text, row, .. } = &found[culprit];
    let classes: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(Failure::input(format!(
        "{}: label {text:?} is none of the classes {}",
        place(*row),
        listed(&classes)
    ))
    .hint(format!(
        "a label is a class's name or its position from 0 to {}; class names are those of the \
         probability columns",
        count - 1
    )))
}

/// Labels of two classes, of which only the second has a column.
fn single(found: &[Label], column: &str, place: &dyn Fn(usize) -> String) -> Result<Labels> {
    let named = [column.to_owned()];
    let own = found.iter().position(|label| label.named(&named).is_some());
    let plain = |read: &dyn Fn(&Label) -> Option<usize>, names: [&str; 2]| {
        let codes = found.iter().map(read).collect::<Option<Vec<usize>>>()?;
        Some(Labels { codes, classes: names.map(str::to_owned).to_vec(), remark: None })
    };
    let numbers = plain(&|label| label.position(2), ["0", "1"]);
    let usual = numbers.or_else(|| plain(&Label::truth, ["false", "true"]));
    let agrees = |labels: &Labels| own.is_none_or(|own| labels.codes[own] == 1);
    if let Some(labels) = usual.filter(agrees) {
        return Ok(labels);
    }
    let (negative, positive) = match (found, own) {
        ([_, _], Some(own)) => (1 - own, own),
        ([first, second], None) => {
            let both = first.number.zip(second.number);
            let ascending = both.map_or(first.text < second.text, |(one, other)| one < other);
            if ascending { (0, 1) } else { (1, 0) }
        }
        ([.., only], _) if found.len() == 1 => {
            return Err(Failure::input(format!(
                "{}: all labels are {:?}, so there is no telling which class the single \
                 probability column is for",
                place(only.row),
                only.text
            ))
            .hint("label the rows 0 and 1"));
        }
        _ => {
            let third = found.get(2).or(found.last());
            let (text, row) = third.map_or(("", 0), |label| (label.text.as_str(), label.row));
            return Err(Failure::input(format!(
                "{}: label {text:?} is a third one, but a single probability column means two \
                 classes",
                place(row)
            ))
            .hint("name one column a class with --probs"));
        }
    };
    let name = |at: usize| found[at].text.clone();
    let why = if own.is_some() { "as the column is named" } else { "the second in sorted order" };
    let remark =
        format!("labels: class 1 is {}, {why}; class 0 is {}", name(positive), name(negative));
    Ok(Labels {
        codes: (0..2).map(|at| usize::from(at == positive)).collect(),
        classes: vec![name(negative), name(positive)],
        remark: Some(remark),
    })
}

#[cfg(test)]
mod tests;
