//! What a neighbour says of itself, and how the table of them holds it.

use std::sync::Arc;

use super::line::Order;
use super::rule::Rule;
use crate::error::Result;
use crate::params::{Parameter, Params};

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

    /// What is asked of two classes, or of more, unless it is said: it itself, of the top class where it
    /// does not measure vectors.
    fn usual(many: bool) -> Vec<String> {
        let scope = if many && !Self::VECTORS { "top-" } else { "" };
        vec![format!("{scope}{}", Self::NAME)]
    }
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
    /// What is asked of two classes, or of more, unless it is said.
    pub usual: fn(bool) -> Vec<String>,
    pub make: Make,
}

/// A neighbour without its scope, and its name with its parameters.
pub(super) type Made = (Arc<dyn Rule>, String);

pub(super) type Make = fn(Params<'_>) -> Result<Made>;

impl Entry {
    /// One without parameters.
    pub const fn of<L: Listed + Default>() -> Self {
        Self::listed::<L>(&[], |params| made(params.make(L::NAME, &[], |_| Ok(L::default()))?))
    }

    /// One with parameters.
    pub const fn tunable<L: Tunable>() -> Self {
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
        Self { info, order: L::ORDER, usual: L::usual, make }
    }
}

fn made<L: Listed>((rule, name): (L, String)) -> Result<Made> {
    Ok((Arc::new(rule), name))
}
