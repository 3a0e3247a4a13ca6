//! The core's errors, which know rows and columns by number, in the file's own terms.

use calipers::Error;
use calipers::labels::listed;

use super::choose::ScoreChoice;
use super::score::Scores;
use crate::error::Failure;
use crate::input::Source;

/// What is wrong with the probabilities or logits.
pub fn scores(error: Error, source: &Source, scores: &Scores, choice: &ScoreChoice) -> Failure {
    let cell = |row: usize, column: usize| {
        // A single column is that of class 1: it is the last column in any case.
        let name = scores.columns.get(column).or(scores.columns.last());
        source.cell(row, name.map_or("", String::as_str))
    };
    match error {
        Error::Probability { row, column, value, reason } => {
            Failure::input(format!("{}: probability {value} {reason}", cell(row, column)))
                .hint("if these are logits, name the columns with --logits instead of --probs")
        }
        Error::Logit { row, column, value } => {
            Failure::input(format!("{}: logit {value} is not finite", cell(row, column)))
        }
        Error::RowSum { row, sum, tolerance } => {
            let failure = Failure::input(format!(
                "{}: the probabilities sum to {}, more than {tolerance} away from 1",
                source.place(row),
                (sum * 1e9).round() / 1e9
            ));
            failure.maybe_hint((choice.guessed && !source.is_archive()).then(|| {
                format!(
                    "the columns {} were taken for probabilities; name the right ones with --probs",
                    listed(&scores.columns)
                )
            }))
        }
        error => other(&error, source),
    }
}

/// What is wrong with the weights.
pub fn weights(error: Error, source: &Source, column: &str) -> Failure {
    match error {
        Error::Weight { row, value, reason } => {
            Failure::input(format!("{}: weight {value} {reason}", source.cell(row, column)))
        }
        error => Failure::input(format!("{}, column {column}: {error}", source.name)),
    }
}

/// What is wrong with the folds.
pub fn folds(error: Error, source: &Source, column: &str) -> Failure {
    match error {
        Error::Setting { reason, .. } => {
            Failure::input(format!("{}, column {column}: {reason}", source.name))
        }
        error => other(&error, source),
    }
}

/// What has no place of its own.
pub fn other(error: &Error, source: &Source) -> Failure {
    Failure::input(format!("{}: {error}", source.name))
}
