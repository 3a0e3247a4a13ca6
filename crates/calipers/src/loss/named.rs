//! A loss by its name, and how the table of losses holds it.

use std::fmt;
use std::sync::Arc;

use super::ProperLoss;
use super::part::MetricPart;

/// A loss as the name of a metric has it.
pub(crate) trait NamedLoss: fmt::Debug + Send + Sync {
    /// How it is written.
    fn name(&self) -> String;

    /// What scores rows; f and g are floored where a logarithm is taken of them.
    fn scorer(&self, log_floor: f64) -> Box<dyn ProperLoss>;

    /// What multiplies the scalar two-class score when the norm of both columns is asked for.
    fn vector_factor(&self) -> f64 {
        1.0
    }

    /// The loss ℓ(f, Y) of a single prediction, of losses that are the same whatever f is compared
    /// with: their mean can be split into miscalibration, discrimination and uncertainty.
    fn plain(&self, _log_floor: f64) -> Option<Plain> {
        None
    }
}

/// The loss of a prediction when a class was observed.
pub(crate) type Plain = Box<dyn Fn(&[f64], usize) -> f64 + Send + Sync>;

/// What a loss says of itself.
pub(super) struct Entry {
    /// How it is written, and what it measures.
    pub part: MetricPart,
    /// How it is described where a name was expected.
    pub expected: &'static str,
    /// The loss, if this is how it is written.
    pub parse: fn(&str) -> Option<Arc<dyn NamedLoss>>,
}
