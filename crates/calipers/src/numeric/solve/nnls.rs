//! Least squares with weights that must not be negative.

use super::cholesky::Cholesky;

/// Minimises ½ wᵀ A w − bᵀ w over w ≥ 0, for a positive definite A (row-major).
///
/// An active set: weights enter one by one, the one with the steepest descent first; whenever the
/// minimum over those that entered has a negative weight, the step towards it stops where the first
/// weight reaches 0, which leaves. Each set is met at most once, so it ends; a cap on the steps makes
/// that true of rounding as well. Cost: a few Cholesky factors of the size of the set.
///
/// ## Reference
/// Lawson and Hanson, *Solving Least Squares Problems*, 1974, chapter 23.
pub(crate) fn non_negative(a: &[f64], b: &[f64]) -> Vec<f64> {
    let size = b.len();
    let mut weights = vec![0.0; size];
    let mut free: Vec<usize> = Vec::new();
    let tolerance = 1e-12 * b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
    for _ in 0..10 * size {
        let descent =
            |i: usize| b[i] - row(a, size, i).zip(&weights).map(|(a, w)| a * w).sum::<f64>();
        let candidates = (0..size).filter(|i| !free.contains(i)).map(|i| (descent(i), i));
        let Some((steepest, entering)) = candidates.max_by(|x, y| x.0.total_cmp(&y.0)) else {
            break;
        };
        if steepest.is_nan() || steepest <= tolerance {
            break;
        }
        free.push(entering);
        loop {
            let Some(target) = minimum(a, b, &free) else { return weights };
            let blocking = free.iter().zip(&target).filter(|(_, target)| **target <= 0.0);
            let step =
                blocking.map(|(&i, target)| weights[i] / (weights[i] - target)).fold(1.0, f64::min);
            for (&i, target) in free.iter().zip(&target) {
                weights[i] += step * (target - weights[i]);
            }
            if target.iter().all(|target| *target > 0.0) {
                break;
            }
            free.retain(|&i| weights[i] > 1e-15);
            (0..size).filter(|i| !free.contains(i)).for_each(|i| weights[i] = 0.0);
            if free.is_empty() {
                break;
            }
        }
    }
    weights
}

fn row(a: &[f64], size: usize, i: usize) -> impl Iterator<Item = &f64> {
    a[i * size..(i + 1) * size].iter()
}

/// The minimum over the free weights, whatever their signs.
fn minimum(a: &[f64], b: &[f64], free: &[usize]) -> Option<Vec<f64>> {
    let size = b.len();
    let part = free.iter().flat_map(|&i| free.iter().map(move |&j| a[i * size + j])).collect();
    let mut right: Vec<f64> = free.iter().map(|&i| b[i]).collect();
    Cholesky::of(part, free.len())?.solve(&mut right);
    Some(right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The conditions that characterise the minimum: no weight is negative, the slope is 0 where
        /// a weight is positive, and nowhere would a larger weight help.
        #[test]
        fn the_solution_meets_the_conditions_of_a_minimum(
            rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 5), 8..20),
            right in prop::collection::vec(-1.0..1.0f64, 20),
        ) {
            let size = 5;
            let mut a = vec![0.0; size * size];
            let mut b = vec![0.0; size];
            for (row, right) in rows.iter().zip(&right) {
                for i in 0..size {
                    b[i] += row[i] * right;
                    for j in 0..size {
                        a[i * size + j] += row[i] * row[j];
                    }
                }
            }
            // As much as the stack adds, so that the minimum is unique.
            (0..size).for_each(|i| a[i * size + i] += 1e-4);
            let weights = non_negative(&a, &b);
            for i in 0..size {
                let slope = super::row(&a, size, i).zip(&weights).map(|(a, w)| a * w).sum::<f64>() - b[i];
                prop_assert!(weights[i] >= 0.0);
                // Sums of at most 20 products of numbers below 1, solved by Cholesky: with a ridge
                // of 1e-4 the rounding of 1e-16 grows to 1e-11 at most.
                prop_assert!(slope > -1e-9, "{i}: {slope}");
                prop_assert!(weights[i] <= 0.0 || slope.abs() < 1e-9, "{i}: {slope}");
            }
        }
    }
}
