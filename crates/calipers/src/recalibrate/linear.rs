//! softmax(A x + b) of k log-probabilities x, with A a multiple of the identity, diagonal or full.
//!
//! Five recalibrators are this map with another shape, another penalty or another x.

use fearless_simd::{Level, Simd, dispatch};
use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::cross_entropy::CrossEntropy;
use super::features::{BLOCK, Features, by_blocks};
use super::scores::Scores;
use super::shape::Shape;
use super::{Model, NO_PENALTY};
use crate::data::Sample;
use crate::numeric::simplex::is_moderate;
use crate::numeric::solve::minimise;
use crate::run::stop;

/// Squared penalties around the identity map, added to the mean cross-entropy.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Penalty {
    /// On each intercept.
    pub intercept: f64,
    /// On each diagonal slope's distance from 1.
    pub diagonal: f64,
    /// On each other slope.
    pub off_diagonal: f64,
}

impl Penalty {
    /// The same penalty on everything.
    pub fn even(strength: f64) -> Self {
        Self { intercept: strength, diagonal: strength, off_diagonal: strength }
    }
}

/// A fitted map.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LinearMap {
    shape: Shape,
    slopes: Vec<f64>,
    intercepts: Vec<f64>,
    converged: bool,
}

impl LinearMap {
    /// Minimises the mean cross-entropy of softmax(A x + b) plus the penalty, from the identity.
    pub fn fit(sample: &Sample, features: &Features, shape: Shape, penalty: Penalty) -> Self {
        let classes = sample.classes();
        let slopes = shape.slopes(classes);
        let identity: Vec<f64> = (0..slopes + classes)
            .map(|i| if i < slopes && shape.is_diagonal(i, classes) { 1.0 } else { 0.0 })
            .collect();
        if stop::requested() {
            let intercepts = vec![0.0; classes];
            return Self {
                shape,
                slopes: identity[..slopes].to_vec(),
                intercepts,
                converged: false,
            };
        }
        let penalties = (0..slopes + classes)
            .map(|i| match i {
                i if i >= slopes => penalty.intercept,
                i if shape.is_diagonal(i, classes) => penalty.diagonal,
                _ => penalty.off_diagonal,
            })
            .collect();
        let mut objective = CrossEntropy::new(sample, features, shape, identity.clone(), penalties);
        let mut solution = minimise(&mut objective, identity);
        let intercepts = solution.at.split_off(slopes);
        Self { shape, slopes: solution.at, intercepts, converged: solution.converged }
    }

    /// Writes softmax(A x + b) of each row of features, one after the other.
    pub fn apply(&self, features: &Features, g: &mut [f64]) {
        apply(self.shape, &self.slopes, &self.intercepts, features, g);
    }

    /// The map with a step added to its slopes and intercepts.
    pub fn moved(&self, step: &[f64]) -> Self {
        let (slopes, intercepts) = step.split_at(self.slopes.len());
        let add = |to: &[f64], step: &[f64]| to.iter().zip(step).map(|(a, b)| a + b).collect();
        Self {
            slopes: add(&self.slopes, slopes),
            intercepts: add(&self.intercepts, intercepts),
            ..*self
        }
    }

    pub fn classes(&self) -> usize {
        self.intercepts.len()
    }

    pub fn converged(&self) -> bool {
        self.converged
    }

    pub fn is_sound(&self) -> bool {
        let classes = self.intercepts.len();
        classes >= 2
            && self.slopes.len() == self.shape.slopes(classes)
            && self.slopes.iter().chain(&self.intercepts).all(|&value| is_moderate(value))
    }
}

/// Writes softmax(A x + b) of each row of features, one after the other.
pub(super) fn apply(
    shape: Shape,
    slopes: &[f64],
    intercepts: &[f64],
    features: &Features,
    g: &mut [f64],
) {
    let mut scores = Scores::new(shape, features.classes(), features.rows());
    scores.set(slopes, intercepts);
    dispatch!(Level::new(), simd => write(simd, &mut scores, features, g));
}

#[inline(always)]
fn write<S: Simd>(simd: S, scores: &mut Scores, features: &Features, g: &mut [f64]) {
    let (classes, stride) = (features.classes(), scores.stride());
    for (features, g) in features.blocks().zip(g.chunks_mut(BLOCK * classes)) {
        let probabilities = scores.probabilities(simd, features);
        for (probabilities, g) in
            probabilities.chunks_exact(stride).zip(g.chunks_exact_mut(classes))
        {
            g.copy_from_slice(&probabilities[..classes]);
        }
    }
}

/// A map of ln f, without a penalty to speak of: the model of `affine`, `vector` and `matrix`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LogLinear(LinearMap);

impl LogLinear {
    /// Fits the map to the sample's predictions.
    pub(super) fn fit(sample: &Sample, shape: Shape) -> Self {
        let features = Features::log_probs(sample);
        Self(LinearMap::fit(sample, &features, shape, Penalty::even(NO_PENALTY)))
    }
}

impl Model for LogLinear {
    const NAME: &'static str = "log-linear";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        self.0.apply(&Features::logs(f, f.len()), g);
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, g: ArrayViewMut2<'_, f64>) {
        by_blocks(f, g, |f, g| self.0.apply(&Features::logs(f, self.0.classes()), g));
    }

    fn classes(&self) -> Option<usize> {
        Some(self.0.classes())
    }

    fn is_sound(&self) -> bool {
        self.0.is_sound()
    }

    fn converged(&self) -> bool {
        self.0.converged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Predictions;

    #[test]
    fn one_class_in_training_gives_a_finite_map() {
        let probs = ndarray::array![[0.2, 0.8, 0.0], [0.3, 0.3, 0.4], [0.0, 0.0, 1.0]];
        let sample = Sample::from(&Predictions::new(probs, &[2, 2, 2]).unwrap());
        for shape in [Shape::Scalar, Shape::Diagonal, Shape::Full] {
            let features = Features::log_probs(&sample);
            let map = LinearMap::fit(&sample, &features, shape, Penalty::even(NO_PENALTY));
            assert!(map.converged() && map.is_sound(), "{shape:?}");
        }
    }
}
