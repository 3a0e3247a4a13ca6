//! `stack`: several cheap recalibrators, weighted by how well they predict rows they have not seen.
//!
//! A row's way: [`order`] shuffles the rows and [`training`] deals them into bags, as many as [`limits`]
//! allows; [`members`] fits [`structured`] scaling to them and, as what is [`local`], [`trees`] (on [`rows`]
//! of [`bins`], as [`growth`] says, kept as a [`forest`]) and a [`kernel`]; [`weights`] and [`mixture`] say how much each counts,
//! and [`model`] holds it all and predicts.

mod bins;
mod forest;
mod growth;
mod kernel;
mod limits;
mod local;
mod members;
mod mixture;
mod model;
mod order;
mod rows;
mod structured;
#[cfg(test)]
mod tests;
mod training;
mod trees;
mod weights;

pub(crate) use model::Stacked;

use super::Fitted;
use super::builtin::Builtin;
use crate::data::Sample;

/// Temperature, structured scaling, randomised trees and kernels, stacked.
///
/// With T the temperature-scaled f and D = g − f what a member changes, g = f + Σ w D, where the
/// weights w ≥ 0 minimise Σ‖Y − f − Σ w D‖² over rows that the members have not seen: eight bags take
/// turns to be left out. The members are T; `svs`; forests of 28 to 300 trees, and after 0.4 of these,
/// started at T; and the labels of rows nearby by five kernels. Beyond 128 classes, T and `svs` alone. For `log`, g is a mixture of that and of
/// the members.
///
/// It assumes nothing of the truth. Cost: n·k² for the scaling, 224 to 2,400 trees of 2·n·k, and up to
/// 8,192 rows of support for each row to predict; all bounded, beyond which it learns from a part of the
/// rows. docs/choices.md has the figures behind each choice.
///
/// ## Reference
/// Wolpert, *Stacked generalization*, 1992; Breiman, *Stacked regressions*, 1996, for weights that
/// are not negative.
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
