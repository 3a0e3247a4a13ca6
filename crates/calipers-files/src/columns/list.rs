//! Which column of lists the predictions are, where that was not said.

use super::called::{NOWHERE_NEAR, is_label, is_never, is_probability, name};
use super::cells::wrong_kind;
use crate::error::{Error, Result};
use crate::table::{Column, Lists, Source, Table, Text, Values};

/// Sums of percentages.
const WHOLE: f64 = 100.0;

/// The only column of lists that are probabilities and sum to about 1, if there is one: columns of single
/// numbers beside it are something else, such as the probability of the predicted class.
///
/// # Errors
/// There are several. There is none, but a column that is one of lists all the same, of percentages, logits or
/// words: were it passed over, such a column of single numbers would be measured in its place.
pub fn guess_list(table: &Table, free: &dyn Fn(usize) -> bool) -> Result<Option<usize>> {
    let free: Vec<usize> =
        (0..table.columns.len()).filter(|&at| free(at) && !is_label(&table.columns[at])).collect();
    let suits = |at: &usize| match &table.columns[*at].values {
        // Lists sum to 1 for a reason: where most do, the others have bad numbers.
        Values::Lists(lists) => {
            let single = lists.longest() == 1;
            let never = single && is_never(table, *at);
            !never
                && 2 * lists.iter().filter(|list| fault_of(list, single).is_none()).count()
                    > lists.len()
        }
        _ => false,
    };
    let found: Vec<usize> = free.iter().copied().filter(suits).collect();
    match found.as_slice() {
        [first, second, ..] => Err(Error::input(format!(
            "{}: {} or {} may be the lists of probabilities",
            table.source.name,
            name(table, *first),
            name(table, *second)
        ))
        .with_hint("--probs names the right one")),
        [only] => Ok(Some(*only)),
        [] => match broken(table, &free) {
            Some(at) => Err(refusal(table, at)),
            None => Ok(None),
        },
    }
}

/// The column of lists that was meant, in whatever form it is: one that is called probabilities or logits
/// comes before any other.
fn broken(table: &Table, free: &[usize]) -> Option<usize> {
    if table.rows() == 0 {
        return None;
    }
    let is_list = |values: &Values| match values {
        Values::Lists(lists) => lists.count() > 0,
        Values::Text(text) => first_list(text).is_some(),
        Values::Numbers(_) | Values::Matrix(_) | Values::Other(_) => false,
    };
    let called = |at: &&usize| {
        let Column { name, values } = &table.columns[**at];
        is_called_so(name) && (matches!(values, Values::Other(_)) || is_list(values))
    };
    let found = free.iter().find(called);
    found.or_else(|| free.iter().find(|at| is_list(&table.columns[**at].values))).copied()
}

/// Whether a name has a word such as `probs`, `probabilities` or `logits` in it.
fn is_called_so(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| word.starts_with("prob") || word.starts_with("logit"))
}

/// Says why a column of lists is not taken for the predictions.
fn refusal(table: &Table, at: usize) -> Error {
    let Column { name, values } = &table.columns[at];
    let source = &table.source;
    let error = match values {
        Values::Lists(lists) => refusal_of_lists(lists, name, source),
        Values::Text(text) => match spelt_list(source, name, text) {
            Some(error) => error,
            None => wrong_kind(source, name, values, "probability"),
        },
        other => wrong_kind(source, name, other, "probability"),
    };
    match error.hint() {
        Some(_) => error,
        None => error.with_hint(format!(
            "--logits {name} if these are logits; else --probs names the columns of the probabilities"
        )),
    }
}

fn refusal_of_lists(lists: &Lists, name: &str, source: &Source) -> Error {
    if let Some((row, what)) = lists.fault() {
        return Error::input(format!("{}: {what}", source.cell(row, name)));
    }
    let single = lists.longest() == 1;
    let faults =
        lists.iter().enumerate().filter_map(|(row, list)| Some((row, fault_of(list, single)?)));
    let faults: Vec<(usize, Fault)> = faults.collect();
    // A number that is missing says nothing of what the others are.
    let first = faults.iter().find(|(_, fault)| !matches!(fault, Fault::Missing));
    let Some((row, fault)) = first.or(faults.first()) else {
        return Error::input(format!("{}, column {name}: no lists of probabilities", source.name));
    };
    let place = source.cell(*row, name);
    let percent = |list: &[f64]| (list.iter().sum::<f64>() - WHOLE).abs() <= WHOLE * NOWHERE_NEAR;
    let percentages = 2 * lists.iter().filter(|list| percent(list)).count() > lists.len();
    let error = Error::input(match fault {
        Fault::Missing => format!("{place}: a number of the list is missing"),
        Fault::Outside(number) => {
            format!("{place}: {number} in the list is no probability: it is not between 0 and 1")
        }
        Fault::Sum(sum) => {
            let sum = (sum * 1e9).round() / 1e9;
            format!(
                "{place}: the list sums to {sum}, so it is not the probabilities of the classes"
            )
        }
    });
    let hint = "if these are percentages, divide them by 100".to_owned();
    error.with_any_hint(percentages.then_some(hint))
}

/// Why a list is no list of probabilities.
enum Fault {
    Missing,
    Outside(f64),
    Sum(f64),
}

/// What is wrong with a list of probabilities; where all lists are of one, it is that of class 1 and has no sum.
fn fault_of(list: &[f64], single: bool) -> Option<Fault> {
    let outside = list.iter().find(|number| !is_probability(**number) && !number.is_nan());
    let sum: f64 = list.iter().sum();
    match outside {
        Some(&number) => Some(Fault::Outside(number)),
        None if list.is_empty() || sum.is_nan() => Some(Fault::Missing),
        None if single || (sum - 1.0).abs() <= NOWHERE_NEAR => None,
        None => Some(Fault::Sum(sum)),
    }
}

/// The first cell of a text, if it is a list of numbers to people.
fn first_list(text: &Text) -> Option<(usize, &str)> {
    let (row, cell) = text.iter().enumerate().find(|(_, cell)| !cell.is_empty())?;
    let inner = match cell.trim().as_bytes() {
        [b'[', .., b']'] | [b'(', .., b')'] => &cell.trim()[1..cell.trim().len() - 1],
        _ => return None,
    };
    let mut numbers = inner.split([',', ' ', '\n', ';']).filter(|word| !word.is_empty()).peekable();
    let any = numbers.peek().is_some();
    (any && numbers.all(|number| number.parse::<f64>().is_ok())).then_some((row, cell))
}

/// Says that a list is written as text, if it is.
pub fn spelt_list(source: &Source, name: &str, text: &Text) -> Option<Error> {
    let (row, cell) = first_list(text)?;
    let shown: String = cell.chars().take(40).collect();
    let more = if shown.len() < cell.len() { "…" } else { "" };
    let place = source.cell(row, name);
    let error =
        Error::input(format!("{place}: the cell is a list that is written as text: {shown}{more}"));
    Some(
        error.with_hint(
            "JSON Lines, Parquet and Arrow hold lists of numbers; CSV has a column a class",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_word_by_word() {
        for name in ["probs", "class_probabilities", "Logits", "model.logit", "prob"] {
            assert!(is_called_so(name), "{name}");
        }
        for name in ["improbable", "tokens", "p", ""] {
            assert!(!is_called_so(name), "{name}");
        }
    }

    #[test]
    fn lists_as_text_are_seen() {
        let list = |cell: &str| first_list(&["", cell].into_iter().collect()).is_some();
        for cell in ["[0.2, 0.8]", " [1]", "(0.5, 0.5)", "[0.2 0.8]", "[1e-3,nan]"] {
            assert!(list(cell), "{cell}");
        }
        for cell in ["[]", "[a, b]", "0.2, 0.8", "[0.2", "["] {
            assert!(!list(cell), "{cell}");
        }
    }
}
