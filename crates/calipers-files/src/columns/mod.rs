//! From a table of columns to predictions: which column is what, and what its cells mean.
//!
//! The steps: [`choose`] picks the columns (those that were [`asked`] for, or by guess), [`score`]
//! takes the numbers out of them, [`labels`] turns the labels into classes, [`cells`] reads weights,
//! groups and folds, and all of it becomes [`Predictions`], which checks the numbers.

mod asked;
mod cells;
mod choose;
mod find;
mod labels;
mod loaded;
mod locate;
mod score;
mod unlabelled;

use calipers::Predictions;
use ndarray::Array2;

use crate::error::Error;
use crate::table::Table;
pub use asked::{Columns, FoldColumn, ScoreColumns};
use labels::Labels;
pub use loaded::Loaded;
pub use unlabelled::Unlabelled;

fn no_rows(table: &Table) -> Error {
    Error::input(format!("{}: there are no rows", table.source.name))
}

fn predict(
    values: Array2<f64>,
    labels: Labels,
    logits: bool,
) -> calipers::Result<Predictions<'static>> {
    let predictions = if logits {
        Predictions::from_logits(values.view(), &labels.codes)?
    } else if values.ncols() == 1 {
        // The column is handed over as it is: the table holds nothing else.
        let (column, _) = values.into_flat().into_raw_vec_and_offset();
        Predictions::binary(column, &labels.codes)?
    } else {
        Predictions::new(values, &labels.codes)?
    };
    predictions.with_class_names(labels.classes)
}
