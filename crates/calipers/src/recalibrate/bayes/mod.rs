//! `bayes`: the average of many smooth corrections of f, each weighted by how well it explains the
//! labels.
//!
//! A row's way: [`cells`] puts rows of like predictions together, [`design`] describes a cell by
//! smooth functions of f, [`models`] lists the corrections and what is thought of them beforehand,
//! [`posterior`] fits one of them, [`correction`] averages them and keeps the average as a table, and
//! [`tree`] adds steps where the smooth ones miss something, by sums over [`spans`] of cells.

mod cells;
mod correction;
mod design;
mod models;
mod posterior;
mod spans;
mod tree;

use super::Fitted;
use super::builtin::Builtin;
use super::one_vs_rest::OneVsRest;
use crate::data::Sample;
pub(super) use correction::Correction;

/// Bayesian model averaging of logistic maps with the offset logit f; more than two classes:
/// one-versus-rest.
///
/// With z = logit f₁, every model is sigmoid(z + b₀ + b₁u + b₂(u² − 1)/2 + s(f)), where u is z in
/// standard units and s a penalised spline, in the rank of f or in asinh(z/2). The coefficients are
/// normal with mean 0 beforehand: every model is centred at the identity, g = f. The 22 models (24
/// from 10,000 rows on) differ in how far they expect to stray from it, and one of them is the identity
/// itself. Each is fitted to about 200 cells of rows by Newton's method; its weight is its prior mass
/// times the square root of its evidence (Laplace's approximation); g is the weighted mean of the
/// posterior mean probabilities, mixed with 1/(n + 1) of the uniform.
///
/// On top of that comes a mixture over the prunings of a tree of shifts, so that any truth is approached
/// as rows come in: see docs/method.md.
///
/// Cost: one pass over sorted rows, and a few milliseconds whatever the number of rows, k times.
/// docs/choices.md has the figures behind each choice.
///
/// ## Reference
/// MacKay, *Bayesian interpolation*, 1992, for the evidence; MacKay, *The evidence framework applied
/// to classification networks*, 1992, for averaging the sigmoid; Eilers and Marx, *Flexible smoothing
/// with B-splines and penalties*, 1996, for the penalty; Willems, Shtarkov and Tjalkens, *The
/// context-tree weighting method*, 1995, for the mixture over prunings.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bayes;

impl Builtin for Bayes {
    const NAME: &'static str = "bayes";
    const ABOUT: &'static str =
        "average of smooth maps of logit f by their evidence; one-versus-rest";
    type Model = OneVsRest<Correction>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(fit(sample))
    }
}

/// Fits the averages.
pub(super) fn fit(sample: &Sample) -> OneVsRest<Correction> {
    let rows = sample.effective_rows();
    OneVsRest::fit(sample, |column| Correction::fit(column, rows)).mixed(sample)
}

#[cfg(test)]
mod tests;
