//! Whether columns that were guessed can be the probabilities of the classes.

use calipers::words::listed;

use super::called::NOWHERE_NEAR;
use super::choose::ScoreChoice;
use super::score::Scores;
use crate::error::{Error, Result};
use crate::table::Source;

/// Where columns that were guessed sum to nothing near 1 in most rows, the guess is wrong, not the rows.
pub fn check_sums(source: &Source, scores: &Scores, choice: &ScoreChoice) -> Result<()> {
    let (rows, count) = scores.values.dim();
    if !choice.guessed || choice.logits || count < 2 || source.is_archive() {
        return Ok(());
    }
    let off = |row: &usize| (scores.values.row(*row).sum() - 1.0).abs() > NOWHERE_NEAR;
    let wrong: Vec<usize> = (0..rows).filter(off).collect();
    match wrong.first() {
        Some(&first) if 2 * wrong.len() > rows => Err(Error::input(format!(
            "{}: {} do not sum to 1, so they are not the probabilities of the classes",
            source.place(first),
            listed(&scores.columns)
        ))
        .with_hint("--probs names the columns of probabilities")),
        _ => Ok(()),
    }
}
