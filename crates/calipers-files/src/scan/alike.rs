//! Whether a file has the columns that the others have.

use std::collections::HashSet;

use super::layout::Layout;
use crate::columns::choose::{Choice, choose};
use crate::error::{Error, Result};
use crate::table::Table;

/// Where the columns of the layout are in a table of a file; what its folders say is among its columns.
///
/// # Errors
/// One is missing, or there twice. Where the predictions were guessed, any other column that is missing or
/// one too many: it would have been guessed to be something else.
pub fn places(table: &Table, layout: &Layout, partitions: &[(String, String)]) -> Result<Choice> {
    let (name, first) = (&table.source.name, layout.first());
    let own: HashSet<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let columns = layout.to_columns();
    let scores = layout.scores().iter();
    let needed = columns.singles().chain(scores).find(|needed| !own.contains(needed.as_str()));
    let folders = partitions.iter().map(|(name, _)| name.as_str());
    let everything: HashSet<&str> = own.iter().copied().chain(folders).collect();
    let guessed = layout.guessed_scores();
    let other =
        || layout.all().iter().find(|other| guessed && !everything.contains(other.as_str()));
    if let Some(missing) = needed.or_else(other) {
        return Err(Error::input(format!(
            "{name}: there is no column {missing:?}, which {first} has"
        )));
    }
    let mut more: Vec<&str> =
        everything.into_iter().filter(|own| !layout.all().contains(*own)).collect();
    more.sort_unstable();
    if let Some(more) = more.first().filter(|_| guessed) {
        return Err(Error::input(format!(
            "{name}: there is a column {more:?}, which {first} has not"
        ))
        .with_hint(
            "--probs or --logits names the columns of the predictions; others do not matter then",
        ));
    }
    let mut choice = choose(table, &columns)?;
    // An archive's arrays are taken for what they are called, whether or not the first file had them.
    choice.weight = choice.weight.filter(|_| layout.weight().is_some());
    choice.group = choice.group.filter(|_| layout.group().is_some());
    choice.scores.guessed = guessed;
    Ok(choice)
}
