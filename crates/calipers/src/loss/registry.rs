//! The table of losses: one line each.

use std::sync::Arc;

use super::brier::Brier;
use super::linf::Linf;
use super::log::Log;
use super::lp::Lp;
use super::named::{Entry, NamedLoss};
use super::part::MetricPart;

/// Every loss, in the order in which they are listed.
pub(super) const TABLE: &[Entry] = &[Lp::ENTRY, Linf::ENTRY, Brier::ENTRY, Log::ENTRY];

/// What is measured of so many classes unless it is said. Of two, every `l<p>` is the same number:
/// one says it.
pub(super) const fn defaults(classes: usize) -> &'static [&'static str] {
    if classes == 2 { &["l1", "brier", "log"] } else { &["l1", "l2", "brier", "log"] }
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
