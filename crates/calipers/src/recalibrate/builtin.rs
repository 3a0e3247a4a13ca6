//! What a recalibrator of this crate says of itself.

use super::{Fitted, Model, Trees};
use crate::data::Sample;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// The most classes of a map with a slope for every two of them: 50,000 rows take minutes. Trees have a
/// histogram for every two, and an ensemble of them a hundred times as many passes.
pub(crate) const MOST_PAIRED: usize = 256;
pub(crate) const MOST_SPLIT: usize = 128;

/// What a recalibrator of this crate says of itself.
pub(crate) trait Builtin: Sized + Send + Sync + 'static {
    /// The name it is asked for by.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// The most classes it is fitted to: of more, the rarest are taken as one.
    const MOST_CLASSES: usize = usize::MAX;
    /// The model it fits; for one that chooses among others, any of them.
    type Model: Model;

    /// How the trees grow that see features beside its g.
    const TREES: Trees = Trees::Symmetric;

    /// Learns g. Total: there is no sample of so few classes that it cannot learn from. What it has
    /// learnt when it is stopped is thrown away.
    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted>;
}

/// What a recalibrator with parameters says of them.
pub(crate) trait Tunable: Builtin {
    /// The parameters it takes.
    const PARAMETERS: &'static [Parameter];

    /// Makes it from its parameters.
    fn from_params(params: &mut Params<'_>) -> Result<Self>;
}
