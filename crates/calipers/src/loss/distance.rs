use std::fmt;
use std::sync::Arc;

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
}

/// The proper loss of a [`Distance`]: the score is D_f(g) + ⟨Y − g, ∇D_f(g)⟩, and 0 at g = f.
#[derive(Debug, Clone)]
pub struct DistanceLoss(pub Arc<dyn Distance>);

impl ProperLoss for DistanceLoss {
    #[allow(clippy::float_cmp, reason = "the loss is 0 where g equals f to the last bit")]
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        if f == g {
            return 0.0;
        }
        let mut slopes = vec![0.0; f.len()];
        self.0.subgradient(f, g, &mut slopes);
        let inner: f64 = slopes.iter().zip(g).map(|(slope, g)| slope * g).sum();
        self.0.value(f, g) + slopes[label] - inner
    }

    fn purpose(&self) -> Purpose {
        Purpose::Direction
    }
}
