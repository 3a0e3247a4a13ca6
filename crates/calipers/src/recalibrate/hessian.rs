//! Second derivatives of the mean cross-entropy of softmax(A x + b).

use fearless_simd::{Simd, f64x4, prelude::*};

use super::features::BLOCK;
use super::shape::Shape;
use crate::numeric::simd::{LANES, add_symmetric_product, add_transposed_product, padded};
use crate::numeric::solve::{Block, Curvature};

/// A block of rows.
pub(super) struct Chunk<'a> {
    pub features: &'a [f64],
    pub features_stride: usize,
    /// The length of a row of probabilities.
    pub stride: usize,
    pub labels: &'a [u32],
    pub shares: &'a [f64],
    /// What a row of probabilities adds up to.
    pub sums: &'a [f64],
}

/// Sums over rows of which the Hessian, or a part of it, is made.
pub(super) struct Second {
    shape: Shape,
    classes: usize,
    sums: Sums,
}

enum Sums {
    /// Σ w p_c p_d (x, 1)(x, 1)ᵀ for each two classes: minus the Hessian's block there.
    Pairs(Outer),
    /// Σ w p_c(1 − p_c)(x, 1)(x, 1)ᵀ for each class.
    Classes(Outer),
    /// Σ w p_c(1 − p_c) x_d² for each slope, and without x for each intercept.
    Squares { sums: Vec<f64>, variances: Vec<f64>, squares: Vec<f64> },
    /// For each class, Σ w p x², Σ w p x and Σ w p; and Σ w v vᵀ with v = (p∘x, p).
    Elementwise { own: Vec<f64>, sums: Vec<f64>, vectors: Vec<f64> },
    /// For each class, Σ w p(1 − p) x², Σ w p(1 − p) x and Σ w p(1 − p).
    Own(Vec<f64>),
}

impl Second {
    /// All second derivatives.
    pub fn all(shape: Shape, classes: usize) -> Self {
        let stride = padded(classes);
        let sums = match shape {
            Shape::Full => Sums::Pairs(Outer::new(classes * (classes - 1) / 2, classes)),
            _ => Sums::Elementwise {
                own: vec![0.0; 3 * stride],
                sums: vec![0.0; 4 * stride * stride],
                vectors: vec![0.0; BLOCK * 2 * stride],
            },
        };
        Self { shape, classes, sums }
    }

    /// For each class, those by its own parameters.
    pub fn blocks(shape: Shape, classes: usize) -> Self {
        let sums = match shape {
            Shape::Full => Sums::Classes(Outer::new(classes, classes)),
            _ => Sums::Own(vec![0.0; 3 * padded(classes)]),
        };
        Self { shape, classes, sums }
    }

    /// Those of a full matrix by each parameter alone.
    pub fn squares(classes: usize) -> Self {
        let (stride, wide) = (padded(classes), padded(classes + 1));
        let sums = Sums::Squares {
            sums: vec![0.0; stride * wide],
            variances: vec![0.0; BLOCK * stride],
            squares: vec![0.0; BLOCK * wide],
        };
        Self { shape: Shape::Full, classes, sums }
    }

    /// Adds a block of rows, whose probabilities are yet to be divided by their sums.
    pub fn add<S: Simd>(&mut self, simd: S, chunk: &Chunk<'_>, masses: &[f64]) {
        simd.vectorize(
            #[inline(always)]
            || self.add_rows(simd, chunk, masses),
        );
    }

    #[inline(always)]
    fn add_rows<S: Simd>(&mut self, simd: S, chunk: &Chunk<'_>, masses: &[f64]) {
        let (stride, wide) = (chunk.stride, chunk.features_stride);
        let rows = || {
            let features = chunk.features.chunks_exact(wide);
            let rows = masses.chunks_exact(stride).zip(features);
            rows.zip(chunk.shares.iter().zip(chunk.sums))
        };
        match &mut self.sums {
            Sums::Pairs(outer) => {
                let pairs = (0..self.classes).flat_map(|c| (0..c).map(move |d| (c, d)));
                for (number, (c, d)) in pairs.enumerate() {
                    let weight = |masses: &[f64], sum: f64| (masses[c] / sum) * (masses[d] / sum);
                    outer.add(simd, chunk, masses, number, weight);
                }
            }
            Sums::Classes(outer) => {
                for class in 0..self.classes {
                    let weight = |masses: &[f64], sum: f64| variance(masses[class] / sum);
                    outer.add(simd, chunk, masses, class, weight);
                }
            }
            Sums::Squares { sums, variances, squares } => {
                let variances = &mut variances[..masses.len()];
                let squares = &mut squares[..chunk.features.len()];
                for (variances, ((masses, _), (share, sum))) in
                    variances.chunks_exact_mut(stride).zip(rows())
                {
                    let cells = variances.iter_mut().zip(masses);
                    cells.for_each(|(cell, mass)| *cell = share * variance(mass / sum));
                }
                squares.iter_mut().zip(chunk.features).for_each(|(square, x)| *square = x * x);
                add_transposed_product(simd, (variances, stride), (squares, wide), sums);
            }
            Sums::Elementwise { own, sums, vectors } => {
                let vectors = &mut vectors[..2 * masses.len()];
                for (vectors, ((masses, features), (share, sum))) in
                    vectors.chunks_exact_mut(2 * stride).zip(rows())
                {
                    let root = share.sqrt();
                    let (slopes, intercepts) = vectors.split_at_mut(stride);
                    for from in (0..stride).step_by(LANES) {
                        let p = f64x4::from_slice(simd, &masses[from..from + LANES]) / *sum;
                        let x = f64x4::from_slice(simd, &features[from..from + LANES]);
                        let scaled = p * root;
                        (scaled * x).store_slice(&mut slopes[from..from + LANES]);
                        scaled.store_slice(&mut intercepts[from..from + LANES]);
                        add_moments(simd, own, from, p * *share, x);
                    }
                }
                let vectors = (&*vectors, 2 * stride);
                add_symmetric_product(simd, vectors, vectors, sums);
            }
            Sums::Own(own) => {
                for ((masses, features), (share, sum)) in rows() {
                    for from in (0..stride).step_by(LANES) {
                        let p = f64x4::from_slice(simd, &masses[from..from + LANES]) / *sum;
                        let x = f64x4::from_slice(simd, &features[from..from + LANES]);
                        let variance = p - p * p;
                        add_moments(simd, own, from, variance * *share, x);
                    }
                }
            }
        }
    }

    /// Writes the Hessian of all parameters, without penalties.
    pub fn write(&self, hessian: &mut [f64]) {
        let (classes, stride) = (self.classes, padded(self.classes));
        hessian.fill(0.0);
        match &self.sums {
            Sums::Pairs(outer) => {
                let size = classes * classes + classes;
                let pairs = (0..classes).flat_map(|c| (0..c).map(move |d| (c, d)));
                for (number, (c, d)) in pairs.enumerate() {
                    for i in 0..=classes {
                        for j in 0..=classes {
                            let sum = outer.entry(number, i, j);
                            let at = |c, d| self.parameter(c, i) * size + self.parameter(d, j);
                            hessian[at(c, d)] -= sum;
                            hessian[at(d, c)] -= sum;
                            // The probabilities of a row add up to 1, and so p_c(1 − p_c) is what
                            // p_c has in common with the others.
                            hessian[at(c, c)] += sum;
                            hessian[at(d, d)] += sum;
                        }
                    }
                }
            }
            Sums::Elementwise { own, sums, .. } => {
                // One slope for all classes: its rows and columns are the sums over the classes.
                let (slopes, size) = match self.shape {
                    Shape::Scalar => (1, 1 + classes),
                    _ => (classes, 2 * classes),
                };
                let parameter = |i: usize, class: usize| match i {
                    0 => class.min(slopes - 1),
                    _ => slopes + class,
                };
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    for c in 0..classes {
                        for d in 0..classes {
                            let outer = symmetric(sums, 2 * stride, i * stride + c, j * stride + d);
                            let own = if c == d { own[(i + j) * stride + c] } else { 0.0 };
                            hessian[parameter(i, c) * size + parameter(j, d)] += own - outer;
                        }
                    }
                }
            }
            Sums::Classes(_) | Sums::Squares { .. } | Sums::Own(_) => {}
        }
    }

    /// What L-BFGS is given: the mean over rows that weigh so much, with penalties.
    pub fn curvature(&self, weight: f64, penalties: &[f64]) -> Curvature {
        let (classes, stride, wide) =
            (self.classes, padded(self.classes), padded(self.classes + 1));
        let block = |parameters: Vec<usize>, entry: &dyn Fn(usize, usize) -> f64| {
            let size = parameters.len();
            let mut hessian = Vec::with_capacity(size * size);
            for (i, &parameter) in parameters.iter().enumerate() {
                let penalty = |j| if i == j { 2.0 * penalties[parameter] } else { 0.0 };
                hessian.extend((0..size).map(|j| entry(i, j) / weight + penalty(j)));
            }
            Block { parameters, hessian }
        };
        match &self.sums {
            Sums::Pairs(_) | Sums::Elementwise { .. } => {
                let size = penalties.len();
                let mut hessian = vec![0.0; size * size];
                self.write(&mut hessian);
                let entry = |i: usize, j: usize| hessian[i * size + j];
                Curvature::Blocks(vec![block((0..size).collect(), &entry)])
            }
            Sums::Classes(outer) => {
                let blocks = (0..classes).map(|class| {
                    let parameters = (0..=classes).map(|i| self.parameter(class, i)).collect();
                    block(parameters, &|i, j| outer.entry(class, i, j))
                });
                Curvature::Blocks(blocks.collect())
            }
            Sums::Own(own) => {
                let slopes = penalties.len() - classes;
                let blocks = (0..classes).map(|class| match self.shape {
                    // The one slope belongs to no class in particular.
                    Shape::Scalar => block(vec![slopes + class], &|_, _| own[2 * stride + class]),
                    _ => block(vec![class, slopes + class], &|i, j| own[(i + j) * stride + class]),
                });
                Curvature::Blocks(blocks.collect())
            }
            Sums::Squares { sums, .. } => {
                let rows = || sums.chunks_exact(wide).take(classes);
                let slopes = rows().flat_map(|row| &row[..classes]);
                let data = slopes.chain(rows().map(|row| &row[classes]));
                let diagonal =
                    data.zip(penalties).map(|(data, penalty)| data / weight + 2.0 * penalty);
                Curvature::Diagonal(diagonal.collect())
            }
        }
    }

    /// Where, in a full matrix's parameters, a class's slope on a feature stands, or after its
    /// slopes its intercept.
    fn parameter(&self, class: usize, feature: usize) -> usize {
        let classes = self.classes;
        if feature < classes { class * classes + feature } else { classes * classes + class }
    }
}

/// Some weighted sums of (x, 1)(x, 1)ᵀ.
struct Outer {
    sums: Vec<f64>,
    stride: usize,
    scaled: Vec<f64>,
}

impl Outer {
    fn new(count: usize, classes: usize) -> Self {
        let stride = padded(classes + 1);
        let (sums, scaled) = (vec![0.0; count * stride * stride], vec![0.0; BLOCK * stride]);
        Self { sums, stride, scaled }
    }

    /// Adds to one of the sums; `weight` is given a row's masses and their sum.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        chunk: &Chunk<'_>,
        masses: &[f64],
        number: usize,
        weight: impl Fn(&[f64], f64) -> f64,
    ) {
        let (stride, size) = (self.stride, self.stride * self.stride);
        let scaled = &mut self.scaled[..chunk.features.len()];
        for (row, share) in chunk.shares.iter().enumerate() {
            let masses = &masses[row * chunk.stride..(row + 1) * chunk.stride];
            let factor = share * weight(masses, chunk.sums[row]);
            for from in (row * stride..(row + 1) * stride).step_by(LANES) {
                let features = f64x4::from_slice(simd, &chunk.features[from..from + LANES]);
                (features * factor).store_slice(&mut scaled[from..from + LANES]);
            }
        }
        let sums = &mut self.sums[number * size..(number + 1) * size];
        add_symmetric_product(simd, (scaled, stride), (chunk.features, stride), sums);
    }

    fn entry(&self, number: usize, i: usize, j: usize) -> f64 {
        symmetric(&self.sums[number * self.stride * self.stride..], self.stride, i, j)
    }
}

/// An entry of a symmetric matrix of which the upper triangle is known.
fn symmetric(matrix: &[f64], stride: usize, i: usize, j: usize) -> f64 {
    matrix[i.min(j) * stride + i.max(j)]
}

fn variance(p: f64) -> f64 {
    p * (1.0 - p)
}

/// Adds w x², w x and w to four classes' sums.
#[inline(always)]
fn add_moments<S: Simd>(simd: S, own: &mut [f64], from: usize, weight: f64x4<S>, x: f64x4<S>) {
    let stride = own.len() / 3;
    let weighted = weight * x;
    let values = [weighted * x, weighted, weight];
    for moment in 0..3 {
        let own = &mut own[moment * stride + from..][..LANES];
        (f64x4::from_slice(simd, own) + values[moment]).store_slice(own);
    }
}
