//! One model fitted: where its coefficients are most probable, and how well it explains the labels.

use std::f64::consts::PI;

use fearless_simd::{Level, Select, Simd, dispatch, f64x8, prelude::*};

use super::cells::Cell;
use super::design::{Design, logit, trusted};
use super::models::Model;
use crate::numeric::simd::{WIDE, add_symmetric_product, exp, ln};
use crate::numeric::simplex::sigmoid;
use crate::numeric::solve::{Cholesky, Objective, newton};

/// Newton's method ends where the gradient is this share of what chance makes of it.
const OF_CHANCE: f64 = 1e-5;

/// What is to be explained, filled up with cells of mass 0 to whole vectors.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    /// logit f, as far as it is trusted.
    pub offsets: Vec<f64>,
    masses: Vec<f64>,
    observed: Vec<f64>,
    total: f64,
}

impl Labels {
    pub fn new(cells: &[Cell]) -> Self {
        let fill = cells.len().next_multiple_of(WIDE);
        let filled = |value: fn(&Cell) -> f64| {
            let mut values: Vec<f64> = cells.iter().map(value).collect();
            values.resize(fill, 0.0);
            values
        };
        Self {
            offsets: filled(|cell| trusted(logit(cell.prediction))),
            masses: filled(|cell| cell.mass),
            observed: filled(|cell| cell.observed),
            total: cells.iter().map(|cell| cell.mass).sum(),
        }
    }

    /// The log-likelihood of the identity, which has nothing to fit.
    pub fn log_likelihood(&self) -> f64 {
        let (mut residuals, mut curvatures) = (self.offsets.clone(), self.offsets.clone());
        -dispatch!(Level::new(), simd => {
            self.pass(simd, &self.offsets, &mut residuals, &mut curvatures)
        })
    }

    /// Minus the log-likelihood of scores, with its first and second derivative by each.
    #[inline(always)]
    fn pass<S: Simd>(
        &self,
        simd: S,
        scores: &[f64],
        residuals: &mut [f64],
        curvatures: &mut [f64],
    ) -> f64 {
        let zero = f64x8::splat(simd, 0.0);
        let mut value = zero;
        let given = scores.as_chunks().0.iter().zip(self.masses.as_chunks().0);
        let given = given.zip(self.observed.as_chunks().0);
        let found = residuals.as_chunks_mut().0.iter_mut().zip(curvatures.as_chunks_mut().0);
        for (((score, mass), observed), (residual, curvature)) in given.zip(found) {
            let score = f64x8::load_array_ref(simd, score);
            let mass = f64x8::load_array_ref(simd, mass);
            let observed = f64x8::load_array_ref(simd, observed);
            // One exponential gives the probability, its complement and the loss.
            let tail = exp(simd, -score.abs());
            let high = f64x8::splat(simd, 1.0) / (tail + 1.0);
            let low = tail * high;
            let probability = score.simd_ge(zero).select(high, low);
            value += mass * (score.max(zero) + ln(tail + 1.0)) - observed * score;
            (mass * probability - observed).store_array(residual);
            (mass * (high * low)).store_array(curvature);
        }
        value.reduce_sum()
    }
}

/// Minus the logarithm of a posterior density, up to a constant, divided by the number of rows: what
/// the models of one design minimise.
pub(super) struct Density<'a> {
    labels: &'a Labels,
    design: &'a Design,
    precisions: Vec<f64>,
    level: Level,
    /// Where it was evaluated last, with the value and the gradient of the log-likelihood there; `second`
    /// has the Hessian. The next model starts there, with another prior but the same likelihood.
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    // What one evaluation leaves to be overwritten by the next.
    scores: Vec<f64>,
    residuals: Vec<f64>,
    curvatures: Vec<f64>,
    weighted: Vec<f64>,
    second: Vec<f64>,
}

impl<'a> Density<'a> {
    /// To be fitted from the coefficients of some of the first features on; all others start at 0.
    pub fn new(labels: &'a Labels, design: &'a Design, start: &[f64]) -> Self {
        let (cells, stride) = (design.cells, design.stride());
        let mut at = start.to_vec();
        at.resize(design.features, 0.0);
        let mut this = Self {
            labels,
            design,
            precisions: vec![1.0; design.features],
            level: Level::new(),
            at,
            value: 0.0,
            gradient: vec![0.0; design.features],
            scores: vec![0.0; cells],
            residuals: vec![0.0; cells],
            curvatures: vec![0.0; cells],
            weighted: vec![0.0; cells * stride],
            second: vec![0.0; stride * stride],
        };
        this.look();
        this
    }

    /// Fits a model from where the one before it ended; `None` if the numbers are beyond what can be
    /// computed with.
    pub fn fit(&mut self, model: &Model) -> Option<Posterior> {
        self.precisions.clone_from(&model.precisions);
        let solution = newton(self, self.at.clone());
        let (size, total) = (solution.at.len(), self.labels.total);
        let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
        let value = self.evaluate(&solution.at, &mut gradient, Some(&mut hessian));
        hessian.iter_mut().for_each(|entry| *entry *= total);
        let factor = Cholesky::of(hessian, size)?;
        // The factor is there: one more of Newton's steps costs nothing, and leaves the square of what the
        // tolerance has left.
        let mut step: Vec<f64> = gradient.iter().map(|component| total * component).collect();
        factor.solve(&mut step);
        let gained: f64 = gradient.iter().zip(&step).map(|(slope, step)| 0.5 * slope * step).sum();
        let mode = solution.at.iter().zip(&step).map(|(at, step)| at - step).collect();
        let prior: f64 = model.precisions.iter().map(|precision| precision.ln()).sum();
        let log_evidence = 0.5 * (prior - factor.log_determinant()) - total * (value - gained);
        let converged = solution.converged;
        log_evidence.is_finite().then_some(Posterior { mode, log_evidence, converged, factor })
    }

    /// Where the last model ended.
    pub fn end(&self) -> &[f64] {
        &self.at
    }

    /// Takes the value, the gradient and the Hessian of the log-likelihood alone, each with the opposite
    /// sign, at the place that it is at.
    fn look(&mut self) {
        let level = self.level;
        self.value = dispatch!(level, simd => self.sums(simd));
    }

    #[inline(always)]
    fn sums<S: Simd>(&mut self, simd: S) -> f64 {
        let (labels, design, stride) = (self.labels, self.design, self.design.stride());
        add_up(&mut self.scores, labels, design, &self.at);
        let value = labels.pass(simd, &self.scores, &mut self.residuals, &mut self.curvatures);
        let gradient = &mut self.gradient;
        gradient.fill(0.0);
        for (row, residual) in design.rows.chunks_exact(stride).zip(&self.residuals) {
            gradient.iter_mut().zip(row).for_each(|(sum, value)| *sum += residual * value);
        }
        let weighted = self.weighted.chunks_exact_mut(stride);
        let weighted = weighted.zip(design.rows.chunks_exact(stride)).zip(&self.curvatures);
        for ((weighted, row), curvature) in weighted {
            weighted.iter_mut().zip(row).for_each(|(weighted, row)| *weighted = curvature * row);
        }
        self.second.fill(0.0);
        let (left, right) = ((&design.rows[..], stride), (&self.weighted[..], stride));
        add_symmetric_product(simd, left, right, &mut self.second);
        value
    }
}

/// The scores of the cells: logit f and the correction.
#[inline(always)]
fn add_up(scores: &mut Vec<f64>, labels: &Labels, design: &Design, coefficients: &[f64]) {
    scores.clone_from(&labels.offsets);
    for (column, coefficient) in design.columns.chunks_exact(design.cells).zip(coefficients) {
        scores.iter_mut().zip(column).for_each(|(score, value)| *score += coefficient * value);
    }
}

impl Objective for Density<'_> {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let known = self.at.iter().zip(at).all(|(known, at)| known.to_bits() == at.to_bits());
        if !known {
            self.at.copy_from_slice(at);
            self.look();
        }
        let mut value = self.value;
        let scale = 1.0 / self.labels.total;
        let (size, stride) = (at.len(), self.design.stride());
        for i in 0..size {
            let precision = self.precisions[i];
            value += 0.5 * precision * at[i] * at[i];
            gradient[i] = scale * (self.gradient[i] + precision * at[i]);
        }
        if let Some(hessian) = hessian {
            for i in 0..size {
                for j in i..size {
                    let prior = if i == j { self.precisions[i] } else { 0.0 };
                    let entry = scale * (self.second[i * stride + j] + prior);
                    hessian[i * size + j] = entry;
                    hessian[j * size + i] = entry;
                }
            }
        }
        scale * value
    }

    /// By chance, a component of the gradient at the truth has a standard deviation of the order of 1/√n.
    fn newton_tolerance(&self) -> f64 {
        OF_CHANCE / self.labels.total.max(1.0).sqrt()
    }
}

/// A fitted model.
pub(super) struct Posterior {
    /// The most probable coefficients.
    pub mode: Vec<f64>,
    /// The logarithm of the probability of the labels given the model, by Laplace's approximation:
    /// the posterior as a normal density around its mode.
    pub log_evidence: f64,
    /// Whether Newton's method met its tolerance.
    pub converged: bool,
    /// The factor of minus the second derivatives of the log-posterior at its mode.
    factor: Cholesky,
}

impl Posterior {
    /// For each cell, the posterior mean of the probability of class 1, as a log-odds.
    ///
    /// The score of a cell is normal with mean η and variance v, and the mean of its sigmoid is close
    /// to sigmoid(η / √(1 + πv/8)).
    pub fn mean_logits(&self, labels: &Labels, design: &Design) -> Vec<f64> {
        let mut scores = Vec::new();
        add_up(&mut scores, labels, design, &self.mode);
        let mut columns = design.columns.clone();
        self.factor.solve_lower(&mut columns);
        let mut variances = vec![0.0; design.cells];
        for column in columns.chunks_exact(design.cells) {
            variances.iter_mut().zip(column).for_each(|(variance, x)| *variance += x * x);
        }
        let shrunk = scores.iter().zip(&variances);
        shrunk.map(|(score, variance)| score / (1.0 + PI * variance / 8.0).sqrt()).collect()
    }
}

/// Adds a share of the probabilities of both classes.
pub(super) fn add_share(sums: &mut [[f64; 2]], logits: &[f64], share: f64) {
    for (sums, &logit) in sums.iter_mut().zip(logits) {
        sums[0] += share * sigmoid(-logit);
        sums[1] += share * sigmoid(logit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recalibrate::bayes::{cells, models};
    use crate::{Sample, simulate};

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let sample = Sample::from(&simulate("binary-overconfident", 500, 1).unwrap());
        let cells = cells::divide(sample.column(1), 500.0).cells;
        let (labels, design) = (Labels::new(&cells), Design::logit_spline(&cells));
        let bits = [Level::new(), Level::baseline()].map(|level| {
            let mut density = Density::new(&labels, &design, &[]);
            density.level = level;
            density.look();
            let posterior = density.fit(&models::splines(&design)[4]).unwrap();
            let mut found = posterior.mean_logits(&labels, &design);
            found.push(posterior.log_evidence);
            found.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        });
        assert_eq!(bits[0], bits[1]);
    }
}
