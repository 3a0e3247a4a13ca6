//! Neighbours: what else is used to measure or test calibration.
//!
//! They are here to stand beside the estimates of this crate on the same rows: each from its paper,
//! each with its own idea of the error. `docs/neighbours.md` shows when which is the right one.

mod bins;
mod corp;
mod cox;
mod cumulative;
mod debiased;
mod ece;
mod hosmer_lemeshow;
mod kernel;
mod line;
mod listed;
mod low_rank;
mod measure;
mod neighbour;
mod pairs;
mod registry;
mod rule;
mod skce;
mod smooth;
mod spiegelhalter;
mod sums;
mod sweep;
mod tail;

pub use listed::{NeighbourInfo, Quadratic};
pub use measure::{Measurement, Measurements, Neighbours};
pub use neighbour::Neighbour;
pub use registry::neighbours;
pub use sums::NeighbourSums;
