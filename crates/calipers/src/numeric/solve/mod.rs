//! Minimisers for the smooth convex objectives of the logistic family.

mod bracket;
mod cholesky;
mod lbfgs;
mod newton;
mod nnls;

pub(crate) use bracket::increasing_root;
pub(crate) use cholesky::Cholesky;
pub(crate) use newton::minimise as newton;
pub(crate) use nnls::non_negative;

use super::simd::sum_of;

/// The gradient's largest component at which L-BFGS has converged, unless the objective says another.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// Up to this many parameters Newton's method comes first. Its Hessian costs n·d², and beyond this
/// L-BFGS is faster on objectives with a penalty: with a full matrix of five classes, on 8,000 rows,
/// they are equal, with eight it takes a third of the time.
const NEWTON_FIRST: usize = 30;

/// Up to this many parameters Newton's method finishes what L-BFGS could not: objectives without a
/// penalty to speak of, whose curvature differs by many orders of magnitude between directions.
const NEWTON_LAST: usize = 800;

/// A smooth convex function.
pub(crate) trait Objective {
    /// Its value at a point, with the gradient there, and the Hessian (row-major, both triangles)
    /// if it is asked for.
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64;

    /// The gradient's largest component at which Newton's method has converged.
    fn newton_tolerance(&self) -> f64 {
        newton::TOLERANCE
    }
}

/// An objective that may have many parameters.
pub(crate) trait Large: Objective {
    /// What is cheap to know of the Hessian at a point, from which L-BFGS learns the scale of each
    /// parameter.
    fn curvature(&mut self, at: &[f64]) -> Curvature;

    /// The gradient's largest component at which L-BFGS has converged.
    fn tolerance(&self) -> f64 {
        TOLERANCE
    }
}

/// A part of a Hessian.
pub(crate) enum Curvature {
    /// Blocks on the diagonal that do not overlap; parameters in none are taken as they are.
    Blocks(Vec<Block>),
    /// The diagonal alone.
    Diagonal(Vec<f64>),
}

/// A diagonal block of a Hessian: which parameters, and their second derivatives (row-major).
pub(crate) struct Block {
    pub parameters: Vec<usize>,
    pub hessian: Vec<f64>,
}

/// Where a minimiser stopped.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// The point.
    pub at: Vec<f64>,
    /// The function's value there.
    pub value: f64,
    /// Whether the gradient met its tolerance: [`Objective::newton_tolerance`] or [`Large::tolerance`].
    pub converged: bool,
}

/// Minimises from a start, by Newton's method or, with many parameters, by L-BFGS.
pub(crate) fn minimise(objective: &mut impl Large, start: Vec<f64>) -> Solution {
    if start.len() <= NEWTON_FIRST {
        return newton::minimise(objective, start);
    }
    let newton_can_finish = start.len() <= NEWTON_LAST;
    let solution = lbfgs::minimise(objective, start, if newton_can_finish { 200 } else { 1_000 });
    if newton_can_finish && !solution.converged {
        return newton::minimise(objective, solution.at);
    }
    solution
}

/// The largest component in size.
fn infinity_norm(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |largest, component| component.abs().max(largest))
}

/// Σ aᵢ bᵢ.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a, b, |a, b| a * b)
}

/// point + step · direction
fn along(point: &[f64], step: f64, direction: &[f64]) -> Vec<f64> {
    point.iter().zip(direction).map(|(point, direction)| point + step * direction).collect()
}

/// Whether a step's new value is a sufficient decrease (Armijo). A mean over a million rows is not
/// known better than to 1e-12, so close to the optimum the value can no longer tell, and the step
/// is trusted.
fn decreases_enough(old: f64, new: f64, step: f64, slope: f64) -> bool {
    new <= old + 1e-4 * step * slope + 1e-12 * (1.0 + old.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ aᵢ (xᵢ − i)⁴/4 + (xᵢ − i)²/2: smooth, strictly convex, badly scaled, least at xᵢ = i.
    struct Quartic {
        scales: Vec<f64>,
    }

    impl Objective for Quartic {
        fn evaluate(
            &mut self,
            at: &[f64],
            gradient: &mut [f64],
            mut hessian: Option<&mut [f64]>,
        ) -> f64 {
            let mut value = 0.0;
            if let Some(hessian) = hessian.as_deref_mut() {
                hessian.fill(0.0);
            }
            for (i, scale) in self.scales.iter().enumerate() {
                let x = at[i] - i as f64;
                value += scale * x.powi(4) / 4.0 + x * x / 2.0;
                gradient[i] = scale * x.powi(3) + x;
                if let Some(hessian) = hessian.as_deref_mut() {
                    hessian[i * self.scales.len() + i] = 3.0 * scale * x * x + 1.0;
                }
            }
            value
        }
    }

    impl Large for Quartic {
        /// Deliberately of the wrong scale: it may cost steps, not the solution.
        fn curvature(&mut self, at: &[f64]) -> Curvature {
            Curvature::Diagonal((0..at.len()).map(|i| 1.0 + i as f64).collect())
        }
    }

    #[test]
    fn both_minimisers_find_the_least_point() {
        for size in [1, 7, NEWTON_FIRST + 100] {
            let scales = (0..size).map(|i| 10f64.powi(i as i32 % 5)).collect();
            let solution = minimise(&mut Quartic { scales }, vec![0.0; size]);
            assert!(solution.converged, "{size}");
            for (i, x) in solution.at.iter().enumerate() {
                // L-BFGS stops at a gradient of 1e-9, where the curvature is 1.
                assert!((x - i as f64).abs() < 1e-8, "{size}: {i} {x}");
            }
        }
    }
}
