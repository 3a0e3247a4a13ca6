//! From a table of columns to predictions: which column is what, and what its cells mean.
//!
//! The steps: [`choose`] picks the columns (those that were [`asked`] for, or by guess), [`score`]
//! takes the numbers out of them, which are [`checked`], [`labels`] turns the labels into classes, [`cells`]
//! reads groups and folds, [`mod@feature`] what else is known of rows, and all of it becomes [`Predictions`](calipers::Predictions).

mod asked;
mod called;
pub(crate) mod cells;
pub(crate) mod checked;
pub(crate) mod choose;
pub(crate) mod classes;
mod feature;
mod find;
pub(crate) mod labels;
mod list;
mod loaded;
mod locate;
mod models;
pub(crate) mod options;
mod pair;
mod parted;
pub(crate) mod score;
mod spelling;
pub(crate) mod sums;
mod unlabelled;

/// Which column is taken for what, in words, as lines of at most 80 letters.
///
/// ```
/// assert!(calipers_files::GUESSES.lines().all(|line| line.chars().count() <= 80));
/// ```
pub const GUESSES: &str = include_str!("guesses.txt");

use crate::error::Error;
use crate::table::Table;
pub use asked::{Columns, FeatureColumns, FoldColumn, ScoreColumns};
pub use feature::{FeatureKind, features};
pub use loaded::Loaded;
pub(crate) use loaded::check_lengths;
pub use models::ModelColumns;
pub(crate) use pair::paired;
pub use parted::parted;
pub use unlabelled::Unlabelled;

fn no_rows(table: &Table) -> Error {
    Error::input(format!("{}: there are no rows", table.source.name))
}
