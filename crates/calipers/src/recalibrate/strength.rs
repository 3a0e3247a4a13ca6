//! How strongly structured scaling holds its coefficients to 0: as strongly as the data say.

use fearless_simd::{Level, dispatch};

use super::features::Features;
use super::linear::Penalty;
use super::shape::Shape;
use crate::data::Sample;
use crate::numeric::simd::exp_in_place;
use crate::run::stop;

/// No penalty is weakened to less than this share of its default: with a thousand classes the fit would
/// take minutes.
const LEAST: f64 = 0.05;

/// A centred curvature of less than this share of what it was before is rounding.
const ROUNDING: f64 = 1e-9;

/// The penalties of the map softmax((I + W) x + b), where softmax x is T: weaker than their defaults, k
/// on the diagonal of W and on b, k(k − 1) on the rest of W, where the coefficients are shown to be
/// larger than these expect.
///
/// A penalty of λ, where the losses add up to n, expects a coefficient of variance τ² = 1/(2λ). Let s be
/// the derivative of the log-likelihood by a coefficient where all are 0: of mean 0 and of variance v
/// if T is right, and of variance v + τ²h² if the coefficient has variance τ² and the curvature is h.
/// So τ² = Σ(s² − v)/Σh², over the coefficients that share a penalty. What slopes are multiplied by is
/// centred first, or intercepts would pass for slopes. Cost: n·k, for a full W n·k².
///
/// ## Reference
/// Searle, Casella and McCulloch, *Variance components*, 1992, for estimates by the method of moments.
pub(super) fn penalty(sample: &Sample, features: &Features, shape: Shape) -> Penalty {
    let classes = sample.classes() as f64;
    let mut components = Components::new(sample.classes(), shape);
    for (row, logs) in features.each_row().take(sample.rows()).enumerate() {
        if stop::requested_at(row) {
            break;
        }
        components.add(logs, sample.labels()[row] as usize, sample.weight(row));
    }
    let [intercept, diagonal, off_diagonal] = components.variances();
    let penalty = |default: f64, variance: f64| {
        let strength = 0.5 / variance.max(f64::MIN_POSITIVE);
        strength.clamp(LEAST * default, default) / sample.effective_rows()
    };
    Penalty {
        intercept: penalty(classes, intercept),
        diagonal: penalty(classes, diagonal),
        off_diagonal: penalty(classes * (classes - 1.0), off_diagonal),
    }
}

/// Sums over rows, for each class: of r = w(y − p), of m = w p(1 − p) and of w m.
#[derive(Default, Clone, Copy)]
struct Plain {
    residual: f64,
    curvature: f64,
    variance: f64,
}

/// Sums over rows, for a class and what its slope is multiplied by: r x; m x and m x²; w m x and w m x².
#[derive(Default, Clone, Copy)]
struct WithSlope {
    residual: f64,
    curvature: [f64; 2],
    variance: [f64; 2],
}

struct Components {
    shape: Shape,
    plain: Vec<Plain>,
    /// For each class its own slope, or with a full matrix those of all.
    slopes: Vec<WithSlope>,
    probs: Vec<f64>,
}

impl Components {
    fn new(classes: usize, shape: Shape) -> Self {
        Self {
            shape,
            plain: vec![Plain::default(); classes],
            slopes: vec![WithSlope::default(); shape.slopes(classes)],
            probs: vec![0.0; classes],
        }
    }

    fn add(&mut self, logs: &[f64], label: usize, weight: f64) {
        self.probs.copy_from_slice(logs);
        dispatch!(Level::new(), simd => exp_in_place(simd, &mut self.probs));
        let each = self.slopes.len() / logs.len();
        let classes = self.plain.iter_mut().zip(self.slopes.chunks_exact_mut(each));
        for (class, ((plain, slopes), &p)) in classes.zip(&self.probs).enumerate() {
            let observed = if class == label { 1.0 } else { 0.0 };
            let (residual, curvature) = (weight * (observed - p), weight * p * (1.0 - p));
            let variance = weight * curvature;
            plain.residual += residual;
            plain.curvature += curvature;
            plain.variance += variance;
            let multiplied = if each == 1 { &logs[class..=class] } else { logs };
            for (slope, x) in slopes.iter_mut().zip(multiplied) {
                slope.residual += residual * x;
                slope.curvature[0] += curvature * x;
                slope.curvature[1] += curvature * x * x;
                slope.variance[0] += variance * x;
                slope.variance[1] += variance * x * x;
            }
        }
    }

    /// The variances of the intercepts, of the diagonal slopes and of the others; none below 0.
    fn variances(&self) -> [f64; 3] {
        let classes = self.plain.len();
        let each = self.slopes.len() / classes;
        // For each kind Σ(s² − v) and Σh².
        let mut sums = [(0.0, 0.0); 3];
        let mut add = |kind: usize, score: f64, variance: f64, curvature: f64| {
            sums[kind].0 += score * score - variance;
            sums[kind].1 += curvature * curvature;
        };
        for (class, plain) in self.plain.iter().enumerate() {
            add(0, plain.residual, plain.variance, plain.curvature);
            for number in class * each..(class + 1) * each {
                let slope = &self.slopes[number];
                let kind = if self.shape.is_diagonal(number, classes) { 1 } else { 2 };
                let centre = slope.curvature[0] / plain.curvature.max(f64::MIN_POSITIVE);
                let variance = slope.variance[1] - 2.0 * centre * slope.variance[0]
                    + centre * centre * plain.variance;
                let curvature = slope.curvature[1] - centre * slope.curvature[0];
                // Of what is all but constant nothing is left but rounding.
                if curvature > ROUNDING * slope.curvature[1] {
                    add(kind, slope.residual - centre * plain.residual, variance, curvature);
                }
            }
        }
        sums.map(|(above, squares)| if squares > 0.0 { (above / squares).max(0.0) } else { 0.0 })
    }
}
