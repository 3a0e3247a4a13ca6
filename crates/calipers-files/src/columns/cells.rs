//! The cells of a column, in which none may be missing.

use super::spelling::remedy;
use crate::error::{Error, Result};
use crate::table::{Source, Text, Values};

/// The numbers of a column in which none may be missing.
pub fn numbers<'a>(
    source: &Source,
    name: &str,
    values: &'a Values,
    what: &str,
) -> Result<&'a [f64]> {
    let numbers = match values {
        Values::Numbers(numbers) => numbers,
        Values::Text(text) => return Err(not_a_number(source, name, text, what)),
        Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => {
            return Err(wrong_kind(source, name, values, what));
        }
    };
    match numbers.iter().position(|number| number.is_nan()) {
        None => Ok(numbers),
        Some(row) => Err(missing(source, name, row, what)),
    }
}

/// Says that a cell is empty.
pub fn missing(source: &Source, name: &str, row: usize, what: &str) -> Error {
    Error::input(format!("{}: the {what} is missing", source.cell(row, name)))
}

/// Names the first cell of a text that made it one.
pub fn not_a_number(source: &Source, name: &str, text: &Text, what: &str) -> Error {
    let culprit = text.iter().enumerate().find(|(_, cell)| cell.parse::<f64>().is_err());
    let (row, cell) = culprit.or_else(|| text.iter().enumerate().next()).unwrap_or((0, ""));
    if cell.is_empty() {
        return missing(source, name, row, what);
    }
    no_number(source, name, (row, cell), what)
}

/// Says that a cell is no number, and how to mend it if it is one to people.
pub fn no_number(source: &Source, name: &str, (row, cell): (usize, &str), what: &str) -> Error {
    let place = source.cell(row, name);
    Error::input(format!("{place}: {what} {cell:?} is not a number")).with_any_hint(remedy(cell))
}

/// Says that a column holds what cannot be used.
pub fn wrong_kind(source: &Source, name: &str, values: &Values, what: &str) -> Error {
    let kind = match values {
        Values::Matrix(matrix) => format!("a matrix of {} columns", matrix.ncols()),
        Values::Lists(_) => "a list of numbers".to_owned(),
        Values::Other(kind) => kind.clone(),
        Values::Numbers(_) => "numbers".to_owned(),
        Values::Text(_) => "text".to_owned(),
    };
    Error::input(format!("{}, column {name}: a {what} cannot be {kind}", source.name))
}

/// The cells as text, of a column in which none may be missing.
pub fn words(source: &Source, name: &str, values: &Values, what: &str) -> Result<Vec<String>> {
    let words: Vec<String> = match values {
        Values::Numbers(_) => {
            numbers(source, name, values, what)?.iter().map(f64::to_string).collect()
        }
        Values::Text(text) => text.iter().map(str::to_owned).collect(),
        Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => {
            return Err(wrong_kind(source, name, values, what));
        }
    };
    match words.iter().position(String::is_empty) {
        None => Ok(words),
        Some(row) => Err(missing(source, name, row, what)),
    }
}

/// When rows were: numbers as they are, or dates that begin with the year, as places in their order.
pub fn times(source: &Source, name: &str, values: &Values) -> Result<Vec<f64>> {
    if let Values::Numbers(_) = values {
        let numbers = numbers(source, name, values, "time")?;
        return match numbers.iter().position(|number| number.is_infinite()) {
            None => Ok(numbers.to_vec()),
            Some(row) => {
                Err(Error::input(format!("{}: the time is infinite", source.cell(row, name))))
            }
        };
    }
    let words = words(source, name, values, "time")?;
    // 2024-03-01, with or without a time of the day behind it: letters sort as dates do.
    let is_date = |word: &String| {
        let mut begins = word.bytes().take(10).enumerate();
        word.len() >= 10
            && begins.all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    if let Some(row) = words.iter().position(|word| !is_date(word)) {
        let (place, word) = (source.cell(row, name), &words[row]);
        return Err(Error::input(format!("{place}: time {word:?} is neither a number nor a date"))
            .with_hint("dates begin with the year, as in 2024-03-01 or 2024-03-01T12:30:00"));
    }
    let mut sorted: Vec<&String> = words.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    Ok(words.iter().map(|word| sorted.partition_point(|other| *other < word) as f64).collect())
}

/// Fold ids: whole numbers as they are, anything else numbered in sorted order.
pub fn fold_ids(source: &Source, name: &str, values: &Values) -> Result<Vec<i64>> {
    if let Values::Numbers(_) = values {
        let numbers = numbers(source, name, values, "fold")?;
        if numbers.iter().all(|number| number.fract().abs() <= 0.0) {
            return Ok(numbers.iter().map(|&number| number as i64).collect());
        }
    }
    let words = words(source, name, values, "fold")?;
    let mut sorted: Vec<&String> = words.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    Ok(words.iter().map(|word| sorted.partition_point(|other| *other < word) as i64).collect())
}
