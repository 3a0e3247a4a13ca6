//! Data: where rows come in, are checked once, and are trusted ever after.

mod folds;
pub mod labels;
mod predictions;
mod probs;
mod sample;
mod simulate;

pub use folds::Folds;
pub use predictions::{Groups, Predictions};
pub(crate) use probs::Probs;
pub use probs::{Real, SUM_TOLERANCE};
pub(crate) use sample::Column;
pub use sample::Sample;
pub(crate) use simulate::categorical;
pub use simulate::{Simulation, simulate};
