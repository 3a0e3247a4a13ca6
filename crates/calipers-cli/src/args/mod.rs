//! Groups of arguments that several commands have; what is a command's own is beside the command.

mod answer;
mod columns;
mod features;
mod files;
mod fitting;
mod lists;
mod many;
mod method;
mod metrics;
mod models;
mod running;

pub use answer::AnswerArgs;
pub use columns::{ColumnArgs, ScoreArgs};
pub use features::FeatureArgs;
pub use files::{many_to_read, to_read, to_write};
pub use fitting::FittingArgs;
pub use lists::{ListArgs, ListFormat, ReportFormat};
pub use many::ManyArgs;
pub use method::{Binary, BoundArgs, MethodArgs};
pub use metrics::MetricArgs;
pub use models::ModelArgs;
pub use running::RunningArgs;

// The headings of the help.
pub const COLUMNS: &str = "Columns";
pub const MEASURE: &str = "What to measure";
pub const FOLDS: &str = "Cross-validation";
pub const OUTPUT: &str = "Running and printing";
