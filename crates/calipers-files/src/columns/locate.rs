//! The core's errors, which know rows and columns by number, in the file's own terms.

use calipers::words::listed;

use super::choose::ScoreChoice;
use super::score::Scores;
use crate::error::Error;
use crate::table::Source;

/// So many columns are named in a command that is to be copied.
const MOST_NAMED: usize = 40;

/// What is wrong with the probabilities or logits.
pub fn scores(
    error: calipers::Error,
    source: &Source,
    scores: &Scores,
    choice: &ScoreChoice,
) -> Error {
    let cell = |row: usize, column: usize| {
        // A single column is that of class 1: it is the last column in any case.
        let name = scores.columns.get(column).or(scores.columns.last());
        source.cell(row, name.map_or("", String::as_str))
    };
    match error {
        calipers::Error::Probability { row, column, value, reason } => {
            Error::input(format!("{}: probability {value} {reason}", cell(row, column)))
                .with_hint("if these are logits, name the columns with --logits instead of --probs")
        }
        // One of them is an option that is impossible; the core refuses a row of nothing else.
        calipers::Error::Logit { row, value, .. } if value == f64::NEG_INFINITY => {
            let place = source.place(row);
            Error::input(format!(
                "{place}: no option of the row is possible: all of its logits are -inf"
            ))
        }
        calipers::Error::Logit { row, column, value } => {
            Error::input(format!("{}: logit {value} is not finite", cell(row, column)))
        }
        calipers::Error::RowSum { row, sum, tolerance } => {
            let error = Error::input(format!(
                "{}: the probabilities sum to {}, more than {tolerance} away from 1",
                source.place(row),
                (sum * 1e9).round() / 1e9
            ));
            // Two decimals move each probability by at most half a hundredth.
            let rounded = (sum - 1.0).abs() <= 0.005 * scores.columns.len() as f64;
            error.with_hint(if choice.guessed && !source.is_archive() && !rounded {
                format!(
                    "the columns {} were taken for probabilities; name the right ones with --probs",
                    listed(&scores.columns)
                )
            } else {
                "if the probabilities were rounded, --renormalise divides each row by its sum"
                    .into()
            })
        }
        // A setting's fault is none of the file's.
        calipers::Error::Setting { .. } => Error::input(error.to_string()),
        error => other(&error, source),
    }
}

/// What is wrong with the weights.
pub fn weights(error: calipers::Error, source: &Source, column: &str) -> Error {
    match error {
        calipers::Error::Weight { row, value, reason } => {
            Error::input(format!("{}: weight {value} {reason}", source.cell(row, column)))
        }
        error => Error::input(format!("{}, column {column}: {error}", source.name)),
    }
}

/// What is wrong with the folds.
pub fn folds(error: calipers::Error, source: &Source, column: &str) -> Error {
    match error {
        calipers::Error::Setting { reason, .. } => {
            Error::input(format!("{}, column {column}: {reason}", source.name))
        }
        error => other(&error, source),
    }
}

/// What is wrong with a feature: one that gives the label away is left out by naming the others, where
/// they were not named.
pub fn features(error: calipers::Error, source: &Source, all: &[String], others: bool) -> Error {
    let calipers::Error::Feature { name, reason } = error else { return other(&error, source) };
    let rest: Vec<&str> = all.iter().map(String::as_str).filter(|one| *one != name).collect();
    let plain = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let hint = match (others, rest.len()) {
        (true, 1..=MOST_NAMED) if rest.iter().all(|name| name.chars().all(plain)) => {
            Some(format!("name the others: --features {}", rest.join(",")))
        }
        (true, _) => Some("name the columns to use with --features a,b".to_owned()),
        (false, _) => None,
    };
    Error::input(format!("{}, column {name}: {reason}", source.name)).with_any_hint(hint)
}

/// What has no place of its own.
pub fn other(error: &calipers::Error, source: &Source) -> Error {
    Error::input(format!("{}: {error}", source.name))
}
