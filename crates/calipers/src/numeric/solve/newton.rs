use super::cholesky::Cholesky;
use super::{Objective, Solution, along, decreases_enough, dot, infinity_norm};
use crate::run::stop;

/// The gradient's largest component at which a fit has converged, unless the objective says another.
pub(super) const TOLERANCE: f64 = 1e-10;

const MOST_STEPS: usize = 200;
const SMALLEST_STEP: f64 = 1e-12;

/// Newton's method with halved steps.
///
/// Converges to a gradient of at most [`Objective::newton_tolerance`] in the infinity norm, usually in 5 to 15
/// steps. Cost of a step: one Hessian and d³/3 for its Cholesky factor. Affine invariant: badly
/// scaled features, such as the square of a logit, do no harm.
pub(crate) fn minimise(objective: &mut impl Objective, start: Vec<f64>) -> Solution {
    let size = start.len();
    let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
    let mut at = start;
    let mut value = objective.evaluate(&at, &mut gradient, Some(&mut hessian));
    for _ in 0..MOST_STEPS {
        if infinity_norm(&gradient) <= objective.newton_tolerance() {
            return Solution { at, value, converged: true };
        }
        if stop::requested() {
            break;
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
            if step < SMALLEST_STEP || stop::requested() {
                return Solution { at, value, converged: false };
            }
        }
    }
    Solution { at, value, converged: infinity_norm(&gradient) <= objective.newton_tolerance() }
}

/// −H⁻¹ gradient; minus the gradient where H is of no use.
fn descent(hessian: &[f64], gradient: &[f64]) -> Vec<f64> {
    let steepest: Vec<f64> = gradient.iter().map(|component| -component).collect();
    let Some(factor) = Cholesky::with_ridge(hessian, gradient.len()) else { return steepest };
    let mut direction = steepest.clone();
    factor.solve(&mut direction);
    if dot(&direction, gradient) < 0.0 { direction } else { steepest }
}
