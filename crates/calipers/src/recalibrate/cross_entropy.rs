//! The penalised mean cross-entropy of softmax(A x + b), as a function of A and b.

use fearless_simd::{Level, Simd, dispatch, f64x4, f64x8, prelude::*};
use rayon::prelude::*;

use super::features::{BLOCK, Features};
use super::hessian::{Chunk, Second};
use super::scores::Scores;
use super::shape::Shape;
use crate::data::Sample;
use crate::numeric::simd::{LANES, WIDE, add_transposed_product, ln, padded};
use crate::numeric::solve::{Curvature, Large, Objective, TOLERANCE};
use crate::run::stop;

/// Up to this many parameters L-BFGS is given the whole Hessian at the start, if there are rows enough
/// for the steps that it saves to outweigh its Cholesky factor: one for so many pairs of parameters.
/// Fits of 10 to 20 classes to 800 and 8,000 rows chose it: half the steps, in 0.65 to 1 of the time.
const MOST_TOGETHER: usize = 500;
const PAIRS_A_ROW: usize = 16;

/// Up to this many classes it is given the blocks of a full matrix's Hessian.
const MOST_BLOCKS: usize = 64;

/// As many blocks of rows, evenly spread, tell it about the Hessian: an error of a tenth in what only
/// sets the scale costs a step or two, and the Hessian of all rows would cost dozens. One block for so
/// many classes at least: each has to be met.
const CURVATURE_BLOCKS: usize = 4;
const CLASSES_A_BLOCK: usize = 8;

/// Up to so many numbers (rows × classes) a fit is as exact as rounding lets it be. Beyond, it stops where
/// the gradient is this share ε of what chance makes of it, √(h/n) with h the curvature: for d parameters
/// the loss is then about ε² d/2n above its least, a millionth of what the parameters' own chance costs.
const EXACT_NUMBERS: usize = 1 << 20;
const OF_CHANCE: f64 = 1e-3;

/// Beyond as many numbers, threads share an evaluation: in so many parts.
const PARTS: usize = 8;

/// The objective; slopes, then intercepts, are its parameters.
///
/// An evaluation is one pass over the rows, a block of them at a time: scores, probabilities and
/// their part of the loss, of the Hessian and of the gradient, while they are in the nearest cache.
pub(super) struct CrossEntropy<'a> {
    shape: Shape,
    features: &'a Features,
    labels: Vec<u32>,
    /// Each row's weight, divided by the number of rows; 0 for rows that only fill up.
    shares: Vec<f64>,
    identity: Vec<f64>,
    penalties: Vec<f64>,
    scores: Scores,
    level: Level,
}

impl Objective for CrossEntropy<'_> {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let mut second = hessian.is_some().then(|| Second::all(self.shape, self.classes()));
        let mut first = First::zeros(self.shape, self.classes());
        self.set(at);
        let (level, second_sums) = (self.level, second.as_mut());
        let mut value = match second_sums {
            None if self.shares.len() * self.classes() > EXACT_NUMBERS => self.in_parts(&mut first),
            second => dispatch!(level, simd => self.pass(simd, 1, Some(&mut first), second)),
        };
        first.write(gradient);
        for (i, at) in at.iter().enumerate() {
            let distance = at - self.identity[i];
            value += self.penalties[i] * distance * distance;
            gradient[i] += 2.0 * self.penalties[i] * distance;
        }
        if let (Some(hessian), Some(second)) = (hessian, second) {
            second.write(hessian);
            for (i, penalty) in self.penalties.iter().enumerate() {
                hessian[i * at.len() + i] += 2.0 * penalty;
            }
        }
        value
    }
}

impl Large for CrossEntropy<'_> {
    /// By chance, a component of the gradient at the truth has a standard deviation of about 1/√(n k).
    fn tolerance(&self) -> f64 {
        let numbers = self.shares.len() * self.classes();
        if numbers <= EXACT_NUMBERS { TOLERANCE } else { OF_CHANCE / (numbers as f64).sqrt() }
    }

    /// All second derivatives, if the parameters are few; else, for each class, those by its own
    /// slopes and intercept; or, with a full matrix of many classes, whose blocks would hold k³ numbers,
    /// the diagonal alone.
    fn curvature(&mut self, at: &[f64]) -> Curvature {
        let (shape, classes) = (self.shape, self.classes());
        let enough_rows = at.len() * at.len() <= PAIRS_A_ROW * self.shares.len();
        let mut second = if at.len() <= MOST_TOGETHER && enough_rows {
            Second::all(shape, classes)
        } else if shape != Shape::Full || classes <= MOST_BLOCKS {
            Second::blocks(shape, classes)
        } else {
            Second::squares(classes)
        };
        self.set(at);
        let (level, blocks) = (self.level, self.features.blocks().len());
        let step = blocks.div_ceil(CURVATURE_BLOCKS.max(classes / CLASSES_A_BLOCK));
        dispatch!(level, simd => self.pass(simd, step, None, Some(&mut second)));
        let weight: f64 = self.shares.chunks(BLOCK).step_by(step).flatten().sum();
        second.curvature(weight, &self.penalties)
    }
}

impl<'a> CrossEntropy<'a> {
    /// The objective, with one penalty a parameter on the squared distance from the identity.
    pub fn new(
        sample: &Sample,
        features: &'a Features,
        shape: Shape,
        identity: Vec<f64>,
        penalties: Vec<f64>,
    ) -> Self {
        let (rows, classes) = (sample.rows(), sample.classes());
        let mut labels = sample.labels().to_vec();
        labels.resize(padded(rows), 0);
        let mut shares: Vec<f64> = (0..rows).map(|row| sample.weight(row) / rows as f64).collect();
        shares.resize(padded(rows), 0.0);
        let scores = Scores::new(shape, classes, rows);
        Self { shape, features, labels, shares, identity, penalties, scores, level: Level::new() }
    }

    fn classes(&self) -> usize {
        self.features.classes()
    }

    fn set(&mut self, at: &[f64]) {
        let (slopes, intercepts) = at.split_at(at.len() - self.classes());
        self.scores.set(slopes, intercepts);
    }

    /// Goes over the rows once, or over every `step`-th block of them; returns the weighted mean of
    /// −ln g_Y.
    #[inline(always)]
    fn pass<S: Simd>(
        &mut self,
        simd: S,
        step: usize,
        first: Option<&mut First>,
        second: Option<&mut Second>,
    ) -> f64 {
        let Self { features, labels, shares, scores, .. } = self;
        let blocks = features.blocks().zip(labels.chunks(BLOCK)).zip(shares.chunks(BLOCK));
        pass(simd, features.stride(), scores, blocks.step_by(step), first, second)
    }

    /// Goes over the rows once, in parts that threads may share, the same on any number of them.
    fn in_parts(&self, first: &mut First) -> f64 {
        let Self { features, labels, shares, scores, level, .. } = self;
        let size = self.features.blocks().len().div_ceil(PARTS);
        let part = |number: usize| {
            let (mut scores, mut first) = (scores.clone(), first.clone());
            let blocks = features.blocks().zip(labels.chunks(BLOCK)).zip(shares.chunks(BLOCK));
            let blocks = blocks.skip(number * size).take(size);
            let (stride, own) = (features.stride(), Some(&mut first));
            let loss =
                dispatch!(*level, simd => pass(simd, stride, &mut scores, blocks, own, None));
            (loss, first)
        };
        let parts: Vec<(f64, First)> = (0..PARTS).into_par_iter().map(part).collect();
        parts.iter().for_each(|(_, part)| first.merge(part));
        parts.iter().map(|(loss, _)| loss).sum()
    }
}

/// Goes over some blocks of rows; returns Σ −w ln g_Y.
#[inline(always)]
fn pass<'b, S: Simd>(
    simd: S,
    features_stride: usize,
    scores: &mut Scores,
    blocks: impl Iterator<Item = ((&'b [f64], &'b [u32]), &'b [f64])>,
    mut first: Option<&mut First>,
    mut second: Option<&mut Second>,
) -> f64 {
    let stride = scores.stride();
    let mut loss = f64x8::splat(simd, 0.0);
    for ((features, labels), shares) in blocks {
        if stop::requested() {
            break;
        }
        let rows = labels.len();
        let (mut observed, mut weights) = ([0.0; BLOCK], [0.0; BLOCK]);
        weights[..rows].copy_from_slice(shares);
        scores.write(simd, features);
        let values = scores.values.chunks_exact(stride);
        for ((observed, values), label) in observed.iter_mut().zip(values).zip(labels) {
            *observed = values[*label as usize];
        }
        scores.softmax(simd, rows);
        for from in (0..rows).step_by(WIDE) {
            let read = |values: &[f64]| f64x8::from_slice(simd, &values[from..from + WIDE]);
            let logs = ln(read(&scores.sums));
            loss += read(&weights) * (read(&scores.largest) - read(&observed) + logs);
        }
        let masses = &mut scores.values[..rows * stride];
        let chunk = Chunk { features, features_stride, stride, labels, shares, sums: &scores.sums };
        if let Some(second) = second.as_deref_mut() {
            second.add(simd, &chunk, masses);
        }
        if let Some(first) = first.as_deref_mut() {
            first.add(simd, &chunk, masses);
        }
    }
    loss.reduce_sum()
}

/// Sums over rows of which the gradient is made.
#[derive(Clone)]
enum First {
    /// For each class, Σ (residual) (x, 1), filled up on both sides.
    Full { sums: Vec<f64>, classes: usize },
    /// For each class, Σ (residual) x; after all classes, Σ (residual).
    Elementwise { sums: Vec<f64>, shape: Shape, classes: usize },
}

impl First {
    fn zeros(shape: Shape, classes: usize) -> Self {
        match shape {
            Shape::Full => {
                Self::Full { sums: vec![0.0; padded(classes) * padded(classes + 1)], classes }
            }
            _ => Self::Elementwise { sums: vec![0.0; 2 * padded(classes)], shape, classes },
        }
    }

    /// Adds the sums of other rows.
    fn merge(&mut self, other: &Self) {
        let (Self::Full { sums, .. } | Self::Elementwise { sums, .. }) = self;
        let (Self::Full { sums: others, .. } | Self::Elementwise { sums: others, .. }) = other;
        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
    }

    /// Turns probabilities into residuals and adds their products.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, chunk: &Chunk<'_>, masses: &mut [f64]) {
        let rows = masses.chunks_exact_mut(chunk.stride).zip(chunk.labels);
        for (((row, label), share), sum) in rows.zip(chunk.shares).zip(chunk.sums) {
            let factor = share / sum;
            for masses in row.as_chunks_mut::<LANES>().0 {
                (f64x4::load_array_ref(simd, masses) * factor).store_array(masses);
            }
            row[*label as usize] -= share;
        }
        match self {
            Self::Full { sums, .. } => {
                let features = (chunk.features, chunk.features_stride);
                add_transposed_product(simd, (masses, chunk.stride), features, sums);
            }
            Self::Elementwise { sums, .. } => {
                let (slopes, intercepts) = sums.split_at_mut(chunk.stride);
                let rows = chunk.features.chunks_exact(chunk.features_stride);
                for (residuals, features) in masses.chunks_exact(chunk.stride).zip(rows) {
                    let residuals = residuals.as_chunks::<LANES>().0.iter();
                    let features = features.as_chunks::<LANES>().0;
                    let slopes = slopes.as_chunks_mut::<LANES>().0;
                    let intercepts = intercepts.as_chunks_mut::<LANES>().0.iter_mut();
                    for (((residual, feature), slope), intercept) in
                        residuals.zip(features).zip(slopes).zip(intercepts)
                    {
                        let residual = f64x4::load_array_ref(simd, residual);
                        let product = residual * f64x4::load_array_ref(simd, feature);
                        (f64x4::load_array_ref(simd, slope) + product).store_array(slope);
                        (f64x4::load_array_ref(simd, intercept) + residual).store_array(intercept);
                    }
                }
            }
        }
    }

    fn write(&self, gradient: &mut [f64]) {
        match self {
            Self::Full { sums, classes } => {
                let (slopes, intercepts) = gradient.split_at_mut(classes * classes);
                let rows =
                    sums.chunks_exact(padded(classes + 1)).zip(slopes.chunks_exact_mut(*classes));
                for ((sums, slopes), intercept) in rows.zip(intercepts) {
                    slopes.copy_from_slice(&sums[..*classes]);
                    *intercept = sums[*classes];
                }
            }
            Self::Elementwise { sums, shape, classes } => {
                let (slopes, intercepts) = gradient.split_at_mut(gradient.len() - classes);
                match shape {
                    Shape::Scalar => slopes[0] = sums[..*classes].iter().sum(),
                    _ => slopes.copy_from_slice(&sums[..*classes]),
                }
                intercepts.copy_from_slice(&sums[padded(*classes)..][..*classes]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;

    /// Weighted rows of so many classes, an objective with penalties, and a point.
    fn problem(
        shape: Shape,
        rows: usize,
        classes: usize,
    ) -> (Sample, CrossEntropy<'static>, Vec<f64>) {
        let parts = classes.div_ceil(10) as u64;
        let parts: Vec<_> = (0..parts)
            .map(|seed| simulate("multiclass-overconfident-10", rows, seed).unwrap())
            .collect();
        let probs = ndarray::Array2::from_shape_fn((rows, classes), |(row, class)| {
            parts[class / 10].probs()[[row, class % 10]]
        });
        let sums = probs.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
        let labels: Vec<usize> = (0..rows).map(|row| row * row % classes).collect();
        let predictions = crate::Predictions::new(probs / sums, &labels).unwrap();
        let weights = (0..rows).map(|row| 0.5 + (row % 3) as f64).collect();
        let sample = Sample::from(&predictions.with_weights(weights).unwrap());
        let size = shape.slopes(classes) + classes;
        let penalties = (0..size).map(|i| 0.01 * i as f64).collect();
        // Lent for as long as the test runs.
        let features = Box::leak(Box::new(Features::log_probs(&sample)));
        let objective = CrossEntropy::new(&sample, features, shape, vec![0.5; size], penalties);
        let at = (0..size).map(|i| 0.3 + 0.1 * (i as f64).sin()).collect();
        (sample, objective, at)
    }

    const SHAPES: [Shape; 3] = [Shape::Scalar, Shape::Diagonal, Shape::Full];

    /// The formula, row by row.
    fn obvious(sample: &Sample, shape: Shape, at: &[f64]) -> (f64, Vec<f64>) {
        let (rows, classes) = (sample.rows(), sample.classes());
        let slopes = shape.slopes(classes);
        let slope = |class: usize, feature: usize| match shape {
            Shape::Full => Some(class * classes + feature),
            _ if class != feature => None,
            Shape::Scalar => Some(0),
            Shape::Diagonal => Some(class),
        };
        let (mut value, mut gradient) = (0.0, vec![0.0; at.len()]);
        for row in 0..rows {
            let x: Vec<f64> =
                sample.row(row).iter().map(|&f| crate::numeric::simplex::floored_ln(f)).collect();
            let mut g: Vec<f64> = (0..classes)
                .map(|class| {
                    let pulled = (0..classes).filter_map(|i| Some(at[slope(class, i)?] * x[i]));
                    pulled.sum::<f64>() + at[slopes + class]
                })
                .collect();
            let label = sample.labels()[row] as usize;
            let (observed, share) = (g[label], sample.weight(row) / rows as f64);
            value += share * (crate::numeric::simplex::softmax(&mut g) - observed);
            g[label] -= 1.0;
            for class in 0..classes {
                gradient[slopes + class] += share * g[class];
                for (feature, x) in x.iter().enumerate() {
                    if let Some(slope) = slope(class, feature) {
                        gradient[slope] += share * g[class] * x;
                    }
                }
            }
        }
        for (i, at) in at.iter().enumerate() {
            value += 0.01 * i as f64 * (at - 0.5).powi(2);
            gradient[i] += 0.02 * i as f64 * (at - 0.5);
        }
        (value, gradient)
    }

    #[test]
    fn value_and_gradient_are_those_of_the_formula() {
        // Rows and classes that fill vectors and blocks, that do not, and that are many.
        for (rows, classes) in [(1, 2), (40, 3), (64, 4), (67, 7), (130, 10), (9, 260)] {
            for shape in SHAPES {
                let (sample, mut objective, at) = problem(shape, rows, classes);
                let mut gradient = vec![0.0; at.len()];
                let value = objective.evaluate(&at, &mut gradient, None);
                let (expected, expected_gradient) = obvious(&sample, shape, &at);
                // Sums of up to a few hundred products in another order.
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
                assert!(close(value, expected), "{shape:?} {classes}: {value} {expected}");
                for (i, (a, b)) in gradient.iter().zip(&expected_gradient).enumerate() {
                    assert!(close(*a, *b), "{shape:?} {classes} {i}: {a} {b}");
                }
            }
        }
    }

    /// Gradient and Hessian against central differences, for every shape.
    #[test]
    fn derivatives_agree_with_differences() {
        for shape in SHAPES {
            let (_, mut objective, at) = problem(shape, 70, 3);
            let size = at.len();
            let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
            objective.evaluate(&at, &mut gradient, Some(&mut hessian));
            let step = 1e-5;
            for i in 0..size {
                let shifted = |sign: f64| {
                    let mut shifted = at.clone();
                    shifted[i] += sign * step;
                    shifted
                };
                let (mut up, mut down) = (vec![0.0; size], vec![0.0; size]);
                let high = objective.evaluate(&shifted(1.0), &mut up, None);
                let low = objective.evaluate(&shifted(-1.0), &mut down, None);
                // Central differences of step 1e-5 err by about 1e-10.
                assert!(((high - low) / (2.0 * step) - gradient[i]).abs() < 1e-8, "{shape:?} {i}");
                for j in 0..size {
                    let slope = (up[j] - down[j]) / (2.0 * step);
                    let entry = hessian[i * size + j];
                    assert!((slope - entry).abs() < 1e-8, "{shape:?} {i} {j}: {slope} {entry}");
                }
            }
        }
    }

    /// What L-BFGS is given are entries of the Hessian, when all rows are looked at.
    #[test]
    fn the_curvature_is_part_of_the_hessian() {
        for (shape, classes) in [(Shape::Full, 3), (Shape::Full, 13), (Shape::Diagonal, 40)] {
            let rows = CURVATURE_BLOCKS * BLOCK;
            let (_, mut objective, at) = problem(shape, rows, classes);
            let size = at.len();
            let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
            objective.evaluate(&at, &mut gradient, Some(&mut hessian));
            let mut own = Second::blocks(shape, classes);
            let mut squares = Second::squares(classes);
            dispatch!(objective.level, simd => objective.pass(simd, 1, None, Some(&mut own)));
            if shape == Shape::Full {
                dispatch!(objective.level, simd => objective.pass(simd, 1, None, Some(&mut squares)));
                let Curvature::Diagonal(diagonal) = squares.curvature(1.0, &objective.penalties)
                else {
                    panic!("squares are a diagonal");
                };
                for (i, entry) in diagonal.iter().enumerate() {
                    assert!((entry - hessian[i * size + i]).abs() < 1e-12, "{shape:?} {i}");
                }
            }
            for curvature in [own.curvature(1.0, &objective.penalties), objective.curvature(&at)] {
                let Curvature::Blocks(blocks) = curvature else { panic!("there are blocks") };
                for block in blocks {
                    let side = block.parameters.len();
                    for (i, row) in block.parameters.iter().enumerate() {
                        for (j, column) in block.parameters.iter().enumerate() {
                            let (a, b) =
                                (block.hessian[i * side + j], hessian[row * size + column]);
                            assert!((a - b).abs() < 1e-12, "{shape:?} {row} {column}: {a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        for (shape, classes) in [(Shape::Full, 10), (Shape::Diagonal, 7), (Shape::Full, 260)] {
            let (_, mut objective, at) = problem(shape, 70, classes);
            let mut both = [Level::new(), Level::baseline()].map(|level| {
                let mut gradient = vec![0.0; at.len()];
                objective.level = level;
                let value = objective.evaluate(&at, &mut gradient, None);
                gradient.push(value);
                gradient.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
            });
            assert_eq!(std::mem::take(&mut both[0]), both[1], "{shape:?} {classes}");
        }
    }
}
