//! The table of losses: one line each.

use std::fmt;
use std::sync::Arc;

use super::ProperLoss;
use super::brier::Brier;
use super::linf::Linf;
use super::log::Log;
use super::lp::Lp;
use super::part::MetricPart;

/// Every loss, in the order in which they are listed.
pub(super) const TABLE: &[Entry] = &[Lp::ENTRY, Linf::ENTRY, Brier::ENTRY, Log::ENTRY];

/// What is measured unless it is said.
pub(super) const DEFAULTS: &[&str] = &["l1", "l2", "brier", "log"];

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
pub(crate) type Plain = Box<dyn Fn(&[f64], usize) -> f64>;

/// What a loss says of itself.
pub(super) struct Entry {
    /// How it is written, and what it measures.
    pub part: MetricPart,
    /// How it is described where a name was expected.
    pub expected: &'static str,
    /// The loss, if this is how it is written.
    pub parse: fn(&str) -> Option<Arc<dyn NamedLoss>>,
}

/// The loss of a name.
pub(super) fn parse(text: &str) -> Option<Arc<dyn NamedLoss>> {
    TABLE.iter().find_map(|entry| (entry.parse)(text))
}

/// What was expected where there is no loss of a name: `a, b or c`.
pub(super) fn expected() -> String {
    let all: Vec<&str> = TABLE.iter().map(|entry| entry.expected).collect();
    match all.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => all.concat(),
    }
}

/// The losses as parts of names.
pub(super) const PARTS: [MetricPart; TABLE.len()] = {
    let mut parts = [MetricPart::new("", ""); TABLE.len()];
    let mut place = 0;
    while place < TABLE.len() {
        parts[place] = TABLE[place].part;
        place += 1;
    }
    parts
};
