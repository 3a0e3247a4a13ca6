//! What is said beyond the estimate and its lower bound.

use calipers::{Assumption, Estimator};
use clap::{Args, ValueEnum};

use super::MEASURE;

/// What is said beyond the estimate and its lower bound.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// Whether to add a best guess of each error, which errs to either side, with an interval; it is
    /// made with the recalibrator auto
    #[arg(long, value_enum, default_value_t, value_name = "GUESS", help_heading = MEASURE)]
    pub best: Best,

    /// Add upper confidence bounds, which hold if the truth never falls as the prediction rises: of two
    /// classes, of the top class, of each class
    #[arg(long, value_enum, value_name = "WHAT", help_heading = MEASURE)]
    pub assume: Option<Assume>,
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// Whether to guess.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Best {
    // A guess with an interval.
    #[default]
    Guess,
    // None.
    None,
}

/// What is taken to be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Assume {
    // The truth rises with the prediction.
    Monotone,
}

impl AnswerArgs {
    /// An estimator that says so much.
    pub fn ask(&self, estimator: Estimator) -> Estimator {
        let estimator = estimator.best(self.best == Best::Guess);
        match self.assume {
            None => estimator,
            Some(Assume::Monotone) => estimator.assume(Assumption::Monotone),
        }
    }
}
