//! From a table of columns to predictions: which column is what, and what its cells mean.
//!
//! The steps: [`choose`] picks the columns (those that were [`asked`] for, or by guess), [`score`]
//! takes the numbers out of them, [`labels`] turns the labels into classes, [`cells`] reads weights,
//! groups and folds, and all of it becomes [`Predictions`](calipers::Predictions), which checks the numbers.

mod asked;
mod cells;
mod choose;
mod find;
mod labels;
mod loaded;
mod locate;
mod score;
mod spelling;
mod unlabelled;

/// Which column is taken for what, in words, as lines of at most 80 letters.
///
/// ```
/// assert!(calipers_files::GUESSES.lines().all(|line| line.chars().count() <= 80));
/// ```
pub const GUESSES: &str = include_str!("guesses.txt");

use calipers::Probabilities;
use ndarray::Array2;

use crate::error::Error;
use crate::table::Table;
pub use asked::{Columns, FoldColumn, ScoreColumns};
pub use loaded::Loaded;
pub use unlabelled::Unlabelled;

fn no_rows(table: &Table) -> Error {
    Error::input(format!("{}: there are no rows", table.source.name))
}

/// Checks the numbers of a table.
fn probabilities(
    values: Array2<f64>,
    logits: bool,
    renormalise: bool,
) -> calipers::Result<Probabilities<'static>> {
    if renormalise && (logits || values.ncols() == 1) {
        let what = if logits { "logits have" } else { "a single column has" };
        let reason = format!("{what} no sum to be divided by");
        Err(calipers::Error::Setting { name: "--renormalise", reason })
    } else if logits {
        Probabilities::from_logits(values.view())
    } else if values.ncols() == 1 {
        // The column is handed over as it is: the table holds nothing else.
        let (column, _) = values.into_flat().into_raw_vec_and_offset();
        Probabilities::binary(column)
    } else if renormalise {
        Probabilities::renormalised(values)
    } else {
        Probabilities::new(values)
    }
}
