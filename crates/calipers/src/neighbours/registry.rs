//! The table of neighbours: one line each.

use std::sync::Arc;

use super::Rule;
use super::line::Order;
use crate::error::{Error, Result};
use crate::params::{Parameter, Params};

/// Every neighbour, in the order in which they are listed.
pub(super) const TABLE: &[Entry] = &[
    Entry::of::<super::ece::Ece>(),
    Entry::of::<super::debiased::Debiased>(),
    Entry::of::<super::sweep::Sweep>(),
    Entry::of::<super::smooth::Smooth>(),
    Entry::of::<super::kernel::Kernel>(),
    Entry::of::<super::skce::Skce>(),
    Entry::of::<super::corp::Corp>(),
    Entry::of::<super::cumulative::Kuiper>(),
    Entry::of::<super::cumulative::KolmogorovSmirnov>(),
    Entry::of::<super::hosmer_lemeshow::HosmerLemeshow>(),
    Entry::of::<super::spiegelhalter::Spiegelhalter>(),
    Entry::of::<super::cox::Cox>(),
];

/// What a neighbour says of itself.
pub(super) trait Listed: Rule + Default + 'static {
    /// The name it is asked for by.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// The parameters it takes.
    const PARAMETERS: &'static [Parameter] = &[];
    /// Whether it measures whole vectors of more than two classes.
    const VECTORS: bool = false;
    /// The order in which it wants its rows; sorting is most of the cost of what needs but a pass.
    const ORDER: Order = Order::Ascending;
    /// When its cost grows with the square of the rows.
    const QUADRATIC: Quadratic = Quadratic::Never;

    /// Makes it from its parameters.
    fn from_params(_: &mut Params<'_>) -> Result<Self> {
        Ok(Self::default())
    }

    /// Its parameters, as they would be given.
    fn settings(&self) -> Vec<String> {
        Vec::new()
    }
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
    make: fn(&mut Params<'_>) -> Result<Made>,
}

/// A neighbour without its scope, and its name with its parameters.
type Made = (Arc<dyn Rule>, String);

impl Entry {
    const fn of<L: Listed>() -> Self {
        Self {
            info: NeighbourInfo {
                name: L::NAME,
                about: L::ABOUT,
                parameters: L::PARAMETERS,
                vectors: L::VECTORS,
                quadratic: L::QUADRATIC,
            },
            order: L::ORDER,
            make: |params| {
                let rule = L::from_params(params)?;
                let (given, defaults) = (rule.settings(), L::default().settings());
                let differing: Vec<String> = given
                    .into_iter()
                    .zip(defaults)
                    .filter(|(given, default)| given != default)
                    .map(|(given, _)| given)
                    .collect();
                let name = match differing.is_empty() {
                    true => L::NAME.to_owned(),
                    false => format!("{}:{}", L::NAME, differing.join(",")),
                };
                Ok((Arc::new(rule), name))
            },
        }
    }
}

/// Makes a neighbour without its scope; its entry, itself, and its name with its parameters.
pub(super) fn make(text: &str) -> Result<(&'static Entry, Arc<dyn Rule>, String)> {
    let refuse = |text, reason| Error::Neighbour { text, reason };
    let (name, mut params) = Params::parse(text, refuse)?;
    let entry = TABLE.iter().find(|entry| entry.info.name == name).ok_or_else(|| {
        let names: Vec<&str> = TABLE.iter().map(|entry| entry.info.name).collect();
        let reason = format!(
            "the names are {}, after top-, classwise- or marginal- where wanted",
            names.join(", ")
        );
        refuse(text.to_owned(), reason)
    })?;
    let (rule, name) = (entry.make)(&mut params)?;
    params.finish()?;
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
