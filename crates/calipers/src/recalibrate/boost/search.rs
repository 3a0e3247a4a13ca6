//! The best split of a level of a symmetric tree, over every border of every feature.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x4, f32x8, f64x4};

use super::BinnedRows;
use super::chance::Chance;
use super::histogram::{Histograms, Shape, fill};
use super::leaf::Padded;
use crate::run::stop;

/// Classes of a block: with the weight, 16 numbers, which for two features stay in vector
/// registers.
const BLOCK: usize = 15;

/// A border of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    pub feature: usize,
    /// A row goes right if more than this many borders lie below its value.
    pub bin: u8,
}

/// Scores every split of a level.
///
/// A split's score is CatBoost's cosine: N/√D with N = Σ |G|²/(W + λ) and D = Σ |G|² W/(W + λ)²
/// over the leaves' two sides, where G is the sum of the rows' weighted gradients and W of their
/// weights; to which [`Chance`] adds noise. Gradients and their sums are single precision:
/// candidates within about 1e-6 of each other count as equal.
///
/// Cost of a level: rows × features × classes additions for the smaller half of every leaf, the
/// other half being what is left of the leaf's own histogram; then as much again for each bin of
/// each leaf.
pub(super) struct Search {
    shape: Shape,
    l2: f32,
    /// For each block and row: the gradients and the weight.
    gradients: Vec<f32>,
    histograms: Histograms,
    /// For each border of the features taken together: as in [`Sides`].
    left: Vec<f32>,
    right: Vec<f32>,
    weight: Vec<f32>,
    /// For each border of each feature: N and D, then the score.
    numerators: Vec<f32>,
    denominators: Vec<f32>,
    /// What leaves of one row add to N and D, whatever the split.
    lone: [f32; 2],
    level: Level,
}

/// The rows of a level: their numbers, leaf by leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaves<'a> {
    pub order: &'a [u32],
    /// Where each leaf begins in `order`, and where the last ends.
    pub bounds: &'a [usize],
}

impl Leaves<'_> {
    fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    fn rows(&self, leaf: usize) -> &[u32] {
        &self.order[self.bounds[leaf]..self.bounds[leaf + 1]]
    }
}

impl Search {
    pub fn new(rows: &BinnedRows, depth: usize, l2: f64) -> Self {
        let lanes = (rows.classes.min(BLOCK) + 1).next_multiple_of(4);
        let shape = Shape::new(rows, lanes, rows.classes.div_ceil(BLOCK));
        let sides = vec![0.0; shape.together * shape.borders];
        let candidates = vec![0.0; rows.features * shape.borders];
        Self {
            shape,
            l2: l2 as f32,
            gradients: vec![0.0; shape.blocks * rows.len() * lanes],
            histograms: Histograms::new(shape, rows.len(), depth),
            left: sides.clone(),
            right: sides.clone(),
            weight: sides,
            numerators: candidates.clone(),
            denominators: candidates,
            lone: [0.0; 2],
            level: Level::new(),
        }
    }

    /// Takes the gradients w(y − p), for a new tree.
    pub fn prepare(&mut self, rows: &BinnedRows, probs: &Padded, chance: &mut Chance) {
        let level = self.level;
        let squares = dispatch!(level, simd => self.take_gradients(simd, rows, probs));
        chance.begin(squares);
    }

    /// Returns the sum of the gradients' squares.
    #[inline(always)]
    fn take_gradients<S: Simd>(&mut self, simd: S, rows: &BinnedRows, probs: &Padded) -> f64 {
        let (lanes, blocks) = (self.shape.lanes, self.shape.blocks);
        let mut squares = f64x4::splat(simd, 0.0);
        let mut rest_of_squares = 0.0;
        for (block, gradients) in
            self.gradients.chunks_exact_mut(rows.len().max(1) * lanes).enumerate()
        {
            let known = probs.rows().zip(&rows.labels).zip(&rows.weights);
            for (gradient, ((probs, &label), &weight)) in
                gradients.chunks_exact_mut(lanes).zip(known)
            {
                let from = block * BLOCK;
                // One block takes the zeros after the last class along: they are whole vectors.
                let to = if blocks == 1 { probs.len() } else { (from + BLOCK).min(rows.classes) };
                let (quads, rest) = probs[from..to].as_chunks::<4>();
                let (targets, others) = gradient.split_at_mut(4 * quads.len());
                for (target, quad) in targets.as_chunks_mut::<4>().0.iter_mut().zip(quads) {
                    let scaled = f64x4::from_slice(simd, quad) * weight;
                    squares += scaled * scaled;
                    let scaled: [f64; 4] = (-scaled).into();
                    for (target, scaled) in target.iter_mut().zip(scaled) {
                        *target = scaled as f32;
                    }
                }
                for (target, p) in others.iter_mut().zip(rest) {
                    *target = (-weight * p) as f32;
                    rest_of_squares += (weight * p).powi(2);
                }
                let label = label as usize;
                if (from..to).contains(&label) {
                    gradient[label - from] += weight as f32;
                    rest_of_squares += weight * weight * (1.0 - 2.0 * probs[label]);
                }
                gradient[lanes - 1] = weight as f32;
            }
        }
        squares.reduce_sum() + rest_of_squares
    }

    /// The split with the highest score, the first of several; none if no feature has a border.
    pub fn best(
        &mut self,
        rows: &BinnedRows,
        leaves: Leaves<'_>,
        chance: &mut Chance,
    ) -> Option<Split> {
        self.numerators.fill(0.0);
        self.denominators.fill(0.0);
        self.lone = [0.0; 2];
        match leaves.count() {
            1 => self.histograms.begin(rows.len()),
            _ => self.histograms.descend(
                leaves
                    .bounds
                    .windows(3)
                    .step_by(2)
                    .map(|bounds| [bounds[1] - bounds[0], bounds[2] - bounds[1]]),
            ),
        }
        let level = self.level;
        match self.shape.lanes {
            4 => dispatch!(level, simd => self.score::<_, 1, 4, 8>(simd, rows, leaves)),
            8 => dispatch!(level, simd => self.score::<_, 2, 8, 16>(simd, rows, leaves)),
            12 => dispatch!(level, simd => self.score::<_, 3, 12, 24>(simd, rows, leaves)),
            _ => dispatch!(level, simd => self.score::<_, 4, 16, 32>(simd, rows, leaves)),
        }
        let mut best = (f32::NEG_INFINITY, None);
        for (feature, &borders) in rows.borders.iter().enumerate() {
            let at = feature * self.shape.borders;
            let scores = &mut self.numerators[at..at + borders];
            chance.disturb(scores);
            for (bin, &score) in scores.iter().enumerate() {
                if score > best.0 {
                    best = (score, Some(Split { feature, bin: bin as u8 }));
                }
            }
        }
        best.1
    }

    /// Scores every candidate. A row's gradients and weight are N numbers in Q vectors; M = 2N.
    #[inline(always)]
    fn score<S: Simd, const Q: usize, const N: usize, const M: usize>(
        &mut self,
        simd: S,
        rows: &BinnedRows,
        leaves: Leaves<'_>,
    ) {
        for first in (0..rows.features).step_by(self.shape.together) {
            if stop::requested() {
                break;
            }
            let features = first..(first + self.shape.together).min(rows.features);
            for pair in (0..leaves.count()).step_by(2) {
                let other = (pair + 1).min(leaves.count() - 1);
                let (small, large) = match leaves.rows(other).len() > leaves.rows(pair).len() {
                    true => (pair, other),
                    false => (other, pair),
                };
                let inherited = self.histograms.is_inherited(large);
                if small != large {
                    self.add::<S, Q, N, M>(simd, rows, leaves, small, !inherited, &features);
                    if inherited && !leaves.rows(small).is_empty() {
                        self.histograms.subtract(simd, large, small, &features);
                    }
                }
                if inherited {
                    self.add_leaf::<S, Q, M>(simd, large, &features);
                } else {
                    self.add::<S, Q, N, M>(simd, rows, leaves, large, true, &features);
                }
            }
        }
        let [n, d] = self.lone;
        for (numerator, denominator) in self.numerators.iter_mut().zip(&self.denominators) {
            *numerator = (*numerator + n) / (denominator + d + f32::MIN_POSITIVE).sqrt();
        }
    }

    /// Adds the part of a leaf whose histogram is not there yet. That of a leaf of one row is not
    /// filled where it `may_be_left_out`, because no one else needs it.
    #[inline(always)]
    fn add<S: Simd, const Q: usize, const N: usize, const M: usize>(
        &mut self,
        simd: S,
        rows: &BinnedRows,
        leaves: Leaves<'_>,
        leaf: usize,
        may_be_left_out: bool,
        features: &Range<usize>,
    ) {
        let members = leaves.rows(leaf);
        let lone = members.len() == 1;
        if lone && features.start == 0 {
            self.add_lone::<N>(members[0] as usize);
        }
        if members.is_empty() || (lone && may_be_left_out) {
            return;
        }
        let histogram = self.histograms.of(leaf, features);
        fill::<S, Q, N, M>(simd, rows, &self.gradients, members, features, histogram);
        if !lone {
            self.add_leaf::<S, Q, M>(simd, leaf, features);
        }
    }

    /// A leaf of one row adds the same to every score: the row is on one side or the other.
    fn add_lone<const N: usize>(&mut self, row: usize) {
        let (gradients, _) = self.gradients.as_chunks::<N>();
        let mut square = 0.0;
        let mut weight = 0.0;
        for block in gradients.chunks_exact(gradients.len() / self.shape.blocks) {
            let [classes @ .., last] = &block[row][..] else { return };
            square += classes.iter().map(|g| g * g).sum::<f32>();
            weight = *last;
        }
        let share = square / (weight + self.l2);
        self.lone[0] += share;
        self.lone[1] += share / (weight + self.l2) * weight;
    }

    /// Adds a leaf's part of the scores of some features, from its histogram.
    #[inline(always)]
    fn add_leaf<S: Simd, const Q: usize, const M: usize>(
        &mut self,
        simd: S,
        leaf: usize,
        features: &Range<usize>,
    ) {
        let (cells, _) = self.histograms.of(leaf, features).as_chunks::<M>();
        let Shape { borders, bins, .. } = self.shape;
        let pairs = features.len().div_ceil(2);
        let mut weight = 0.0;
        for (block, cells) in cells.chunks_exact(pairs * bins).enumerate() {
            // Every feature's cells add up to the same.
            let total = total_of::<S, Q, M>(simd, &cells[..bins]);
            weight = total[Q - 1].as_slice()[3];
            for (pair, cells) in cells.chunks_exact(bins).enumerate() {
                let at = 2 * pair * borders..2 * (pair + 1) * borders;
                let (left, other_left) = self.left[at.clone()].split_at_mut(borders);
                let (right, other_right) = self.right[at.clone()].split_at_mut(borders);
                let (before, other_before) = self.weight[at].split_at_mut(borders);
                let sides = [
                    Sides { left, right, weight: before },
                    Sides { left: other_left, right: other_right, weight: other_before },
                ];
                add_pair::<S, Q, M>(simd, sides, &cells[..borders], total, block == 0);
            }
        }
        let l2 = f32x8::splat(simd, self.l2);
        let whole = f32x8::splat(simd, weight);
        for (place, feature) in features.clone().enumerate() {
            let at = place * borders..(place + 1) * borders;
            let left = self.left[at.clone()].chunks_exact(8);
            let sides = left.zip(self.right[at.clone()].chunks_exact(8));
            let at_feature = feature * borders..(feature + 1) * borders;
            let numerators = self.numerators[at_feature.clone()].chunks_exact_mut(8);
            let scores = numerators.zip(self.denominators[at_feature].chunks_exact_mut(8));
            for ((numerator, denominator), ((left, right), before)) in
                scores.zip(sides.zip(self.weight[at].chunks_exact(8)))
            {
                let before = f32x8::from_slice(simd, before);
                let after = (whole - before).max(f32x8::splat(simd, 0.0));
                let one = f32x8::splat(simd, 1.0);
                let (by_left, by_right) = (one / (before + l2), one / (after + l2));
                let in_left = f32x8::from_slice(simd, left) * by_left;
                let in_right = f32x8::from_slice(simd, right) * by_right;
                let n = f32x8::from_slice(simd, numerator) + (in_left + in_right);
                n.store_slice(numerator);
                let d = in_left * by_left * before + in_right * by_right * after;
                (f32x8::from_slice(simd, denominator) + d).store_slice(denominator);
            }
        }
    }
}

/// For each border of a feature: |G|² below it and above it, and W below it.
struct Sides<'a> {
    left: &'a mut [f32],
    right: &'a mut [f32],
    weight: &'a mut [f32],
}

/// The sum of a leaf's rows: of all cells of any feature.
#[inline(always)]
fn total_of<S: Simd, const Q: usize, const M: usize>(simd: S, cells: &[[f32; M]]) -> [f32x4<S>; Q] {
    let mut total = [f32x4::splat(simd, 0.0); Q];
    for cell in cells {
        for (total, both) in total.iter_mut().zip(cell.chunks_exact(8)) {
            *total += f32x4::from_slice(simd, &both[..4]);
        }
    }
    total
}

/// Sets W, and sets |G|² to the part of a block of classes or adds it, for two features at once and
/// four bins at a time, so that no sum over lanes is taken alone.
#[inline(always)]
fn add_pair<S: Simd, const Q: usize, const M: usize>(
    simd: S,
    mut sides: [Sides<'_>; 2],
    cells: &[[f32; M]],
    total: [f32x4<S>; Q],
    first: bool,
) {
    let zero = f32x8::splat(simd, 0.0);
    // The weight's lane is no class.
    let classes = f32x8::from_fn(simd, |lane| if lane % 4 == 3 { 0.0 } else { 1.0 });
    let mut totals = [zero; Q];
    for (both, total) in totals.iter_mut().zip(&total) {
        *both = simd.combine_f32x4(*total, *total);
    }
    totals[Q - 1] *= classes;
    let mut sums = [zero; Q];
    for (four, cells) in cells.chunks_exact(4).enumerate() {
        let (mut left, mut right, mut weight) = ([zero; 4], [zero; 4], [zero; 4]);
        for place in 0..4 {
            for (sum, lanes) in sums.iter_mut().zip(cells[place].chunks_exact(8)) {
                *sum += f32x8::from_slice(simd, lanes);
            }
            weight[place] = sums[Q - 1];
            let last = sums[Q - 1] * classes;
            let rest = totals[Q - 1] - last;
            (left[place], right[place]) = (last * last, rest * rest);
            for (sum, total) in sums[..Q - 1].iter().zip(&totals) {
                let rest = *total - *sum;
                left[place] += *sum * *sum;
                right[place] += rest * rest;
            }
        }
        let at = 4 * four..4 * four + 4;
        let (left, right) = (across(simd, left), across(simd, right));
        let weight = lasts(simd, weight);
        for half in 0..2 {
            let sides = &mut sides[half];
            add(simd, left[half], first, &mut sides.left[at.clone()]);
            add(simd, right[half], first, &mut sides.right[at.clone()]);
            weight[half].store_slice(&mut sides.weight[at.clone()]);
        }
    }
}

/// Sets numbers, or adds to them.
#[inline(always)]
fn add<S: Simd>(simd: S, what: f32x4<S>, set: bool, to: &mut [f32]) {
    let sum = if set { what } else { what + f32x4::from_slice(simd, to) };
    sum.store_slice(to);
}

/// The sums over the lanes of four vectors' first halves, and over those of their second halves.
#[inline(always)]
fn across<S: Simd>(simd: S, [a, b, c, d]: [f32x8<S>; 4]) -> [f32x4<S>; 2] {
    let (a, b) = (simd.split_f32x8(a), simd.split_f32x8(b));
    let (c, d) = (simd.split_f32x8(c), simd.split_f32x8(d));
    [
        pairwise(simd, pairwise(simd, a.0, b.0), pairwise(simd, c.0, d.0)),
        pairwise(simd, pairwise(simd, a.1, b.1), pairwise(simd, c.1, d.1)),
    ]
}

/// The last lanes of four vectors' first halves, and those of their second halves.
#[inline(always)]
fn lasts<S: Simd>(simd: S, [a, b, c, d]: [f32x8<S>; 4]) -> [f32x4<S>; 2] {
    let (a, b) = (simd.split_f32x8(a), simd.split_f32x8(b));
    let (c, d) = (simd.split_f32x8(c), simd.split_f32x8(d));
    [
        a.0.unzip_high(b.0).unzip_high(c.0.unzip_high(d.0)),
        a.1.unzip_high(b.1).unzip_high(c.1.unzip_high(d.1)),
    ]
}

/// The sums of neighbouring lanes.
#[inline(always)]
fn pairwise<S: Simd>(_: S, a: f32x4<S>, b: f32x4<S>) -> f32x4<S> {
    a.unzip_low(b) + a.unzip_high(b)
}
