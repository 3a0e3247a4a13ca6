//! Lists and reports: how to print them.

use clap::{Args, ValueEnum};

/// The settings of the commands that list what there is.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ListFormat,
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// How a report is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    // For people.
    #[default]
    Table,
    // For programs: everything.
    Json,
    // For spreadsheets: one line a metric.
    Csv,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    // For people.
    #[default]
    Table,
    // For programs.
    Json,
}
