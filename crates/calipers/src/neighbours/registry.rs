//! The table of neighbours: one line each.

use std::sync::Arc;

use super::listed::{Entry, NeighbourInfo};
use super::rule::Rule;
use crate::error::{Error, Result};
use crate::params::Params;

/// Every neighbour, in the order in which they are listed.
pub(super) const TABLE: &[Entry] = &[
    Entry::tunable::<super::ece::Ece>(),
    Entry::tunable::<super::debiased::Debiased>(),
    Entry::tunable::<super::sweep::Sweep>(),
    Entry::tunable::<super::smooth::Smooth>(),
    Entry::tunable::<super::kernel::Kernel>(),
    Entry::tunable::<super::skce::Skce>(),
    Entry::tunable::<super::corp::Corp>(),
    Entry::of::<super::cumulative::Kuiper>(),
    Entry::of::<super::cumulative::KolmogorovSmirnov>(),
    Entry::tunable::<super::hosmer_lemeshow::HosmerLemeshow>(),
    Entry::of::<super::spiegelhalter::Spiegelhalter>(),
    Entry::of::<super::cox::Cox>(),
];

/// Makes a neighbour without its scope; its entry, itself, and its name with its parameters.
pub(super) fn make(text: &str) -> Result<(&'static Entry, Arc<dyn Rule>, String)> {
    let refuse = |text, reason| Error::Neighbour { text, reason };
    let (name, params) = Params::parse(text, refuse)?;
    let entry = TABLE.iter().find(|entry| entry.info.name == name).ok_or_else(|| {
        let names: Vec<&str> = TABLE.iter().map(|entry| entry.info.name).collect();
        let reason = format!(
            "the names are {}, after top-, classwise- or marginal- where wanted",
            names.join(", ")
        );
        refuse(text.to_owned(), reason)
    })?;
    let (rule, name) = (entry.make)(params)?;
    Ok((entry, rule, name))
}

/// Every neighbour there is.
///
/// ```
/// assert!(calipers::neighbours().any(|info| info.name == "skce" && info.vectors));
/// ```
pub fn neighbours() -> impl Iterator<Item = NeighbourInfo> {
    TABLE.iter().map(|entry| entry.info)
}
