//! Data: where rows come in, are checked once, and are trusted ever after.

mod clusters;
mod feature;
mod features;
mod folds;
mod grid;
pub mod labels;
mod leak;
mod logits;
mod origin;
mod predictions;
mod probabilities;
mod probs;
mod sample;
mod simulate;

pub use clusters::Clusters;
pub(crate) use feature::{Feature, MISSING, Values};
pub use features::{FeatureRows, Features};
pub use folds::Folds;
pub(crate) use grid::{Cells, Kind, number as number_cell};
pub use origin::Origin;
pub use predictions::{Predictions, RowGroups, check_weights};
pub use probabilities::Probabilities;
pub(crate) use probs::Probs;
pub use probs::{Real, SUM_TOLERANCE};
pub(crate) use sample::Column;
pub use sample::Sample;
pub(crate) use simulate::categorical;
pub use simulate::{Simulation, simulate};
