//! `stack`: several cheap recalibrators, weighted by how well they predict rows they have not seen.

mod bins;
mod forest;
mod kernel;
mod limits;
mod members;
mod mixture;
mod model;
mod order;
mod rows;
mod search;
mod structured;
#[cfg(test)]
mod tests;
mod training;
mod trees;
mod weights;

pub(crate) use model::Stacked;

use super::Fitted;
use super::registry::Builtin;
use crate::sample::Sample;

/// Temperature, structured scaling, randomised trees and kernels, stacked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stack;

impl Builtin for Stack {
    const NAME: &'static str = "stack";
    const ABOUT: &'static str = "scaling, trees and kernels, weighted by what they add";
    type Model = Stacked;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        Box::new(Stacked::fit(sample, seed))
    }
}
