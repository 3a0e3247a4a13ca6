//! What an estimate shows, and what it does not.

use calipers::Estimate;

/// What the data show of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// That it is at least so large: the lower bound is above 0.
    Size,
    /// That there is one, but not how large it is.
    Presence,
    /// Nothing that chance could not explain.
    Nothing,
}

impl Shown {
    /// What the data show with a confidence.
    pub(crate) fn of(estimate: &Estimate, confidence: f64) -> Self {
        if estimate.lower > 0.0 {
            Self::Size
        } else if estimate.p_value.is_some_and(|p| p <= 1.0 - confidence) {
            Self::Presence
        } else {
            Self::Nothing
        }
    }
}
