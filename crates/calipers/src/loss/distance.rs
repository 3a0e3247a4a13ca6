use std::fmt;
use std::sync::Arc;

use ndarray::{ArrayView2, ArrayViewMut2, aview1};

use super::named::NamedLoss;
use super::{ProperLoss, Purpose};

/// A convex distance D_f(z) from a prediction f, 0 and least at z = f (paper, appendix on general
/// distances).
///
/// Any such distance becomes a proper loss; its calibration error is E D_f(C).
///
/// ```
/// use calipers::Distance;
///
/// /// Twice the total variation, with errors on class 0 counted three times.
/// #[derive(Debug)]
/// struct FirstClassMatters;
///
/// impl Distance for FirstClassMatters {
///     fn value(&self, f: &[f64], z: &[f64]) -> f64 {
///         f.iter().zip(z).enumerate().map(|(c, (f, z))| weight(c) * (z - f).abs()).sum()
///     }
///     fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
///         for c in 0..f.len() {
///             out[c] = weight(c) * if z[c] == f[c] { 0.0 } else { (z[c] - f[c]).signum() };
///         }
///     }
/// }
///
/// fn weight(class: usize) -> f64 {
///     if class == 0 { 3.0 } else { 1.0 }
/// }
/// let metric = calipers::Metric::distance("first-class", FirstClassMatters);
/// assert_eq!(metric.to_string(), "first-class");
/// ```
pub trait Distance: fmt::Debug + Send + Sync {
    /// D_f(z).
    fn value(&self, f: &[f64], z: &[f64]) -> f64;

    /// Writes a subgradient of D_f at z.
    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]);

    /// How many rows to evaluate in one call of [`rows`](Self::rows). A distance to which a call
    /// costs more than a row, because it runs elsewhere, asks for many.
    fn block(&self) -> usize {
        1
    }

    /// Writes the distances and their subgradients, for a block of rows. By default row by row.
    fn rows(
        &self,
        f: ArrayView2<'_, f64>,
        z: ArrayView2<'_, f64>,
        values: &mut [f64],
        mut slopes: ArrayViewMut2<'_, f64>,
    ) {
        let rows = f.rows().into_iter().zip(z.rows()).zip(slopes.rows_mut());
        let mut out = vec![0.0; f.ncols()];
        for (((f, z), mut slopes), value) in rows.zip(values) {
            let (f, z) = (f.to_vec(), z.to_vec());
            *value = self.value(&f, &z);
            self.subgradient(&f, &z, &mut out);
            slopes.iter_mut().zip(&out).for_each(|(slope, out)| *slope = *out);
        }
    }
}

/// The proper loss of a [`Distance`]: the score is D_f(g) + ⟨Y − g, ∇D_f(g)⟩, and 0 at g = f.
#[derive(Debug, Clone)]
pub struct DistanceLoss(pub Arc<dyn Distance>);

impl DistanceLoss {
    /// Turns a subgradient into D_f(g) + ⟨Y − g, ∇D_f(g)⟩ for each one-hot Y.
    #[allow(clippy::float_cmp, reason = "the loss is 0 where g equals f to the last bit")]
    fn combine_each(f: &[f64], g: &[f64], value: f64, slopes: &mut [f64]) {
        if f == g {
            return slopes.fill(0.0);
        }
        let inner: f64 = slopes.iter().zip(g).map(|(slope, g)| slope * g).sum();
        slopes.iter_mut().for_each(|slope| *slope += value - inner);
    }
}

impl ProperLoss for DistanceLoss {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        let mut scores = vec![0.0; f.len()];
        self.class_scores(f, g, &mut scores);
        scores[label]
    }

    fn purpose(&self) -> Purpose {
        Purpose::Direction
    }

    fn block(&self) -> usize {
        self.0.block()
    }

    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        self.0.subgradient(f, g, scores);
        Self::combine_each(f, g, self.0.value(f, g), scores);
    }

    fn block_scores(
        &self,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        mut scores: ArrayViewMut2<'_, f64>,
    ) {
        let mut values = vec![0.0; f.nrows()];
        self.0.rows(f, g, &mut values, scores.view_mut());
        for (row, mut slopes) in scores.rows_mut().into_iter().enumerate() {
            let mut each = slopes.to_vec();
            Self::combine_each(&f.row(row).to_vec(), &g.row(row).to_vec(), values[row], &mut each);
            slopes.assign(&aview1(&each));
        }
    }
}

/// A distance by the name that its owner gave it.
#[derive(Debug)]
pub(super) struct NamedDistance {
    pub name: String,
    pub distance: Arc<dyn Distance>,
}

impl NamedLoss for NamedDistance {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn scorer(&self, _: f64) -> Box<dyn ProperLoss> {
        Box::new(DistanceLoss(Arc::clone(&self.distance)))
    }
}
