//! The best split of a level of a symmetric tree, among the borders of two features.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::bins::BINS;
use super::forest::Split;
use super::rows::{LANES, Lanes, StackRows};

/// A level tries the borders of so many features.
pub(super) const CANDIDATES: usize = 2;

/// Added to the weight of a leaf when a split is scored.
const RIDGE: f32 = 4.0;

/// What weights are multiplied by where they stand among gradients: their squares are then too small
/// to cost the gradients' any digits, and a power of two costs them none.
pub(super) const UNIT: f32 = 1.0 / 4096.0;

/// The rows that a tree learns from: their numbers, and for each w(y − p) and, after the last class,
/// w [`UNIT`]s.
pub(super) struct Drawn {
    pub rows: Vec<u32>,
    pub gradients: Vec<Lanes>,
}

/// Sums of gradients, for each candidate feature, leaf and place.
pub(super) struct Search {
    histograms: Vec<Lanes>,
    scores: [f32; BINS],
}

impl Search {
    /// Room for so many leaves.
    pub fn new(leaves: usize, width: usize) -> Self {
        let sums = CANDIDATES * leaves * BINS * width;
        Self { histograms: vec![[0.0; LANES]; sums], scores: [0.0; BINS] }
    }

    /// The first of the best splits of all leaves, by Σ|G|²/(W + 4) over the two sides of each, where
    /// G is the sum of the gradients and W of the weights. Writes the sums of the new leaves.
    #[inline(always)]
    pub fn best<S: Simd, const Q: usize>(
        &mut self,
        simd: S,
        rows: &StackRows,
        drawn: &Drawn,
        (codes, leaves): (&[u8], usize),
        candidates: [usize; CANDIDATES],
        sums: &mut [Lanes],
    ) -> Split {
        let width = if Q == 0 { rows.width() } else { Q };
        let block = leaves * BINS * width;
        let histograms = &mut self.histograms[..CANDIDATES * block];
        histograms.fill([0.0; LANES]);
        let (first, second) = histograms.split_at_mut(block);
        let [one, other] = candidates.map(|feature| rows.places[feature].as_slice());
        for (gradient, &row) in drawn.gradients.chunks_exact(width).zip(&drawn.rows) {
            let row = row as usize;
            let leaf = codes[row] as usize * BINS;
            add::<S, Q>(simd, gradient, &mut first[(leaf + one[row] as usize) * width..]);
            add::<S, Q>(simd, gradient, &mut second[(leaf + other[row] as usize) * width..]);
        }
        let mut best = (f32::NEG_INFINITY, 0, 0);
        for (candidate, &feature) in candidates.iter().enumerate() {
            let borders = rows.borders[feature];
            self.scores.fill(0.0);
            let histogram = &mut histograms[candidate * block..(candidate + 1) * block];
            for leaf in histogram.chunks_exact_mut(BINS * width) {
                add_scores::<S, Q>(simd, leaf, (rows.classes, width), &mut self.scores[..borders]);
            }
            for (border, &score) in self.scores[..borders].iter().enumerate() {
                if score > best.0 {
                    best = (score, candidate, border);
                }
            }
        }
        let (_, candidate, border) = best;
        let feature = candidates[candidate];
        // By now each histogram is a running sum.
        let histogram = &histograms[candidate * block..(candidate + 1) * block];
        let last = rows.borders[feature] * width;
        let leaves = histogram.chunks_exact(BINS * width).zip(sums.chunks_exact_mut(2 * width));
        for (histogram, sums) in leaves {
            let (left, right) = sums.split_at_mut(width);
            left.copy_from_slice(&histogram[border * width..(border + 1) * width]);
            let all = histogram[last..last + width].iter().zip(left);
            for (right, (all, left)) in right.iter_mut().zip(all) {
                let all = f32x8::load_array_ref(simd, all);
                (all - f32x8::load_array_ref(simd, left)).store_array(right);
            }
        }
        Split { feature: feature as u32, border: border as u8 }
    }
}

/// Adds a row to the first of others. Q is its width, if it is known.
#[inline(always)]
pub(super) fn add<S: Simd, const Q: usize>(simd: S, from: &[Lanes], to: &mut [Lanes]) {
    let width = if Q == 0 { from.len() } else { Q };
    let (from, to) = (&from[..width], &mut to[..width]);
    for vector in 0..width {
        let sum = f32x8::load_array_ref(simd, &to[vector]);
        (sum + f32x8::load_array_ref(simd, &from[vector])).store_array(&mut to[vector]);
    }
}

/// Adds a leaf's part of the score of each border, and turns its histogram into running sums.
#[inline(always)]
fn add_scores<S: Simd, const Q: usize>(
    simd: S,
    histogram: &mut [Lanes],
    (classes, width): (usize, usize),
    scores: &mut [f32],
) {
    let borders = scores.len();
    for place in 1..=borders {
        let (before, this) = histogram.split_at_mut(place * width);
        add::<S, Q>(simd, &before[(place - 1) * width..], this);
    }
    let (sums, all) = histogram.split_at(borders * width);
    let all = &all[..width];
    let weight_of = |row: &[Lanes]| row[classes / LANES][classes % LANES];
    let weight = weight_of(all);
    let ridge = RIDGE * UNIT;
    for (left, score) in sums.chunks_exact(width).zip(scores) {
        let left_weight = weight_of(left);
        let right_weight = weight - left_weight;
        let zero = f32x8::splat(simd, 0.0);
        let (mut left_square, mut right_square) = (zero, zero);
        for vector in 0..width {
            let left = f32x8::load_array_ref(simd, &left[vector]);
            let right = f32x8::load_array_ref(simd, &all[vector]) - left;
            left_square += left * left;
            right_square += right * right;
        }
        // The weight stands among the gradients, so its square is taken off again.
        let left_square = left_square.reduce_sum() - left_weight * left_weight;
        let right_square = right_square.reduce_sum() - right_weight * right_weight;
        *score += left_square / (left_weight + ridge) + right_square / (right_weight + ridge);
    }
}
