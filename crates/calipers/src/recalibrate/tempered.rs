//! Structured scaling: temperature first, then a penalised linear map of what it gives.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::Model;
use super::linear::{LinearMap, Penalty, Shape};
use super::temperature::{Scale, log_probs};
use crate::sample::Sample;
use crate::simplex::mix_with_uniform;

/// softmax((I + W) ln T + b), where T is the temperature-scaled f mixed with 1/(n + 1) of the
/// uniform: the model of `svs` and `sms`.
///
/// Penalties, added to the mean cross-entropy: k/n times the squares of the diagonal of W and of
/// b, k(k − 1)/n times those of the rest of W. The mixture keeps ln T bounded by the sample's
/// size, so that a class that f rules out does not pull with an arbitrary force.
///
/// ## Reference
/// Berta et al., *Structured matrix scaling*, 2025; the paper's appendix on classifiers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tempered {
    scale: Scale,
    training_rows: f64,
    map: LinearMap,
}

impl Tempered {
    /// Fits the temperature, then the map.
    pub(super) fn fit(sample: &Sample, shape: Shape) -> Self {
        let scale = Scale::fit(sample, &log_probs(sample));
        let training_rows = sample.effective_rows();
        let mut features = Array2::zeros(sample.probs().dim());
        for (row, mut features) in features.rows_mut().into_iter().enumerate() {
            if let Some(features) = features.as_slice_mut() {
                write_features(scale, training_rows, sample.row(row), features);
            }
        }
        let classes = sample.classes() as f64;
        let penalty = Penalty {
            intercept: classes / training_rows,
            diagonal: classes / training_rows,
            off_diagonal: classes * (classes - 1.0) / training_rows,
        };
        Self { scale, training_rows, map: LinearMap::fit(sample, features, shape, penalty) }
    }
}

fn write_features(scale: Scale, training_rows: f64, f: &[f64], features: &mut [f64]) {
    scale.map_row(f, features);
    mix_with_uniform(features, training_rows);
    features.iter_mut().for_each(|feature| *feature = feature.ln());
}

impl Model for Tempered {
    const NAME: &'static str = "tempered-linear";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        let mut features = vec![0.0; f.len()];
        write_features(self.scale, self.training_rows, f, &mut features);
        self.map.apply(&features, g);
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
