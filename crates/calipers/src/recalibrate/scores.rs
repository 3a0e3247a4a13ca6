//! A x + b and its softmax, for blocks of rows.

use fearless_simd::{Simd, f64x4, prelude::*};

use super::features::BLOCK;
use super::shape::Shape;
use crate::numeric::simd::{LANES, WIDE, add_product, padded, softmax_rows};

/// A and b, laid out for vectors.
#[derive(Clone)]
enum Matrix {
    /// A full A: the transpose of (A, b), each row of A filled up by zeros and b by −∞.
    Full(Vec<f64>),
    /// A diagonal one, filled up by zeros, and b, filled up by −∞.
    Diagonal { slopes: Vec<f64>, intercepts: Vec<f64> },
}

/// Scores of a block of rows, which become probabilities; filled up by −∞ and so by 0.
#[derive(Clone)]
pub(super) struct Scores {
    matrix: Matrix,
    classes: usize,
    /// The rows.
    pub values: Vec<f64>,
    /// Each row's largest score.
    pub largest: Vec<f64>,
    /// What each row adds up to.
    pub sums: Vec<f64>,
}

impl Scores {
    /// Room for blocks of so many rows.
    pub fn new(shape: Shape, classes: usize, rows: usize) -> Self {
        let stride = padded(classes);
        let intercepts = vec![f64::NEG_INFINITY; stride];
        let matrix = match shape {
            Shape::Full => Matrix::Full([vec![0.0; classes * stride], intercepts].concat()),
            _ => Matrix::Diagonal { slopes: vec![0.0; stride], intercepts },
        };
        let rows = rows.next_multiple_of(WIDE).min(BLOCK);
        Self {
            matrix,
            classes,
            values: vec![0.0; rows * stride],
            largest: vec![0.0; rows],
            sums: vec![1.0; rows],
        }
    }

    /// The length of a row.
    pub fn stride(&self) -> usize {
        padded(self.classes)
    }

    /// Sets A and b.
    pub fn set(&mut self, slopes: &[f64], intercepts: &[f64]) {
        let (classes, stride) = (self.classes, self.stride());
        match &mut self.matrix {
            Matrix::Full(transposed) => {
                let (matrix, last) = transposed.split_at_mut(classes * stride);
                for (feature, row) in matrix.chunks_exact_mut(stride).enumerate() {
                    let column = slopes[feature..].iter().step_by(classes);
                    row.iter_mut().zip(column).for_each(|(to, slope)| *to = *slope);
                }
                last[..classes].copy_from_slice(intercepts);
            }
            Matrix::Diagonal { slopes: diagonal, intercepts: constants } => {
                match slopes {
                    [slope] => diagonal[..classes].fill(*slope),
                    _ => diagonal[..classes].copy_from_slice(slopes),
                }
                constants[..classes].copy_from_slice(intercepts);
            }
        }
    }

    /// Writes the scores of a block of rows.
    #[inline(always)]
    pub fn write<S: Simd>(&mut self, simd: S, features: &[f64]) {
        let (stride, features_stride) = (self.stride(), padded(self.classes + 1));
        let rows = features.len() / features_stride;
        let values = &mut self.values[..rows * stride];
        match &self.matrix {
            Matrix::Full(transposed) => {
                values.fill(0.0);
                add_product(simd, (features, features_stride), (transposed, stride), values);
            }
            Matrix::Diagonal { slopes, intercepts } => {
                let slopes = slopes.as_chunks::<LANES>().0;
                let intercepts = intercepts.as_chunks::<LANES>().0;
                let rows = features.chunks_exact(features_stride);
                for (scores, features) in values.chunks_exact_mut(stride).zip(rows) {
                    let scores = scores.as_chunks_mut::<LANES>().0;
                    let features = features.as_chunks::<LANES>().0;
                    for (i, score) in scores.iter_mut().enumerate() {
                        let feature = f64x4::load_array_ref(simd, &features[i]);
                        let pulled = feature * f64x4::load_array_ref(simd, &slopes[i]);
                        (pulled + f64x4::load_array_ref(simd, &intercepts[i])).store_array(score);
                    }
                }
            }
        }
    }

    /// Writes the probabilities of a block of rows.
    #[inline(always)]
    pub fn probabilities<S: Simd>(&mut self, simd: S, features: &[f64]) -> &mut [f64] {
        let (rows, stride) = (features.len() / padded(self.classes + 1), self.stride());
        self.write(simd, features);
        self.softmax(simd, rows);
        let values = &mut self.values[..rows * stride];
        for (row, sum) in values.chunks_exact_mut(stride).zip(&self.sums) {
            for masses in row.as_chunks_mut::<LANES>().0 {
                (f64x4::load_array_ref(simd, masses) / *sum).store_array(masses);
            }
        }
        values
    }

    /// Turns the scores of so many rows into probabilities, up to each row's factor of 1 / sum.
    #[inline(always)]
    pub fn softmax<S: Simd>(&mut self, simd: S, rows: usize) {
        let stride = self.stride();
        let values = &mut self.values[..rows * stride];
        softmax_rows(simd, values, stride, &mut self.largest, &mut self.sums);
    }
}
