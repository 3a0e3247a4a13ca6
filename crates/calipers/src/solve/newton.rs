use super::{Objective, Solution, along, decreases_enough, dot, infinity_norm};

/// The gradient's largest component at which a fit has converged.
pub(super) const TOLERANCE: f64 = 1e-10;

const MOST_STEPS: usize = 200;
const SMALLEST_STEP: f64 = 1e-12;

/// Newton's method with halved steps.
///
/// Converges to a gradient of at most [`TOLERANCE`] in the infinity norm, usually in 5 to 15
/// steps. Cost of a step: one Hessian and d³/3 for its Cholesky factor. Affine invariant: badly
/// scaled features, such as the square of a logit, do no harm.
pub(super) fn minimise(objective: &mut impl Objective, start: Vec<f64>) -> Solution {
    let size = start.len();
    let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
    let mut at = start;
    let mut value = objective.evaluate(&at, &mut gradient, Some(&mut hessian));
    for _ in 0..MOST_STEPS {
        if infinity_norm(&gradient) <= TOLERANCE {
            return Solution { at, value, converged: true };
        }
        let direction = descent(&hessian, &gradient);
        let slope = dot(&gradient, &direction);
        let mut step = 1.0;
        loop {
            let next = along(&at, step, &direction);
            let next_value = objective.evaluate(&next, &mut gradient, Some(&mut hessian));
            if decreases_enough(value, next_value, step, slope) {
                (at, value) = (next, next_value);
                break;
            }
            step *= 0.5;
            if step < SMALLEST_STEP {
                return Solution { at, value, converged: false };
            }
        }
    }
    Solution { at, value, converged: infinity_norm(&gradient) <= TOLERANCE }
}

/// −H⁻¹ gradient; where rounding has cost H its positive definiteness, with a growing ridge.
fn descent(hessian: &[f64], gradient: &[f64]) -> Vec<f64> {
    let size = gradient.len();
    let trace: f64 = (0..size).map(|i| hessian[i * size + i]).sum();
    let mut ridge = 0.0;
    for _ in 0..8 {
        let mut factor = hessian.to_vec();
        (0..size).for_each(|i| factor[i * size + i] += ridge);
        if cholesky(&mut factor, size) {
            let mut direction: Vec<f64> = gradient.iter().map(|component| -component).collect();
            substitute(&factor, &mut direction);
            if dot(&direction, gradient) < 0.0 {
                return direction;
            }
        }
        ridge = if ridge > 0.0 { ridge * 100.0 } else { 1e-14 * trace / size as f64 };
    }
    gradient.iter().map(|component| -component).collect()
}

/// Replaces the lower triangle of a matrix by its Cholesky factor; false if it has none.
fn cholesky(matrix: &mut [f64], size: usize) -> bool {
    for row in 0..size {
        let (above, rest) = matrix.split_at_mut(row * size);
        let current = &mut rest[..size];
        for column in 0..row {
            let pivot = &above[column * size..column * size + column + 1];
            let sum = dot(&current[..column], &pivot[..column]);
            current[column] = (current[column] - sum) / pivot[column];
        }
        let left = current[row] - dot(&current[..row], &current[..row]);
        // Written so that a NaN is refused as well.
        if !(left > 0.0 && left.is_finite()) {
            return false;
        }
        current[row] = left.sqrt();
    }
    true
}

/// Solves L Lᵀ x = right, in place.
fn substitute(factor: &[f64], right: &mut [f64]) {
    let size = right.len();
    for row in 0..size {
        let sum = dot(&factor[row * size..row * size + row], &right[..row]);
        right[row] = (right[row] - sum) / factor[row * size + row];
    }
    for row in (0..size).rev() {
        let sum: f64 = (row + 1..size).map(|below| factor[below * size + row] * right[below]).sum();
        right[row] = (right[row] - sum) / factor[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_what_it_factored() {
        // A Hilbert matrix plus the identity: full, positive definite, well conditioned.
        let size = 9;
        let entry = |i: usize, j: usize| 1.0 / (i + j + 1) as f64 + if i == j { 1.0 } else { 0.0 };
        let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        let solution: Vec<f64> = (0..size).map(|i| i as f64 - 3.5).collect();
        let mut right: Vec<f64> =
            (0..size).map(|i| dot(&matrix[i * size..(i + 1) * size], &solution)).collect();
        let mut factor = matrix;
        assert!(cholesky(&mut factor, size));
        substitute(&factor, &mut right);
        for (found, expected) in right.iter().zip(&solution) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2));
        assert!(!cholesky(&mut [f64::NAN], 1));
        // The direction is still one of descent.
        assert!(dot(&descent(&[1.0, 2.0, 2.0, 1.0], &[0.3, -0.4]), &[0.3, -0.4]) < 0.0);
    }
}
