//! More than two classes: temperature or vector scaling, learnt row by row.

use serde::{Deserialize, Serialize};

/// The prior precision of each parameter. In the test `errors_are_found`, 10, 30 and 100 have a power
/// of 56, 60 and 58 % with three classes, and of 86, 89 and 91 % with ten.
const PRIOR: f64 = 30.0;

/// g = softmax((1 + a) ln f + b): the slope a, and an intercept b a class or none.
///
/// Each parameter has a precision of its own, the prior's plus the information of the rows so far, and
/// moves by score/precision: Newton's method with the diagonal alone, one step a row, O(k). A row
/// moves a by at most 1/2 and each b by at most 1/30.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scaling {
    slope: Parameter,
    intercepts: Vec<Parameter>,
}

/// A parameter's estimate, and how well it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    value: f64,
    precision: f64,
}

impl Scaling {
    /// One that has no intercepts.
    pub fn temperature() -> Self {
        Self { slope: Parameter::new(), intercepts: Vec::new() }
    }

    /// One with an intercept a class.
    pub fn vector(classes: usize) -> Self {
        Self { slope: Parameter::new(), intercepts: vec![Parameter::new(); classes] }
    }

    /// Any state: the parameters, the slope first, and what has been added to their precisions.
    #[cfg(test)]
    pub fn set(&mut self, value: impl Fn(usize) -> f64, added: impl Fn(usize) -> f64) {
        let parameters = std::iter::once(&mut self.slope).chain(&mut self.intercepts);
        for (place, parameter) in parameters.enumerate() {
            *parameter = Parameter { value: value(place), precision: PRIOR + added(place) };
        }
    }

    /// ln g_Y/f_Y; then learns Y. The logarithms are floored, f is not: a class that f rules out is
    /// ruled out by g. `scores` is room for one number a class.
    pub fn play(&mut self, f: &[f64], logs: &[f64], scores: &mut [f64], label: usize) -> f64 {
        for (score, log) in scores.iter_mut().zip(logs) {
            *score = self.slope.value * log;
        }
        for (score, intercept) in scores.iter_mut().zip(&self.intercepts) {
            *score += intercept.value;
        }
        // g_c/f_c is exp(score_c) / Σ f exp(score), so that Σ f_c (g_c/f_c) = 1: a fair bet.
        let possible = scores.iter().zip(f).filter(|(_, f)| **f > 0.0);
        let largest = possible.map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        let own = scores[label];
        for (score, f) in scores.iter_mut().zip(f) {
            *score = if *f > 0.0 { f * (*score - largest).exp() } else { 0.0 };
            sum += *score;
        }
        scores.iter_mut().for_each(|score| *score /= sum);
        self.learn(scores, logs, label);
        own - largest - f64::ln(sum)
    }

    /// One step of each parameter, given g.
    fn learn(&mut self, g: &[f64], logs: &[f64], label: usize) {
        let mean: f64 = g.iter().zip(logs).map(|(g, log)| g * log).sum();
        let spread: f64 = g.iter().zip(logs).map(|(g, log)| g * (log - mean).powi(2)).sum();
        self.slope.step(logs[label] - mean, spread);
        for (class, (intercept, g)) in self.intercepts.iter_mut().zip(g).enumerate() {
            let observed = if class == label { 1.0 } else { 0.0 };
            intercept.step(observed - g, g * (1.0 - g));
        }
    }

    /// Whether so many rows can have led here, roughly, with so many intercepts: nothing that follows
    /// overflows.
    pub fn is_sound(&self, rows: usize, intercepts: usize) -> bool {
        // Floored logarithms lie between −14 and 0.
        self.intercepts.len() == intercepts
            && self.slope.is_sound(rows, 14.0)
            && self.intercepts.iter().all(|intercept| intercept.is_sound(rows, 1.0))
    }
}

impl Parameter {
    fn new() -> Self {
        Self { value: 0.0, precision: PRIOR }
    }

    fn step(&mut self, score: f64, information: f64) {
        self.precision += information;
        self.value += score / self.precision;
    }

    /// Whether so many rows with features of such a size can have led here.
    fn is_sound(&self, rows: usize, size: f64) -> bool {
        let rows = rows as f64;
        self.value.abs() <= rows * size / PRIOR
            && (PRIOR..=PRIOR + rows * size * size / 4.0 + 1e-9).contains(&self.precision)
    }
}
