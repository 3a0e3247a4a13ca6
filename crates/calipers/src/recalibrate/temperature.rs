use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::registry::Builtin;
use super::{Fitted, Model};
use crate::sample::Sample;
use crate::simplex::{floored_ln, softmax};
use crate::solve::increasing_root;

/// ln β is sought in ± this.
const LOG_RANGE: f64 = 16.0;

/// The derivative of the mean cross-entropy with respect to ln β at which the fit has converged.
const TOLERANCE: f64 = 1e-13;

/// g = softmax(β ln f): one parameter, the inverse temperature.
///
/// β minimises the mean cross-entropy over ln β ∈ [−16, 16]; labels that f separates perfectly
/// take it to the end. Cost: about 8 passes of n·k exponentials.
///
/// ## Reference
/// Guo et al., *On calibration of modern neural networks*, 2017. The paper's TS.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Temperature;

impl Builtin for Temperature {
    const NAME: &'static str = "temperature";
    const ABOUT: &'static str = "softmax(b ln f): one parameter, the inverse temperature";
    type Model = Scale;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(Scale::fit(sample, &log_probs(sample)))
    }
}

/// ln f of the training rows, floored.
pub(super) fn log_probs(sample: &Sample) -> Array2<f64> {
    sample.probs().mapv(floored_ln)
}

/// The inverse temperature β.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Scale {
    inverse_temperature: f64,
}

impl Scale {
    /// Fits β to the logarithms of the sample's predictions.
    pub fn fit(sample: &Sample, logs: &Array2<f64>) -> Self {
        let rows = sample.rows() as f64;
        let log_scale = increasing_root(
            |log_scale| {
                let scale = log_scale.exp();
                let (slope, curvature) = derivatives(sample, logs, scale);
                let first = scale * slope / rows;
                (first, first + scale * scale * curvature / rows)
            },
            (-LOG_RANGE, LOG_RANGE),
            0.0,
            TOLERANCE,
        );
        Self { inverse_temperature: log_scale.exp() }
    }
}

/// First and second derivative of the summed cross-entropy with respect to β.
fn derivatives(sample: &Sample, logs: &Array2<f64>, scale: f64) -> (f64, f64) {
    let classes = sample.classes();
    let (mut first, mut second) = (0.0, 0.0);
    let rows = logs.as_slice().unwrap_or_default().chunks_exact(classes);
    for (row, (logs, &label)) in rows.zip(sample.labels()).enumerate() {
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
        for &log in logs {
            // Logarithms relative to the largest: the means below then lose nothing.
            let gap = log - largest;
            let mass = (scale * gap).exp();
            total += mass;
            mean += mass * gap;
            square += mass * gap * gap;
        }
        mean /= total;
        let weight = sample.weight(row);
        first += weight * (mean - (logs[label as usize] - largest));
        second += weight * (square / total - mean * mean).max(0.0);
    }
    (first, second)
}

impl Model for Scale {
    const NAME: &'static str = "temperature";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        for (f, g) in f.iter().zip(g.iter_mut()) {
            *g = self.inverse_temperature * floored_ln(*f);
        }
        softmax(g);
    }

    fn classes(&self) -> Option<usize> {
        None
    }

    fn is_sound(&self) -> bool {
        self.inverse_temperature.is_finite()
    }
}
