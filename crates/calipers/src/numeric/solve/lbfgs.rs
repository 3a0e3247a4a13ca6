use std::collections::VecDeque;

use super::cholesky::Cholesky;
use super::{Curvature, Large, Solution, along, decreases_enough, dot, infinity_norm};
use crate::run::stop;

const MEMORY: usize = 10;
const SMALLEST_STEP: f64 = 1e-12;

/// Limited-memory BFGS with backtracking, preconditioned by a part of the Hessian at the start.
///
/// Converges to a gradient of at most [`Large::tolerance`] in the infinity norm, or says that it has not
/// after so many steps. Cost of a step: about one gradient, and 40 d operations for the memory.
///
/// ## Reference
/// Nocedal and Wright, *Numerical Optimization*, 2nd edition, algorithm 7.4.
pub(super) fn minimise(objective: &mut impl Large, start: Vec<f64>, most_steps: usize) -> Solution {
    let scaling = Scaling::new(objective.curvature(&start));
    let mut gradient = vec![0.0; start.len()];
    let mut at = start;
    let mut value = objective.evaluate(&at, &mut gradient, None);
    let mut memory: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    for _ in 0..most_steps {
        if infinity_norm(&gradient) <= objective.tolerance() {
            return Solution { at, value, converged: true };
        }
        if stop::requested() {
            break;
        }
        let direction = direction(&gradient, &memory, &scaling);
        let slope = dot(&gradient, &direction);
        // Without a memory the length of the first step is a guess.
        let mut step =
            if memory.is_empty() { 1.0 / infinity_norm(&direction).max(1.0) } else { 1.0 };
        let mut next_gradient = vec![0.0; gradient.len()];
        let (next, next_value) = loop {
            let next = along(&at, step, &direction);
            let next_value = objective.evaluate(&next, &mut next_gradient, None);
            if decreases_enough(value, next_value, step, slope) {
                break (next, next_value);
            }
            step *= interpolated(value, next_value, step, slope);
            if step < SMALLEST_STEP || stop::requested() {
                return Solution { at, value, converged: false };
            }
        };
        let pair = Pair::new(&at, &next, &gradient, &next_gradient);
        if pair.curvature > 0.0 {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(pair);
        }
        (at, value, gradient) = (next, next_value, next_gradient);
    }
    Solution { at, value, converged: infinity_norm(&gradient) <= objective.tolerance() }
}

/// A step taken and the change of the gradient along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

impl Pair {
    fn new(old: &[f64], new: &[f64], old_gradient: &[f64], new_gradient: &[f64]) -> Self {
        let step = along(new, -1.0, old);
        let change = along(new_gradient, -1.0, old_gradient);
        let curvature = dot(&step, &change);
        Self { step, change, curvature }
    }
}

/// The inverse of what is known of the Hessian at the start.
enum Scaling {
    Blocks(Vec<(Vec<usize>, Cholesky)>),
    Diagonal(Vec<f64>),
}

impl Scaling {
    fn new(curvature: Curvature) -> Self {
        match curvature {
            Curvature::Diagonal(diagonal) => Self::Diagonal(diagonal),
            Curvature::Blocks(blocks) => {
                let factors = blocks.into_iter().filter_map(|block| {
                    let factor = Cholesky::with_ridge(&block.hessian, block.parameters.len())?;
                    Some((block.parameters, factor))
                });
                Self::Blocks(factors.collect())
            }
        }
    }

    fn apply(&self, vector: &mut [f64]) {
        match self {
            Self::Diagonal(diagonal) => {
                vector.iter_mut().zip(diagonal).for_each(|(value, curvature)| *value /= curvature);
            }
            Self::Blocks(blocks) => {
                for (parameters, factor) in blocks {
                    let mut part: Vec<f64> = parameters.iter().map(|&i| vector[i]).collect();
                    factor.solve(&mut part);
                    parameters.iter().zip(part).for_each(|(&i, value)| vector[i] = value);
                }
            }
        }
    }
}

/// The two-loop recursion: minus the approximate inverse Hessian times the gradient.
fn direction(gradient: &[f64], memory: &VecDeque<Pair>, scaling: &Scaling) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|component| -component).collect();
    let mut coefficients = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let coefficient = dot(&pair.step, &direction) / pair.curvature;
        add(&mut direction, -coefficient, &pair.change);
        coefficients.push(coefficient);
    }
    scaling.apply(&mut direction);
    if let Some(last) = memory.back() {
        let mut scaled = last.change.clone();
        scaling.apply(&mut scaled);
        let factor = last.curvature / dot(&last.change, &scaled);
        direction.iter_mut().for_each(|component| *component *= factor);
    }
    for (pair, coefficient) in memory.iter().zip(coefficients.into_iter().rev()) {
        let correction = coefficient - dot(&pair.change, &direction) / pair.curvature;
        add(&mut direction, correction, &pair.step);
    }
    direction
}

fn add(vector: &mut [f64], factor: f64, other: &[f64]) {
    vector.iter_mut().zip(other).for_each(|(component, other)| *component += factor * other);
}

/// The factor to shorten a step by: the minimum of the parabola through what is known, kept
/// between a tenth and a half.
fn interpolated(old: f64, new: f64, step: f64, slope: f64) -> f64 {
    let curvature = (new - old - step * slope) / (step * step);
    let factor = -slope / (2.0 * curvature * step);
    if factor.is_finite() { factor.clamp(0.1, 0.5) } else { 0.5 }
}
