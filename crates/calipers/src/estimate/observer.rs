//! Looking on while an estimate is made.

use super::track::Found;
use crate::loss::{Purpose, Scope};

/// Somebody who is handed what an estimate finds, problem by problem, while it is there.
///
/// The estimate knows nothing of who watches, and watching changes none of its numbers.
pub(crate) trait Observer {
    /// What the g of a scope is for that is to be handed over; none to be handed nothing of it.
    fn wants(&self, scope: Scope) -> Option<Purpose>;

    /// Takes what all folds of a problem found in one repeat; g is the n-th set of predictions.
    fn observe(&mut self, found: &Found<'_, '_>, number: usize);
}

/// Nobody.
pub(crate) struct Nobody;

impl Observer for Nobody {
    fn wants(&self, _: Scope) -> Option<Purpose> {
        None
    }

    fn observe(&mut self, _: &Found<'_, '_>, _: usize) {}
}
