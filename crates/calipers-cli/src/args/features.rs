//! What else is known of rows.

use calipers_files::FeatureColumns;
use clap::Args;

use super::COLUMNS;

/// What else is known of rows.
#[derive(Debug, Default, Args)]
pub struct FeatureArgs {
    /// Columns of what else is known of each row, separated by commas, or '*' for every column that is
    /// nothing else: errors that cancel among rows of one prediction are found with them
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = COLUMNS)]
    pub features: Option<Vec<String>>,
}

impl FeatureArgs {
    /// The columns, if any are named.
    pub fn columns(&self) -> Option<FeatureColumns> {
        self.features.clone().map(FeatureColumns::from_iter)
    }
}
