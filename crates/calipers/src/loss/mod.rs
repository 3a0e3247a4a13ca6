//! Losses: proper losses that depend on f, the score each gives a row, and the metrics named after them.
//!
//! A score is ℓ_f(f, Y) − ℓ_f(g, Y): how much the loss of one held-out sample falls when its
//! prediction f is replaced by g(f). Its mean is the estimate. Each loss computes the *difference*
//! directly, in the form that keeps its accuracy as g → f, and gives exactly 0 at g = f.

mod brier;
mod distance;
mod linf;
mod log;
mod lp;
mod metric;
mod named;
mod part;
mod registry;
mod sided;

use ndarray::{ArrayView2, ArrayViewMut2, aview1};

pub use brier::Brier;
pub use distance::{Distance, DistanceLoss};
pub use linf::Linf;
pub use log::Log;
pub use lp::Lp;
pub use metric::{BinaryNorm, Metric};
pub(crate) use named::Plain;
pub use part::{MetricPart, Scope, Side};

use crate::numeric::simd::sum_of;

/// A loss that is proper for every f: E_{Y~q} ℓ_f(g, Y) is least at g = q.
pub trait ProperLoss: Send + Sync {
    /// ℓ_f(f, Y) − ℓ_f(g, Y) for the observed class; exactly 0 where g = f.
    ///
    /// With two classes, [`Lp`], [`Linf`] and [`Brier`] measure the scalar f₁ − g₁.
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64;

    /// What a good g has to get right for this loss.
    fn purpose(&self) -> Purpose;

    /// The score of each class, were it the observed one, as [`score`](Self::score) gives them one
    /// by one. Under calibration a label is a draw from f, so these are all that a score can be.
    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        for (label, score) in scores.iter_mut().enumerate() {
            *score = self.score(f, g, label);
        }
    }

    /// How much of f is mixed into g before a lower confidence bound is taken: 0 for a loss whose
    /// scores are bounded, so that their mean is near to normal.
    fn hedge(&self) -> f64 {
        0.0
    }

    /// How many rows to score in one call; 1 for a loss that gains nothing from seeing many.
    fn block(&self) -> usize {
        1
    }

    /// The [`class_scores`](Self::class_scores) of a block of rows. All arrays have the same shape.
    fn block_scores(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        mut scores: ArrayViewMut2<'_, f64>,
    ) {
        let mut row_scores = vec![0.0; f.ncols()];
        let rows = f.rows().into_iter().zip(g.rows()).zip(scores.rows_mut());
        for ((f, g), mut scores) in rows {
            self.class_scores(&f.to_vec(), &g.to_vec(), &mut row_scores);
            scores.assign(&aview1(&row_scores));
        }
    }
}

/// What a prediction g is for. A recalibrator may give a different g for each: only the direction
/// of g − f matters to a norm, its length too matters to `brier`, and small probabilities matter
/// to `log`. Who uses g in the place of f wants it to be good under all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Purpose {
    /// A norm or another distance: the direction from f to g.
    Direction,
    /// The squared error.
    Squared,
    /// The logarithm.
    Log,
    /// To be used as probabilities, whatever for.
    #[default]
    Use,
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

/// Turns a gradient into ⟨gradient, Y − f⟩ for each one-hot Y, divided by a number.
#[inline(always)]
fn pull_each(gradient: &mut [f64], f: &[f64], divisor: f64) {
    let mean = sum_of(gradient, f, |slope, f| slope * f);
    let share = 1.0 / divisor;
    gradient.iter_mut().for_each(|slope| *slope = (*slope - mean) * share);
}

#[cfg(test)]
mod tests;
