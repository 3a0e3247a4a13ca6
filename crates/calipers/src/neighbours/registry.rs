//! The table of neighbours: one line each.

use std::sync::Arc;

use super::Rule;
use super::line::Order;
use crate::error::{Error, Result};
use crate::params::{Parameter, Params};

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

/// What a neighbour says of itself.
pub(super) trait Listed: Rule + Sized + 'static {
    /// The name it is asked for by.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// Whether it measures whole vectors of more than two classes.
    const VECTORS: bool = false;
    /// The order in which it wants its rows; sorting is most of the cost of what needs but a pass.
    const ORDER: Order = Order::Ascending;
    /// When its cost grows with the square of the rows.
    const QUADRATIC: Quadratic = Quadratic::Never;
}

/// What a neighbour with parameters says of them.
pub(super) trait Tunable: Listed {
    /// The parameters it takes.
    const PARAMETERS: &'static [Parameter];

    /// Makes it from its parameters.
    fn from_params(params: &mut Params<'_>) -> Result<Self>;
}

/// A neighbour's name and description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeighbourInfo {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The parameters it takes.
    pub parameters: &'static [Parameter],
    /// Whether it measures whole vectors of more than two classes; the others measure two classes,
    /// the top class, or classes one by one.
    pub vectors: bool,
    /// When its cost grows with the square of the rows.
    pub quadratic: Quadratic,
}

/// When the cost of a neighbour grows with the square of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quadratic {
    /// It grows with the rows, or with sorting them.
    Never,
    /// For whole vectors of more than two classes.
    Vectors,
    /// Whatever is measured.
    Always,
}

pub(super) struct Entry {
    pub info: NeighbourInfo,
    pub order: Order,
    make: Make,
}

/// A neighbour without its scope, and its name with its parameters.
type Made = (Arc<dyn Rule>, String);

type Make = fn(Params<'_>) -> Result<Made>;

impl Entry {
    /// One without parameters.
    const fn of<L: Listed + Default>() -> Self {
        Self::listed::<L>(&[], |params| made(params.make(L::NAME, &[], |_| Ok(L::default()))?))
    }

    /// One with parameters.
    const fn tunable<L: Tunable>() -> Self {
        Self::listed::<L>(L::PARAMETERS, |params| {
            made(params.make(L::NAME, L::PARAMETERS, L::from_params)?)
        })
    }

    const fn listed<L: Listed>(parameters: &'static [Parameter], make: Make) -> Self {
        let info = NeighbourInfo {
            name: L::NAME,
            about: L::ABOUT,
            parameters,
            vectors: L::VECTORS,
            quadratic: L::QUADRATIC,
        };
        Self { info, order: L::ORDER, make }
    }
}

fn made<L: Listed>((rule, name): (L, String)) -> Result<Made> {
    Ok((Arc::new(rule), name))
}

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
