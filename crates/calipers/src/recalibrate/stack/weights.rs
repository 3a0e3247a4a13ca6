//! The weights of the stack: least squares on rows that the members have not seen.

use fearless_simd::{Level, Simd, dispatch, f64x4, prelude::*};

use crate::numeric::simd::{LANES, padded};
use crate::numeric::solve::non_negative;

/// No member counts for more: one that hardly ever changes anything would be blown up where it does.
const MOST: f64 = 2.0;

/// Added to the Gram matrix's diagonal, as a share of its mean: members that agree share a weight.
const RIDGE: f64 = 1e-4;

/// Sums over rows of ⟨D_i, D_j⟩ and ⟨D_i, Y − f⟩, where D_i = g_i − f is what a member changes.
pub(super) struct LeastSquares {
    members: usize,
    /// For each i and j ≤ i, four sums that are to be added up.
    gram: Vec<[f64; LANES]>,
    right: Vec<f64>,
}

impl LeastSquares {
    pub fn new(members: usize) -> Self {
        let pairs = members * (members + 1) / 2;
        Self { members, gram: vec![[0.0; LANES]; pairs], right: vec![0.0; members] }
    }

    /// Adds a row: what each member changes, member after member, filled up by zeros to whole
    /// vectors.
    pub fn add(&mut self, f: &[f64], label: usize, weight: f64, changes: &[f64]) {
        let stride = padded(f.len());
        for (right, change) in self.right.iter_mut().zip(changes.chunks_exact(stride)) {
            let mean: f64 = change.iter().zip(f).map(|(change, f)| change * f).sum();
            *right += weight * (change[label] - mean);
        }
        dispatch!(Level::new(), simd => self.add_products(simd, weight, changes, stride));
    }

    #[inline(always)]
    fn add_products<S: Simd>(&mut self, simd: S, weight: f64, changes: &[f64], stride: usize) {
        let vectors = changes.as_chunks::<LANES>().0;
        let mut sums = self.gram.iter_mut();
        for (i, one) in vectors.chunks_exact(stride / LANES).enumerate() {
            let others = vectors.chunks_exact(stride / LANES).take(i + 1);
            for (other, sum) in others.zip(&mut sums) {
                let mut product = f64x4::splat(simd, 0.0);
                for (one, other) in one.iter().zip(other) {
                    product +=
                        f64x4::load_array_ref(simd, one) * f64x4::load_array_ref(simd, other);
                }
                (f64x4::load_array_ref(simd, sum) + product * weight).store_array(sum);
            }
        }
    }

    /// The weights of two halves of the rows, as far from those of the first member alone as the weights
    /// that were fitted to the other half improve on it in each.
    pub fn solve_halves(halves: [Self; 2], of_other: &[Vec<f64>; 2]) -> Vec<f64> {
        let (mut gain, mut cost) = (0.0, 0.0);
        for (half, weights) in halves.iter().zip(of_other) {
            let (right, squares) = half.along(weights);
            gain += right;
            cost += squares;
        }
        let share = if cost > 0.0 { (gain / cost).clamp(0.0, 1.0) } else { 0.0 };
        let [mut all, other] = halves;
        all.merge(&other);
        let mut weights = all.solve();
        weights.iter_mut().for_each(|weight| *weight *= share);
        if let Some(first) = weights.first_mut() {
            *first += 1.0 - share;
        }
        weights
    }

    /// With U what weights change beyond the first member: Σ⟨U, Y − f − D_1⟩ and Σ‖U‖².
    fn along(&self, weights: &[f64]) -> (f64, f64) {
        let size = self.members;
        let gram = self.whole_gram();
        let times_gram = |v: &[f64], row: usize| -> f64 {
            gram[row * size..(row + 1) * size].iter().zip(v).map(|(gram, v)| gram * v).sum()
        };
        let mut beyond = weights.to_vec();
        beyond[0] -= 1.0;
        let mut first = vec![0.0; size];
        first[0] = 1.0;
        let mut sums = (0.0, 0.0);
        for (row, &weight) in beyond.iter().enumerate() {
            sums.0 += weight * (self.right[row] - times_gram(&first, row));
            sums.1 += weight * times_gram(&beyond, row);
        }
        sums
    }

    fn merge(&mut self, other: &Self) {
        for (own, other) in self.gram.iter_mut().zip(&other.gram) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        self.right.iter_mut().zip(&other.right).for_each(|(own, other)| *own += other);
    }

    fn whole_gram(&self) -> Vec<f64> {
        let size = self.members;
        let mut gram = vec![0.0; size * size];
        let mut sums = self.gram.iter().map(|sums| sums.iter().sum::<f64>());
        for i in 0..size {
            for (j, sum) in (0..=i).zip(&mut sums) {
                gram[i * size + j] = sum;
                gram[j * size + i] = sum;
            }
        }
        gram
    }

    /// The weights w ≥ 0 that minimise Σ‖Y − f − Σ w_i D_i‖². Their sum is free: all members may be
    /// too timid.
    pub fn solve(&self) -> Vec<f64> {
        let size = self.members;
        let mut gram = self.whole_gram();
        let trace: f64 = (0..size).map(|i| gram[i * size + i]).sum();
        // Where no member changes anything, any weights will do.
        let ridge = RIDGE * trace / size as f64 + f64::MIN_POSITIVE;
        (0..size).for_each(|i| gram[i * size + i] += ridge);
        let mut weights = non_negative(&gram, &self.right);
        weights.iter_mut().for_each(|weight| *weight = weight.min(MOST));
        weights
    }
}
