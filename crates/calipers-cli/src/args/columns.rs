//! Which columns hold what.

use calipers_files::{Columns, FoldColumn, ScoreColumns};
use clap::Args;

use super::COLUMNS;

/// What says the same as a confidence and whether it was right.
const CLASSES: [&str; 6] = ["label", "probs", "logits", "renormalise", "classes", "positive_class"];

/// Which columns hold what.
#[derive(Debug, Clone, Default, Args)]
pub struct ColumnArgs {
    /// Column of the observed classes [default: label, y, y_true or target]
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub label: Option<String>,

    #[command(flatten)]
    pub scores: ScoreArgs,

    /// Classes' names, separated by commas, in the order of the columns [default: those of the
    /// columns]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = COLUMNS)]
    pub classes: Option<Vec<String>>,

    /// Class that a single column holds the probability of [default: the one it is named after, or 1]
    #[arg(long, value_name = "NAME", conflicts_with = "classes", help_heading = COLUMNS)]
    pub positive_class: Option<String>,

    /// Column of how sure something was of an answer, from 0 to 1, instead of probabilities of classes
    #[arg(
        long,
        value_name = "COL",
        requires = "correct_column",
        conflicts_with_all = CLASSES,
        help_heading = COLUMNS
    )]
    pub confidence_column: Option<String>,

    /// Column of whether the answer was right, 0 or 1, instead of a label
    #[arg(
        long,
        value_name = "COL",
        requires = "confidence_column",
        conflicts_with_all = CLASSES,
        help_heading = COLUMNS
    )]
    pub correct_column: Option<String>,

    /// Column of the rows' weights; only their ratios matter
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub weight: Option<String>,

    /// Column that says which group a row belongs to: errors within groups are added
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub group: Option<String>,
}

/// Which columns hold the predictions.
#[derive(Debug, Clone, Default, Args)]
pub struct ScoreArgs {
    /// Columns of the probabilities, separated by commas, one a class; a single one is the
    /// probability of class 1 [default: every other column of numbers from 0 to 1]
    #[arg(
        long,
        value_name = "COLS",
        value_delimiter = ',',
        conflicts_with = "logits",
        help_heading = COLUMNS
    )]
    pub probs: Option<Vec<String>>,

    /// Columns of logits instead of probabilities; a single one is the logit of class 1
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = COLUMNS)]
    pub logits: Option<Vec<String>>,

    /// Divide each row of probabilities by its sum, however far that is from 1: for probabilities that
    /// were rounded
    #[arg(long, conflicts_with = "logits", help_heading = COLUMNS)]
    pub renormalise: bool,
}

impl From<&ColumnArgs> for Columns {
    fn from(args: &ColumnArgs) -> Self {
        let confidence = args.confidence_column.clone().map(|one| ScoreColumns::Probs(vec![one]));
        Self {
            label: args.label.clone().or_else(|| args.correct_column.clone()),
            scores: args.scores.columns().or(confidence),
            weight: args.weight.clone(),
            group: args.group.clone(),
            cluster: None,
            time: None,
            folds: FoldColumn::Unsaid,
            key: None,
            features: None,
            renormalise: args.scores.renormalise,
            classes: args.classes.clone(),
            positive: args.positive_class.clone(),
            confidence: args.correct_column.is_some(),
        }
    }
}

impl ScoreArgs {
    /// The columns, if any are named.
    pub fn columns(&self) -> Option<ScoreColumns> {
        let logits = || self.logits.clone().map(ScoreColumns::Logits);
        self.probs.clone().map(ScoreColumns::Probs).or_else(logits)
    }
}
