//! Proper losses that depend on f, and the per-sample score each gives.
//!
//! A score is ℓ_f(f, Y) − ℓ_f(g, Y): how much the loss of one held-out sample falls when its
//! prediction f is replaced by g(f). Its mean is the estimate. Each loss computes the *difference*
//! directly, in the form that keeps its accuracy as g → f, and gives exactly 0 at g = f.

mod brier;
mod distance;
mod linf;
mod log;
mod lp;
mod sided;

use ndarray::ArrayView2;

pub use brier::Brier;
pub use distance::{Distance, DistanceLoss};
pub use linf::Linf;
pub use log::Log;
pub use lp::Lp;
pub(crate) use sided::{Pivot, Sided};

/// A loss that is proper for every f: E_{Y~q} ℓ_f(g, Y) is least at g = q.
pub trait ProperLoss: Send + Sync {
    /// ℓ_f(f, Y) − ℓ_f(g, Y) for the observed class; exactly 0 where g = f.
    ///
    /// With two classes, [`Lp`], [`Linf`] and [`Brier`] measure the scalar f₁ − g₁.
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64;

    /// What a good g has to get right for this loss.
    fn purpose(&self) -> Purpose;

    /// How many rows to score in one call; 1 for a loss that gains nothing from seeing many.
    fn block(&self) -> usize {
        1
    }

    /// The scores of a block of rows, as [`score`](Self::score) gives them one by one. All arrays
    /// have the same number of rows.
    fn scores(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        labels: &[u32],
        scores: &mut [f64],
    ) {
        let rows = f.rows().into_iter().zip(g.rows()).zip(labels);
        for (((f, g), &label), score) in rows.zip(scores) {
            *score = self.score(&f.to_vec(), &g.to_vec(), label as usize);
        }
    }
}

/// What a prediction g is for. A recalibrator may give a different g for each: only the direction
/// of g − f matters to a norm, its length too matters to `brier`, and small probabilities matter
/// to `log`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Purpose {
    /// A norm or another distance: the direction from f to g.
    Direction,
    /// The squared error.
    #[default]
    Squared,
    /// The logarithm.
    Log,
}

/// The two-class Lp score, the same for every p: sign(g₁ − f₁)(Y₁ − f₁).
fn scalar_score(f: &[f64], g: &[f64], label: usize) -> f64 {
    let observed = if label == 1 { 1.0 } else { 0.0 };
    if g[1] > f[1] {
        observed - f[1]
    } else if g[1] < f[1] {
        f[1] - observed
    } else {
        0.0
    }
}

/// ⟨gradient, Y − f⟩ for a one-hot Y.
fn pull(gradient: impl Iterator<Item = f64>, f: &[f64], label: usize) -> f64 {
    gradient
        .zip(f)
        .enumerate()
        .map(|(class, (slope, f))| slope * (if class == label { 1.0 } else { 0.0 } - f))
        .sum()
}

#[cfg(test)]
mod tests;
