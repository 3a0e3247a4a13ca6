//! Reports, comparisons and lists as text: tables, sentences and notes, and how numbers are written.
//!
//! What is to be said stands here once, for the command line and for Python alike: both print it to
//! the letter. What only they know, they pass in as a [`Look`]: nothing here asks the environment.
//!
//! ```
//! use calipers::{Estimator, simulate};
//! use calipers_draw::text::{Face, Look, notes, report};
//!
//! let predictions = simulate("binary-overconfident", 500, 0)?;
//! let found = Estimator::new().metric("l1".parse()?).estimate(&predictions)?;
//! let text = report(&found, None, false, &notes(&found, Face::Python), Look::PYTHON);
//! assert!(text.starts_with("500 rows, 2 classes, recalibrator auto, 5 folds\n\nmetric  estimate"));
//! # Ok::<(), calipers::Error>(())
//! ```

pub(crate) mod board;
mod certify;
mod check;
mod comparison;
pub mod csv;
mod given;
mod junit;
pub mod lists;
mod monitor;
mod neighbours;
mod notes;
mod numbers;
mod report;
mod section;
mod shown;
mod table;
mod tested;
mod worse;

pub use board::{leaderboard, leaderboard_csv, leaderboard_json, leaderboard_remarks};
pub use certify::{Certified, certify, certify_json};
pub use check::{Outcome, Verdict, check, check_json};
pub use comparison::comparison;
pub use given::GIVEN_FEATURES;
pub use junit::junit;
pub use monitor::{monitor, monitor_json};
pub use neighbours::measurements;
pub use notes::{approximations, fit_notes, note, notes};
pub use numbers::{count, decimal, percent};
pub(crate) use numbers::{lower_name, upper_name};
pub(crate) use report::{interval, interval_name, too_small};
pub use report::{report, report_html};
pub(crate) use shown::Shown;
pub use table::Table;
pub(crate) use tested::Tested;
pub use worse::{Worse, comparison_json, worse};

/// Wide enough for any table here, and what a terminal has at least.
pub const WIDTH: usize = 80;

/// Who speaks: options are spelled in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// `--log-floor 1e-12`
    CommandLine,
    /// `log_floor=1e-12`
    Python,
}

impl Face {
    /// The same in the words of one or the other.
    pub(crate) fn pick<'a>(self, command_line: &'a str, python: &'a str) -> &'a str {
        match self {
            Self::CommandLine => command_line,
            Self::Python => python,
        }
    }
}

/// Where a text will be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Who speaks.
    pub face: Face,
    /// Whether it is a person's terminal, where bold letters and lines help.
    pub fancy: bool,
}

impl Look {
    /// Letters alone, in Python's words.
    pub const PYTHON: Self = Self { face: Face::Python, fancy: false };

    /// The command line's words, in a terminal or not.
    pub const fn command_line(fancy: bool) -> Self {
        Self { face: Face::CommandLine, fancy }
    }
}
