//! Looking on while an estimate is made.

use super::track::Findings;
use crate::loss::{Purpose, Scope};

/// Somebody who is handed what an estimate finds, problem by problem, while it is there.
///
/// The estimate knows nothing of who watches, and watching changes none of its numbers. Whoever does
/// not say otherwise wants nothing and is handed nothing.
pub(crate) trait Observer {
    /// What the g of a scope is for that is to be handed over; none to be handed nothing of it.
    fn wants(&self, _scope: Scope) -> Option<Purpose> {
        None
    }

    /// Takes what all folds of a problem found in one repeat; g is the n-th set of predictions.
    fn observe(&mut self, _found: &Findings<'_, '_>, _number: usize) {}
}

/// Nobody looks on.
pub(crate) struct Nobody;

impl Observer for Nobody {}
