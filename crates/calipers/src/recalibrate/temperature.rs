use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::builtin::Builtin;
use super::features::{Features, by_blocks};
use super::gaps::Gaps;
use super::linear::apply;
use super::shape::Shape;
use super::{Fitted, Model};
use crate::data::Sample;
use crate::numeric::simplex::{FLOOR, is_moderate};
use crate::numeric::solve::increasing_root;
use crate::run::stop;

/// ln β is sought in ± this.
const LOG_RANGE: f64 = 16.0;

/// The derivative of the mean cross-entropy with respect to ln β at which the fit has converged.
const TOLERANCE: f64 = 1e-13;

/// The same where there are many numbers: chance moves it by a hundred thousand times as much.
const MANY_TOLERANCE: f64 = 1e-9;

/// As many rows, and this tolerance, give the point to start from; the rows leave it less certain than
/// the tolerance does.
const COARSE_ROWS: usize = 512;
const COARSE_TOLERANCE: f64 = 1e-3;

/// Floors under f that are tried where it has probabilities below the first: what a model that saturates
/// says of a class that it rules out may be worth nothing, or worth as much as its other logarithms.
const FLOORS: [f64; 3] = [FLOOR, 1e-12, 1e-38];

/// Numbers (rows × classes) that the floor is chosen by at the most: as many rows show what it is worth.
const CHOICE_NUMBERS: usize = 1 << 20;

/// A floor is better than another if the cross-entropy is less by more than this share.
const ROUNDING: f64 = 1e-9;

/// g = softmax(β ln f): one parameter, the inverse temperature.
///
/// β minimises the mean cross-entropy over ln β ∈ [−16, 16]; labels that f separates perfectly
/// take it to the end. f is floored at 1e-6, or at 1e-12 or 1e-38 if that makes the labels
/// likelier. Cost: about 6 passes of n·k exponentials, for each floor that makes a difference; beyond a
/// million numbers, for one.
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
        Box::new(Scale::fit(sample))
    }
}

/// The inverse temperature β, and the floor.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Scale {
    pub(super) inverse_temperature: f64,
    floor: f64,
}

impl Scale {
    /// Fits β under the floor that suits the sample best, the first of several that do; of many numbers,
    /// the floor that suits some of the rows.
    pub fn fit(sample: &Sample) -> Self {
        Self::fit_with_gaps(sample).0
    }

    /// As [`Scale::fit`]; with ln f of the rows under that floor, up to a constant for each row.
    pub fn fit_with_logs(sample: &Sample) -> (Self, Features) {
        let (scale, gaps) = Self::fit_with_gaps(sample);
        (scale, gaps.into_logs(sample, scale.floor))
    }

    /// As [`Scale::fit`]; with what it was fitted to.
    fn fit_with_gaps(sample: &Sample) -> (Self, Gaps) {
        let step = (sample.rows() * sample.classes()).div_ceil(CHOICE_NUMBERS);
        if step <= 1 {
            return Self::under_best(sample);
        }
        let some: Vec<u32> = (0..sample.rows() as u32).step_by(step).collect();
        let (chosen, _) = Self::under_best(&sample.select(&some));
        Self::under(sample, chosen.floor, Some(chosen.inverse_temperature.ln()))
    }

    /// Fits β under each floor that makes a difference, and keeps the best.
    fn under_best(sample: &Sample) -> (Self, Gaps) {
        let least = sample.probs().iter().copied().fold(1.0, f64::min);
        let loss = |(scale, gaps): &(Self, Gaps)| gaps.loss(scale.inverse_temperature);
        let mut best = Self::under(sample, FLOOR, None);
        let mut least_loss = None;
        for pair in FLOORS.windows(2).take_while(|pair| least < pair[0] && !stop::requested()) {
            let known = *least_loss.get_or_insert_with(|| loss(&best));
            let other = Self::under(sample, pair[1], None);
            let other_loss = loss(&other);
            if other_loss < known * (1.0 - ROUNDING) {
                (best, least_loss) = (other, Some(other_loss));
            }
        }
        best
    }

    /// Fits β to the logarithms of the sample's predictions, under a floor, from ln β or from where some
    /// of the rows take it. Returns what it was fitted to, too.
    fn under(sample: &Sample, floor: f64, start: Option<f64>) -> (Self, Gaps) {
        let gaps = Gaps::new(sample, floor);
        if stop::requested() {
            return (Self { inverse_temperature: 1.0, floor }, gaps);
        }
        let root = |step: usize, start: f64, tolerance: f64| {
            let rows = sample.rows() as f64 / step as f64;
            let derivatives = |log_scale: f64| {
                let scale = log_scale.exp();
                let (slope, curvature) = gaps.derivatives(step, scale);
                let first = scale * slope / rows;
                (first, first + scale * scale * curvature / rows)
            };
            increasing_root(derivatives, (-LOG_RANGE, LOG_RANGE), start, tolerance)
        };
        let step = sample.rows().div_ceil(COARSE_ROWS);
        let coarse = || if step > 1 { root(step, 0.0, COARSE_TOLERANCE) } else { 0.0 };
        let tolerance = if start.is_some() { MANY_TOLERANCE } else { TOLERANCE };
        let inverse_temperature = root(1, start.unwrap_or_else(coarse), tolerance).exp();
        (Self { inverse_temperature, floor }, gaps)
    }

    /// ln f of rows that follow each other.
    pub fn logs(self, f: &[f64], classes: usize) -> Features {
        Features::logs_above(f, classes, self.floor)
    }

    /// Writes softmax(β ln f) of each row of ln f, one after the other.
    fn apply(self, logs: &Features, g: &mut [f64]) {
        let intercepts = vec![0.0; logs.classes()];
        apply(Shape::Scalar, &[self.inverse_temperature], &intercepts, logs, g);
    }
}

impl Model for Scale {
    const NAME: &'static str = "temperature";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        self.apply(&self.logs(f, f.len()), g);
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, g: ArrayViewMut2<'_, f64>) {
        let classes = f.ncols();
        by_blocks(f, g, |f, g| self.apply(&self.logs(f, classes), g));
    }

    fn classes(&self) -> Option<usize> {
        None
    }

    fn is_sound(&self) -> bool {
        is_moderate(self.inverse_temperature) && FLOORS.contains(&self.floor)
    }
}
