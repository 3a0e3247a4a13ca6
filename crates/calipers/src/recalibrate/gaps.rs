//! The logarithms that a temperature multiplies, laid out for vectors.

use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};
use rayon::prelude::*;

use super::features::Features;
use crate::data::Sample;
use crate::numeric::simd::{WIDE, exp, floored_logs, largest_of, ln, widely};

/// From so many classes on vectors are made of classes, below of rows.
const LONG: usize = 64;

/// Long rows that one thread looks at, at a time.
const ROWS: usize = 64;

/// The training rows: the logarithm of each probability less that of the row's largest, so that the means
/// below lose nothing.
pub(super) enum Gaps {
    /// Of few classes.
    Short(Eights),
    /// Of many.
    Long(Rows),
}

impl Gaps {
    /// Those of a sample, none of whose probabilities is taken for less than the floor.
    pub fn new(sample: &Sample, floor: f64) -> Self {
        match sample.classes() {
            classes if classes < LONG => Self::Short(Eights::new(sample, floor)),
            _ => Self::Long(Rows::new(sample, floor)),
        }
    }

    /// The cross-entropy, summed over rows.
    pub fn loss(&self, scale: f64) -> f64 {
        match self {
            Self::Short(rows) => dispatch!(Level::new(), simd => rows.loss(simd, scale)),
            Self::Long(rows) => rows.loss(scale),
        }
    }

    /// First and second derivative, with respect to β, of the cross-entropy summed over a `step`-th of the
    /// rows.
    pub fn derivatives(&self, step: usize, scale: f64) -> (f64, f64) {
        match self {
            Self::Short(rows) => {
                dispatch!(Level::new(), simd => rows.derivatives(simd, step, scale))
            }
            Self::Long(rows) => rows.derivatives(step, scale),
        }
    }

    /// The logarithms as features, given what they are of; up to a constant for each row.
    pub fn into_logs(self, sample: &Sample, floor: f64) -> Features {
        match self {
            Self::Short(_) => {
                let f = sample.probs();
                Features::logs_above(f.as_slice().unwrap_or_default(), sample.classes(), floor)
            }
            Self::Long(rows) => rows.logs,
        }
    }
}

/// Eight rows after the other, class after class. Rows of weight 0 fill up the last eight.
pub(super) struct Eights {
    gaps: Vec<[f64; WIDE]>,
    observed: Vec<[f64; WIDE]>,
    weights: Vec<[f64; WIDE]>,
    classes: usize,
}

impl Eights {
    fn new(sample: &Sample, floor: f64) -> Self {
        let classes = sample.classes();
        let logs = floored_logs(sample.probs().iter().copied(), floor);
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
        dispatch!(Level::new(), simd => gaps.subtract_largest(simd));
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

    /// Of every `step`-th eight rows.
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

/// One row after the other, as features.
pub(super) struct Rows {
    logs: Features,
    observed: Vec<f64>,
    weights: Vec<f64>,
}

impl Rows {
    fn new(sample: &Sample, floor: f64) -> Self {
        let f = sample.probs();
        let classes = sample.classes();
        let mut logs = Features::logs_above(f.as_slice().unwrap_or_default(), classes, floor);
        let rows = logs.par_each_row_mut().zip(sample.labels());
        let observed = rows
            .with_min_len(ROWS)
            .map(|(logs, &label)| {
                let largest = widely(
                    classes,
                    #[inline(always)]
                    || largest_of(logs, logs, f64::NEG_INFINITY, |log, _| log),
                );
                widely(
                    classes,
                    #[inline(always)]
                    || logs.iter_mut().for_each(|log| *log -= largest),
                );
                logs[label as usize]
            })
            .collect();
        let weights = (0..sample.rows()).map(|row| sample.weight(row)).collect();
        Self { logs, observed, weights }
    }

    fn loss(&self, scale: f64) -> f64 {
        let [loss] = self.sum(1, scale, |[total, ..], observed| [total.ln() - scale * observed]);
        loss
    }

    /// Of every `step`-th row.
    fn derivatives(&self, step: usize, scale: f64) -> (f64, f64) {
        let [first, second] = self.sum(step, scale, |[total, mean, square], observed| {
            let mean = mean / total;
            [mean - observed, (square / total - mean * mean).max(0.0)]
        });
        (first, second)
    }

    /// The weighted sums of what terms make of the [`moments`] of every `step`-th row, and of what was
    /// observed in it. Rows are added up some at a time, the same ones on any number of threads.
    fn sum<const N: usize>(
        &self,
        step: usize,
        scale: f64,
        terms: impl Fn([f64; 3], f64) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let level = Level::new();
        let chosen: Vec<usize> = (0..self.weights.len()).step_by(step).collect();
        let parts = chosen.par_chunks(ROWS).map(|rows| {
            let mut sums = [0.0; N];
            for &row in rows {
                let gaps = self.logs.row(row);
                let found = dispatch!(level, simd => moments(simd, gaps, scale));
                let terms = terms(found, self.observed[row]);
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += self.weights[row] * term);
            }
            sums
        });
        parts.collect::<Vec<_>>().into_iter().fold([0.0; N], |mut all, part| {
            all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
            all
        })
    }
}

/// Σ exp(βx), Σ exp(βx) x and Σ exp(βx) x² of a row of x.
#[inline(always)]
fn moments<S: Simd>(simd: S, gaps: &[f64], scale: f64) -> [f64; 3] {
    let mut sums = [f64x8::splat(simd, 0.0); 3];
    let mut add = |gap: f64x8<S>, mass: f64x8<S>| {
        let weighted = mass * gap;
        sums[0] += mass;
        sums[1] += weighted;
        sums[2] += weighted * gap;
    };
    let (vectors, rest) = gaps.as_chunks::<WIDE>();
    for gap in vectors {
        let gap = f64x8::load_array_ref(simd, gap);
        add(gap, exp(simd, gap * scale));
    }
    if !rest.is_empty() {
        let (mut last, mut there) = ([0.0; WIDE], [0.0; WIDE]);
        last[..rest.len()].copy_from_slice(rest);
        there[..rest.len()].fill(1.0);
        let gap = f64x8::load_array(simd, last);
        add(gap, exp(simd, gap * scale) * f64x8::load_array(simd, there));
    }
    sums.map(f64x8::reduce_sum)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Predictions;
    use crate::numeric::simplex::FLOOR;

    fn sample(rows: usize, classes: usize) -> Sample {
        let mut draws = ChaCha8Rng::seed_from_u64(1);
        let mut probs = ndarray::Array2::from_shape_simple_fn((rows, classes), || {
            draws.random::<f64>().powi(4)
        });
        for mut row in probs.rows_mut() {
            let sum = row.sum();
            row.mapv_inplace(|p| p / sum);
        }
        let labels: Vec<usize> = (0..rows).map(|row| row * row % classes).collect();
        let weights = (0..rows).map(|row| 0.5 + (row % 3) as f64).collect();
        let predictions = Predictions::new(probs, &labels).unwrap().with_weights(weights);
        Sample::from(&predictions.unwrap())
    }

    /// What the vectors add up, against the formula for one row at a time; of few and of many classes,
    /// that do and do not fill vectors.
    #[test]
    fn sums_are_those_of_the_formula() {
        for classes in [3, 63, 64, 70] {
            // Not a multiple of eight rows.
            let sample = sample(43, classes);
            let gaps = Gaps::new(&sample, FLOOR);
            for scale in [1e-7, 0.3, 1.0, 40.0, 9e6] {
                let found = gaps.derivatives(1, scale);
                let (mut first, mut second, mut loss) = (0.0, 0.0, 0.0);
                for row in 0..sample.rows() {
                    let logs: Vec<f64> =
                        sample.row(row).iter().map(|p| p.max(FLOOR).ln()).collect();
                    let (own, weight) = (logs[sample.labels()[row] as usize], sample.weight(row));
                    let mut p: Vec<f64> = logs.iter().map(|log| scale * log).collect();
                    let total = crate::numeric::simplex::softmax(&mut p);
                    let mean: f64 = p.iter().zip(&logs).map(|(p, log)| p * log).sum();
                    let spread: f64 =
                        p.iter().zip(&logs).map(|(p, log)| p * (log - mean).powi(2)).sum();
                    first += weight * (mean - own);
                    second += weight * spread;
                    loss += weight * (total - scale * own);
                }
                // The formula loses digits where the logarithms are large; the sums are of size 100.
                assert!((found.0 - first).abs() < 1e-10, "{scale}: {found:?} {first}");
                assert!((found.1 - second).abs() < 1e-10, "{scale}: {found:?} {second}");
                let gap = (gaps.loss(scale) - loss).abs();
                assert!(gap <= 1e-11 * loss.abs().max(10.0), "{classes} {scale}: {gap}");
            }
        }
    }

    /// What is handed on are the logarithms, up to a constant of each row.
    #[test]
    fn logarithms_are_handed_on() {
        for classes in [3, 64] {
            let sample = sample(9, classes);
            let logs = Gaps::new(&sample, FLOOR).into_logs(&sample, FLOOR);
            for (row, logs) in logs.each_row().take(9).enumerate() {
                let expected: Vec<f64> =
                    sample.row(row).iter().map(|p| p.max(FLOOR).ln()).collect();
                let shift = logs[0] - expected[0];
                for (log, expected) in logs.iter().zip(expected) {
                    assert!((log - expected - shift).abs() < 1e-13, "{classes} {row}");
                }
            }
        }
    }
}
