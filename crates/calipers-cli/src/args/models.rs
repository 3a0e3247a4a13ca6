//! Several models in one file.

use clap::Args;

use super::COLUMNS;

/// Which rows or columns of a file are of which model.
#[derive(Debug, Default, Args)]
pub struct ModelArgs {
    /// How the columns of several models in one file are named, such as 'p_{model}_{class}', or
    /// 'p_{model}' of columns that hold the probability of class 1, or of --positive-class
    #[arg(
        long,
        value_name = "PATTERN",
        conflicts_with_all = ["probs", "logits", "confidence_column", "model_column"],
        help_heading = COLUMNS
    )]
    pub models: Option<String>,

    /// The columns of --models hold logits instead of probabilities
    #[arg(
        long,
        requires = "models",
        conflicts_with_all = ["renormalise", "correct_column"],
        help_heading = COLUMNS
    )]
    pub models_are_logits: bool,

    /// Column that says which model a row is of, in a file with a row for each model and sample; --key
    /// says which rows are the same sample
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub model_column: Option<String>,
}

impl ModelArgs {
    /// The option by which one file holds several models, if there is one.
    pub fn flag(&self) -> Option<&'static str> {
        let models = self.models.as_ref().map(|_| "--models");
        models.or(self.model_column.as_ref().map(|_| "--model-column"))
    }
}
