//! Structured scaling: temperature first, then a penalised linear map of what it gives.

use fearless_simd::{Level, Simd, dispatch};
use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::Model;
use super::features::{Features, by_blocks};
use super::linear::{LinearMap, Penalty};
use super::scores::Scores;
use super::shape::Shape;
use super::strength;
use super::temperature::Scale;
use crate::data::Sample;
use crate::numeric::simd::ln_in_place;
use crate::numeric::simplex::mix_with_uniform;
use crate::run::stop;

/// softmax((I + W) ln T + b), where T is the temperature-scaled f mixed with 1/(n + 1) of the
/// uniform: the model of `svs` and `sms`.
///
/// Penalties, added to the mean cross-entropy: k/n times the squares of the diagonal of W and of
/// b, k(k − 1)/n times those of the rest of W; less where the coefficients are larger than that expects
/// ([`strength`]). The mixture keeps ln T bounded by the sample's
/// size, so that a class that f rules out does not pull with an arbitrary force.
///
/// ## Reference
/// Berta et al., *Structured matrix scaling*, 2025; the paper's appendix on classifiers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tempered {
    scale: Scale,
    training_rows: f64,
    penalty: Penalty,
    map: LinearMap,
}

impl Tempered {
    /// Fits the temperature, then the map.
    pub(super) fn fit(sample: &Sample, shape: Shape) -> Self {
        Self::fit_with_features(sample, shape).0
    }

    /// As [`Tempered::fit`]; with ln T of the rows.
    pub(super) fn fit_with_features(sample: &Sample, shape: Shape) -> (Self, Features) {
        let (scale, logs) = Scale::fit_with_logs(sample);
        let training_rows = sample.effective_rows();
        let features = temper(scale, training_rows, logs, |_| {});
        let penalty = strength::penalty(sample, &features, shape);
        let map = LinearMap::fit(sample, &features, shape, penalty);
        (Self { scale, training_rows, penalty, map }, features)
    }

    /// ln T of rows of f that follow each other.
    pub(super) fn features(&self, f: &[f64]) -> Features {
        self.features_and_each(f, |_| {})
    }

    /// As [`Tempered::features`]; calls with T of each row, and of rows that fill up.
    pub(super) fn features_and_each(&self, f: &[f64], each: impl FnMut(&[f64])) -> Features {
        temper(self.scale, self.training_rows, self.scale.logs(f, self.map.classes()), each)
    }

    /// Writes what it makes of rows of ln T.
    pub(super) fn map_logs(&self, logs: &Features, g: &mut [f64]) {
        self.map.apply(logs, g);
    }

    /// How many rows it was fitted to.
    pub(super) fn training_rows(&self) -> f64 {
        self.training_rows
    }

    /// What its coefficients are held to 0 by, added to the mean cross-entropy.
    pub(super) fn penalty(&self) -> Penalty {
        self.penalty
    }

    /// The model with a step added to the slopes and intercepts of its linear map.
    pub(super) fn moved(&self, step: &[f64]) -> Self {
        Self { map: self.map.moved(step), ..*self }
    }
}

/// Turns ln f of each row into ln T; calls with each row's T.
fn temper(
    scale: Scale,
    training_rows: f64,
    mut features: Features,
    each: impl FnMut(&[f64]),
) -> Features {
    let classes = features.classes();
    let mut scores = Scores::new(Shape::Scalar, classes, features.rows());
    scores.set(&[scale.inverse_temperature], &vec![0.0; classes]);
    dispatch!(Level::new(), simd => write(simd, &mut scores, training_rows, &mut features, each));
    features
}

#[inline(always)]
fn write<S: Simd>(
    simd: S,
    scores: &mut Scores,
    training_rows: f64,
    features: &mut Features,
    mut each: impl FnMut(&[f64]),
) {
    let (classes, features_stride, stride) =
        (features.classes(), features.stride(), scores.stride());
    for features in features.blocks_mut().take_while(|_| !stop::requested()) {
        let probabilities = scores.probabilities(simd, features);
        for row in probabilities.chunks_exact_mut(stride) {
            mix_with_uniform(&mut row[..classes], training_rows);
            each(&row[..classes]);
        }
        ln_in_place(simd, probabilities);
        let rows = probabilities.chunks_exact(stride);
        for (features, logs) in features.chunks_exact_mut(features_stride).zip(rows) {
            features[..classes].copy_from_slice(&logs[..classes]);
        }
    }
}

impl Model for Tempered {
    const NAME: &'static str = "tempered-linear";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        self.map.apply(&self.features(f), g);
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, g: ArrayViewMut2<'_, f64>) {
        by_blocks(f, g, |f, g| self.map.apply(&self.features(f), g));
    }

    fn classes(&self) -> Option<usize> {
        Some(self.map.classes())
    }

    fn is_sound(&self) -> bool {
        self.scale.is_sound() && self.training_rows > 0.0 && self.map.is_sound()
    }

    fn converged(&self) -> bool {
        self.map.converged()
    }
}
