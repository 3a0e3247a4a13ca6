//! What can be wrong with the input, and where.

use crate::words::listed;

/// Everything that can go wrong, with the row, the column and the value where there is one.
///
/// Rows and columns count from 0, as they do in the arrays that were given.
///
/// ```
/// use calipers::{Error, Predictions};
/// use ndarray::array;
///
/// let probs = array![[0.4, 0.6], [1.2, -0.2]];
/// let error = Predictions::new(probs, &[0, 1]).unwrap_err();
/// assert!(matches!(error, Error::Probability { row: 1, column: 0, .. }));
/// assert_eq!(error.to_string(), "row 1, column 0: probability 1.2 is above 1");
/// assert_eq!(error.row(), Some(1));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to measure.
    #[error("there are no rows")]
    Empty,
    /// A classifier tells at least two classes apart.
    #[error("{columns} class column(s): at least 2 classes are needed")]
    TooFewClasses {
        /// How many columns there were.
        columns: usize,
    },
    /// Two inputs that must have one entry a row do not.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// Which input, for instance `labels`.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A probability that is none.
    #[error("row {row}, column {column}: probability {value} {reason}")]
    Probability {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The value found there.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A logit that is not finite.
    #[error("row {row}, column {column}: logit {value} is not finite")]
    Logit {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// Two rows of one key: it does not say who a row is.
    #[error("two rows have the same key (its hash is {identity:016x}): a key must be a row's own")]
    Key {
        /// The key's [`identity`](crate::identity).
        identity: u64,
    },
    /// Tallies that do not belong together, or that do not add up to all rows.
    #[error("{reason}")]
    Tally {
        /// What is wrong with them.
        reason: String,
    },
    /// A row of probabilities that does not sum to 1.
    #[error(
        "row {row}: the probabilities sum to {sum}, more than {tolerance} away from 1; divide each \
         row by its sum if that is what is meant, or give scores as logits"
    )]
    RowSum {
        /// The row, from 0.
        row: usize,
        /// The sum found.
        sum: f64,
        /// The distance from 1 that is still renormalised.
        tolerance: f64,
    },
    /// A label that names no class.
    #[error("row {row}: label {value} is not one of the {classes} classes 0 to {}", classes - 1)]
    Label {
        /// The row, from 0.
        row: usize,
        /// The label as given.
        value: String,
        /// How many classes there are.
        classes: usize,
    },
    /// A label that is not there.
    #[error("row {row}: the label is missing")]
    MissingLabel {
        /// The row, from 0.
        row: usize,
    },
    /// A label that none of the classes goes by.
    #[error("row {row}: label {value:?} is none of the classes {}", listed(classes))]
    UnknownLabel {
        /// The row, from 0.
        row: usize,
        /// The label as given.
        value: String,
        /// The classes' names.
        classes: Vec<String>,
    },
    /// Labels that can be read in two ways.
    #[error("the labels can be read in two ways: {one}, or {other}")]
    AmbiguousLabels {
        /// The one way.
        one: String,
        /// The other.
        other: String,
    },
    /// All labels are the same, and it is neither 0 nor 1.
    #[error(
        "row {row}: all labels are {value:?}, so there is no telling which class the single \
         probability column is for"
    )]
    OnlyLabel {
        /// The row, from 0.
        row: usize,
        /// The label as given.
        value: String,
    },
    /// More labels than a single column of probabilities can tell apart.
    #[error(
        "row {row}: label {value:?} is a third one, but a single probability column means two \
         classes"
    )]
    ThirdLabel {
        /// The row, from 0.
        row: usize,
        /// The label as given.
        value: String,
    },
    /// What says whether an answer was right, and does not.
    #[error(
        "row {row}: {value:?} does not say whether the answer was right: it is neither 0 nor 1"
    )]
    NoCorrectness {
        /// The row, from 0.
        row: usize,
        /// The label as given.
        value: String,
    },
    /// A weight that is negative or not finite.
    #[error("row {row}: weight {value} {reason}")]
    Weight {
        /// The row, from 0.
        row: usize,
        /// The weight found.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No row counts.
    #[error("all weights are zero")]
    ZeroWeights,
    /// Two classes of one name.
    #[error("classes {first} and {second} are both named {name:?}")]
    ClassName {
        /// The first class of that name.
        first: usize,
        /// The second one.
        second: usize,
        /// The name.
        name: String,
    },
    /// Cross-validation needs a row in each fold.
    #[error("{rows} rows are too few for {folds} folds: every fold needs one")]
    TooFewRows {
        /// How many rows there are.
        rows: usize,
        /// How many folds were asked for.
        folds: usize,
    },
    /// A setting that makes no sense.
    #[error("{name}: {reason}")]
    Setting {
        /// The setting, for instance `folds`.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Text that names no metric.
    #[error("unknown metric {text:?}: {reason}")]
    Metric {
        /// The text as given.
        text: String,
        /// What was expected instead.
        reason: String,
    },
    /// A metric that these predictions do not have.
    #[error("metric {metric}: {reason}")]
    Inapplicable {
        /// The metric's name.
        metric: String,
        /// Why not.
        reason: String,
    },
    /// A feature that cannot be used.
    #[error("feature {name}: {reason}")]
    Feature {
        /// The feature's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Text that names no recalibrator.
    #[error("unknown recalibrator {text:?}: {reason}")]
    Recalibrator {
        /// The text as given.
        text: String,
        /// What was expected instead.
        reason: String,
    },
    /// Text that names no neighbour.
    #[error("unknown measure {text:?}: {reason}")]
    Neighbour {
        /// The text as given.
        text: String,
        /// What was expected instead.
        reason: String,
    },
    /// Text that names no simulation.
    #[error("unknown simulation {text:?}: the names are {names}")]
    Simulation {
        /// The text as given.
        text: String,
        /// The names there are.
        names: String,
    },
    /// A saved model that cannot be used.
    #[error("saved model: {reason}")]
    Model {
        /// What is wrong with it.
        reason: String,
    },
    /// A saved monitor that cannot be resumed.
    #[error("saved monitor: {reason}")]
    Monitor {
        /// What is wrong with it.
        reason: String,
    },
    /// A recalibrator from outside this crate failed.
    #[error("the recalibrator failed: {reason}")]
    External {
        /// What it said.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("stopped before it was complete")]
    Stopped,
}

impl Error {
    /// The row that is wrong, where it is one row.
    pub fn row(&self) -> Option<usize> {
        match self {
            Error::Probability { row, .. }
            | Error::Logit { row, .. }
            | Error::RowSum { row, .. }
            | Error::Label { row, .. }
            | Error::MissingLabel { row }
            | Error::UnknownLabel { row, .. }
            | Error::OnlyLabel { row, .. }
            | Error::ThirdLabel { row, .. }
            | Error::NoCorrectness { row, .. }
            | Error::Weight { row, .. } => Some(*row),
            _ => None,
        }
    }

    /// The same of rows that are counted from elsewhere: those of a block that begins at this row.
    ///
    /// ```
    /// use calipers::Error;
    ///
    /// assert_eq!(Error::MissingLabel { row: 2 }.counted_from(100).row(), Some(102));
    /// ```
    #[must_use]
    pub fn counted_from(mut self, first: usize) -> Self {
        match &mut self {
            Error::Probability { row, .. }
            | Error::Logit { row, .. }
            | Error::RowSum { row, .. }
            | Error::Label { row, .. }
            | Error::MissingLabel { row }
            | Error::UnknownLabel { row, .. }
            | Error::OnlyLabel { row, .. }
            | Error::ThirdLabel { row, .. }
            | Error::NoCorrectness { row, .. }
            | Error::Weight { row, .. } => *row += first,
            _ => {}
        }
        self
    }

    /// The column that is wrong, where it is one column.
    pub fn column(&self) -> Option<usize> {
        match self {
            Error::Probability { column, .. } | Error::Logit { column, .. } => Some(*column),
            _ => None,
        }
    }
}

/// A result whose error is this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
