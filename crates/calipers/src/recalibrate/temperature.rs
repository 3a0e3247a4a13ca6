use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};
use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::builtin::Builtin;
use super::features::{Features, by_blocks};
use super::linear::apply;
use super::shape::Shape;
use super::{Fitted, Model};
use crate::data::Sample;
use crate::numeric::simd::{WIDE, exp, floored_logs, ln};
use crate::numeric::simplex::{FLOOR, is_moderate};
use crate::numeric::solve::increasing_root;
use crate::run::stop;

/// ln β is sought in ± this.
const LOG_RANGE: f64 = 16.0;

/// The derivative of the mean cross-entropy with respect to ln β at which the fit has converged.
const TOLERANCE: f64 = 1e-13;

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
        let step = (sample.rows() * sample.classes()).div_ceil(CHOICE_NUMBERS);
        if step <= 1 {
            return Self::under_best(sample);
        }
        let some: Vec<u32> = (0..sample.rows() as u32).step_by(step).collect();
        let chosen = Self::under_best(&sample.select(&some));
        Self::under(sample, chosen.floor, Some(chosen.inverse_temperature.ln())).0
    }

    /// Fits β under each floor that makes a difference, and keeps the best.
    fn under_best(sample: &Sample) -> Self {
        let least = sample.probs().iter().copied().fold(1.0, f64::min);
        let (mut best, mut least_loss) = Self::under(sample, FLOOR, None);
        for pair in FLOORS.windows(2).take_while(|pair| least < pair[0] && !stop::requested()) {
            let (other, loss) = Self::under(sample, pair[1], None);
            if loss < least_loss * (1.0 - ROUNDING) {
                (best, least_loss) = (other, loss);
            }
        }
        best
    }

    /// Fits β to the logarithms of the sample's predictions, under a floor, from ln β or from where some
    /// of the rows take it. Returns the cross-entropy, too.
    fn under(sample: &Sample, floor: f64, start: Option<f64>) -> (Self, f64) {
        if stop::requested() {
            return (Self { inverse_temperature: 1.0, floor }, 0.0);
        }
        let level = Level::new();
        let gaps = Gaps::new(sample, &floored_logs(sample.probs().iter().copied(), floor), level);
        let root = |step: usize, start: f64, tolerance: f64| {
            let rows = sample.rows() as f64 / step as f64;
            let derivatives = |log_scale: f64| {
                let scale = log_scale.exp();
                let (slope, curvature) =
                    dispatch!(level, simd => gaps.derivatives(simd, step, scale));
                let first = scale * slope / rows;
                (first, first + scale * scale * curvature / rows)
            };
            increasing_root(derivatives, (-LOG_RANGE, LOG_RANGE), start, tolerance)
        };
        let step = sample.rows().div_ceil(COARSE_ROWS);
        let coarse = || if step > 1 { root(step, 0.0, COARSE_TOLERANCE) } else { 0.0 };
        let inverse_temperature = root(1, start.unwrap_or_else(coarse), TOLERANCE).exp();
        let loss = dispatch!(level, simd => gaps.loss(simd, inverse_temperature));
        (Self { inverse_temperature, floor }, loss)
    }

    /// ln f of rows that follow each other.
    pub fn logs(self, f: &[f64], classes: usize) -> Features {
        Features::new(&floored_logs(f.iter().copied(), self.floor), classes)
    }

    /// Writes softmax(β ln f) of each row of ln f, one after the other.
    fn apply(self, logs: &Features, g: &mut [f64]) {
        let intercepts = vec![0.0; logs.classes()];
        apply(Shape::Scalar, &[self.inverse_temperature], &intercepts, logs, g);
    }
}

/// The training rows eight by eight, class after class: the logarithm of each probability less that
/// of the row's largest, so that the means below lose nothing. Rows of weight 0 fill up the last
/// eight.
struct Gaps {
    gaps: Vec<[f64; WIDE]>,
    observed: Vec<[f64; WIDE]>,
    weights: Vec<[f64; WIDE]>,
    classes: usize,
}

impl Gaps {
    fn new(sample: &Sample, logs: &[f64], level: Level) -> Self {
        let classes = sample.classes();
        let eights = sample.rows().div_ceil(WIDE);
        let mut gaps = vec![[0.0; WIDE]; eights * classes];
        let (mut observed, mut weights) = (vec![[0.0; WIDE]; eights], vec![[0.0; WIDE]; eights]);
        let rows = logs.chunks_exact(classes).zip(sample.labels()).enumerate();
        for (row, (logs, &label)) in rows {
            let (eight, lane) = (row / WIDE, row % WIDE);
            for (gaps, log) in gaps[eight * classes..].iter_mut().zip(logs) {
                gaps[lane] = *log;
            }
            observed[eight][lane] = logs[label as usize];
            weights[eight][lane] = sample.weight(row);
        }
        let mut gaps = Self { gaps, observed, weights, classes };
        dispatch!(level, simd => gaps.subtract_largest(simd));
        gaps
    }

    #[inline(always)]
    fn subtract_largest<S: Simd>(&mut self, simd: S) {
        for (logs, observed) in self.gaps.chunks_exact_mut(self.classes).zip(&mut self.observed) {
            let mut largest = f64x8::splat(simd, f64::NEG_INFINITY);
            for logs in logs.iter() {
                largest = largest.max(f64x8::load_array_ref(simd, logs));
            }
            for logs in logs {
                (f64x8::load_array_ref(simd, logs) - largest).store_array(logs);
            }
            (f64x8::load_array_ref(simd, observed) - largest).store_array(observed);
        }
    }

    /// The cross-entropy, summed over rows.
    #[inline(always)]
    fn loss<S: Simd>(&self, simd: S, scale: f64) -> f64 {
        let mut loss = f64x8::splat(simd, 0.0);
        for (eight, gaps) in self.gaps.chunks_exact(self.classes).enumerate() {
            let mut total = f64x8::splat(simd, 0.0);
            gaps.iter()
                .for_each(|gap| total += exp(simd, f64x8::load_array_ref(simd, gap) * scale));
            let observed = f64x8::load_array_ref(simd, &self.observed[eight]) * scale;
            loss += f64x8::load_array_ref(simd, &self.weights[eight]) * (ln(total) - observed);
        }
        loss.reduce_sum()
    }

    /// First and second derivative, with respect to β, of the cross-entropy summed over every
    /// `step`-th eight rows.
    #[inline(always)]
    fn derivatives<S: Simd>(&self, simd: S, step: usize, scale: f64) -> (f64, f64) {
        let zero = f64x8::splat(simd, 0.0);
        let (mut first, mut second) = (zero, zero);
        for eight in (0..self.weights.len()).step_by(step) {
            let (mut total, mut mean, mut square) = (zero, zero, zero);
            for gap in &self.gaps[eight * self.classes..(eight + 1) * self.classes] {
                let gap = f64x8::load_array_ref(simd, gap);
                let mass = exp(simd, gap * scale);
                let weighted = mass * gap;
                total += mass;
                mean += weighted;
                square += weighted * gap;
            }
            mean /= total;
            let weights = f64x8::load_array_ref(simd, &self.weights[eight]);
            first += weights * (mean - f64x8::load_array_ref(simd, &self.observed[eight]));
            second += weights * (square / total - mean * mean).max(zero);
        }
        (first.reduce_sum(), second.reduce_sum())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;

    /// The derivatives that the vectors add up, against the formula for one row at a time.
    #[test]
    fn derivatives_are_those_of_the_formula() {
        // Not a multiple of eight rows.
        let predictions = simulate("multiclass-overconfident-3", 43, 1).unwrap();
        let weights = (0..43).map(|row| 0.5 + (row % 3) as f64).collect();
        let sample = Sample::from(&predictions.with_weights(weights).unwrap());
        let logs = floored_logs(sample.probs().iter().copied(), FLOOR);
        let gaps = Gaps::new(&sample, &logs, Level::new());
        for scale in [1e-7, 0.3, 1.0, 40.0, 9e6] {
            let found = dispatch!(Level::new(), simd => gaps.derivatives(simd, 1, scale));
            let (mut first, mut second) = (0.0, 0.0);
            for (row, logs) in logs.chunks_exact(3).enumerate() {
                let mut p: Vec<f64> = logs.iter().map(|log| scale * log).collect();
                crate::numeric::simplex::softmax(&mut p);
                let mean: f64 = p.iter().zip(logs).map(|(p, log)| p * log).sum();
                let spread: f64 = p.iter().zip(logs).map(|(p, log)| p * (log - mean).powi(2)).sum();
                first += sample.weight(row) * (mean - logs[sample.labels()[row] as usize]);
                second += sample.weight(row) * spread;
            }
            // The formula loses digits where the logarithms are large; the sums are of size 100.
            assert!((found.0 - first).abs() < 1e-11, "{scale}: {found:?} {first}");
            assert!((found.1 - second).abs() < 1e-11, "{scale}: {found:?} {second}");
        }
    }
}
