//! Boosted trees that predict Y from f(X), small and specialised: a few features with at most
//! [`MOST_BORDERS`] borders each, tens of trees, softmax cross-entropy.
//!
//! In the order in which a row meets them: [`borders`](crate::numeric::borders) are chosen for each feature; [`rows`] holds
//! the rows' places between the borders and their current probabilities; a grower ([`symmetric`],
//! which follows CatBoost, or [`leafwise`], which follows LightGBM) adds rounds of trees to a
//! [`Forest`]; [`ensemble`] trains one forest on each inner fold and stops it early.
//!
//! Scores are kept as probabilities: where boosting adds v to the log-score of a class, the
//! class's probability is multiplied by exp v and the row is normalised. One exponential for each
//! leaf then does the work of one for each row and class.

mod by_bin;
mod chance;
mod ensemble;
mod forest;
mod histogram;
mod leaf;
mod leafwise;
mod levels;
mod line;
mod rows;
mod search;
mod symmetric;

use std::ops::RangeInclusive;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use ensemble::{Boosted, Plan, Start, deal};
pub(crate) use forest::SymmetricForest;
pub(crate) use leafwise::{Leafwise, LeafwiseForest};
pub(crate) use rows::BinnedRows;
pub(crate) use symmetric::Symmetric;

/// A feature has at most this many borders, so that a place between them fits a byte.
pub(crate) const MOST_BORDERS: usize = 254;

/// No leaf moves a log-score by more than this, so that a factor never overflows.
const LARGEST_STEP: f64 = 30.0;

/// What a loaded leaf may multiply a probability by: more than exp(±[`LARGEST_STEP`]), and still so
/// little that eight of them in a row neither overflow nor vanish.
const FACTORS: RangeInclusive<f64> = 1e-30..=1e30;

/// The factors of so many rounds together neither overflow nor vanish.
pub(crate) const TOGETHER: usize = 8;

/// Probabilities of a class are kept above this, so that a factor can always bring it back.
const LEAST_PROBABILITY: f64 = 1e-100;

/// Rounds of trees: what they multiply a row's probabilities by.
pub(crate) trait Forest: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which an ensemble of such forests is saved.
    const NAME: &'static str;

    /// How many rounds there are.
    fn rounds(&self) -> usize;

    /// Drops the rounds after the first so many.
    fn truncate(&mut self, rounds: usize);

    /// Multiplies a row's probabilities by what one round adds to its scores; leaves them
    /// unnormalised.
    fn apply(&self, round: usize, bins: &[u8], probs: &mut [f64]);

    /// Whether loaded parameters fit together, for rows of so many features and classes.
    fn is_sound(&self, features: usize, classes: usize) -> bool;
}

/// A way to grow trees.
pub(crate) trait Growth: Clone + Send + Sync + 'static {
    /// What is grown.
    type Forest: Forest;
    /// The state between rounds: all the memory that growing needs.
    type Grower: Grower<Forest = Self::Forest>;

    /// Prepares to grow up to so many rounds on rows of this shape.
    fn grower(&self, rows: &BinnedRows, rounds: usize, seed: u64) -> (Self::Grower, Self::Forest);
}

/// Grows rounds one by one.
pub(crate) trait Grower {
    /// What is grown.
    type Forest;

    /// Adds a round to the forest, for the rows' probabilities after the rounds before it; the
    /// grower may keep these itself, so the same rows are to be given every time.
    fn grow(&mut self, rows: &mut BinnedRows, forest: &mut Self::Forest);
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
