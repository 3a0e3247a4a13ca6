//! What a column may be, by what it is called and by its numbers.

use crate::table::{Column, Table};

/// Names of the column of what was observed.
const LABELS: [&str; 9] =
    ["label", "y", "target", "labels", "y_true", "truth", "true_label", "ground_truth", "observed"];

/// Columns of these names are never taken for probabilities by guess, whatever they hold. The
/// nameless and the unnamed ones are indices that pandas wrote.
const NEVER_PROBABILITIES: [&str; 20] = [
    "weight",
    "weights",
    "sample_weight",
    "fold",
    "folds",
    "group",
    "groups",
    "id",
    "idx",
    "index",
    "row",
    "",
    "unnamed: 0",
    "y_pred",
    "pred",
    "prediction",
    "predicted",
    "predicted_label",
    "predicted_class",
    "yhat",
];

/// Rounding of single precision below 0 or above 1 does not make a probability something else.
const ROUNDING: f64 = 1e-6;

/// Probabilities that were rounded do not sum to 1 by as much as this.
pub const NOWHERE_NEAR: f64 = 0.1;

/// What a column is called where it is named in a message.
pub fn name(table: &Table, column: usize) -> &str {
    match table.columns[column].name.as_str() {
        "" => "(unnamed)",
        name => name,
    }
}

/// Whether a column is called as one of what was observed.
pub fn is_label(column: &Column) -> bool {
    LABELS.iter().any(|label| column.name.eq_ignore_ascii_case(label))
}

/// Whether a column is never taken for probabilities, by what it is called.
pub fn is_never(table: &Table, at: usize) -> bool {
    let name = table.columns[at].name.to_lowercase();
    NEVER_PROBABILITIES.contains(&name.as_str()) || name.ends_with("_id")
}

/// Whether a number is a probability, but for rounding.
pub fn is_probability(number: f64) -> bool {
    (-ROUNDING..=1.0 + ROUNDING).contains(&number)
}
