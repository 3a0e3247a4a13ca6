//! The best split of a level of a symmetric tree, over every border of every feature.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x4, f32x8};

use super::Rows;
use super::chance::Chance;
use super::histogram::{Histograms, Shape, fill, load};
use super::leaf::Padded;

/// Classes of a block: with the weight, 32 numbers, which stay in vector registers.
const BLOCK: usize = 31;

/// A leaf with at most this many rows is scored row by row; with more, bin by bin.
const FEW: usize = 12;

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
    /// For each bin of the features taken together: as in [`Sides`].
    left: Vec<f32>,
    right: Vec<f32>,
    weight: Vec<f32>,
    /// For each bin of each feature: N and D, then the score.
    numerators: Vec<f32>,
    denominators: Vec<f32>,
    /// How N and D change from bin to bin in the leaves that have few rows.
    steps: Vec<[f32; 2]>,
    /// Where they start.
    base: [f32; 2],
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
    pub fn new(rows: &Rows, depth: usize, l2: f64) -> Self {
        let lanes = match rows.classes {
            ..=3 => 4,
            4..=7 => 8,
            8..=11 => 12,
            12..=15 => 16,
            16..=23 => 24,
            _ => BLOCK + 1,
        };
        let shape = Shape::new(rows, lanes, rows.classes.div_ceil(BLOCK));
        let bins = vec![0.0; shape.together * shape.bins];
        let candidates = vec![0.0; shape.features * shape.bins];
        Self {
            shape,
            l2: l2 as f32,
            gradients: vec![0.0; shape.blocks * rows.len() * lanes],
            histograms: Histograms::new(shape, rows.len(), depth),
            left: bins.clone(),
            right: bins.clone(),
            weight: bins,
            numerators: candidates.clone(),
            denominators: candidates,
            steps: vec![[0.0; 2]; shape.features * shape.bins],
            base: [0.0; 2],
            level: Level::new(),
        }
    }

    /// Takes the gradients w(y − p), for a new tree.
    pub fn prepare(&mut self, rows: &Rows, probs: &Padded, chance: &mut Chance) {
        let level = self.level;
        let squares = dispatch!(level, simd => self.take_gradients(simd, rows, probs));
        chance.begin(squares);
    }

    /// Returns the sum of the gradients' squares.
    #[inline(always)]
    fn take_gradients<S: Simd>(&mut self, _: S, rows: &Rows, probs: &Padded) -> f64 {
        let (lanes, blocks) = (self.shape.lanes, self.shape.blocks);
        let mut squares = [0.0; 4];
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
                    for lane in 0..4 {
                        let scaled = weight * quad[lane];
                        target[lane] = -scaled as f32;
                        squares[lane] += scaled * scaled;
                    }
                }
                for (target, p) in others.iter_mut().zip(rest) {
                    *target = (-weight * p) as f32;
                    squares[0] += (weight * p).powi(2);
                }
                let label = label as usize;
                if (from..to).contains(&label) {
                    gradient[label - from] += weight as f32;
                    squares[0] += weight * weight * (1.0 - 2.0 * probs[label]);
                }
                gradient[lanes - 1] = weight as f32;
            }
        }
        squares.iter().sum()
    }

    /// The split with the highest score, the first of several; none if no feature has a border.
    pub fn best(&mut self, rows: &Rows, leaves: Leaves<'_>, chance: &mut Chance) -> Option<Split> {
        self.numerators.fill(0.0);
        self.denominators.fill(0.0);
        self.steps.fill([0.0; 2]);
        self.base = [0.0; 2];
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
            4 => dispatch!(level, simd => self.score::<_, f32x4<_>, 1, 4>(simd, rows, leaves)),
            8 => dispatch!(level, simd => self.score::<_, f32x4<_>, 2, 8>(simd, rows, leaves)),
            12 => dispatch!(level, simd => self.score::<_, f32x4<_>, 3, 12>(simd, rows, leaves)),
            16 => dispatch!(level, simd => self.score::<_, f32x8<_>, 2, 16>(simd, rows, leaves)),
            24 => dispatch!(level, simd => self.score::<_, f32x8<_>, 3, 24>(simd, rows, leaves)),
            _ => dispatch!(level, simd => self.score::<_, f32x8<_>, 4, 32>(simd, rows, leaves)),
        }
        let mut best = (f32::NEG_INFINITY, None);
        for (feature, &borders) in rows.borders.iter().enumerate() {
            let at = feature * self.shape.bins;
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

    /// Scores every candidate.
    #[inline(always)]
    fn score<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        leaves: Leaves<'_>,
    ) {
        for first in (0..rows.features).step_by(self.shape.together) {
            let features = first..(first + self.shape.together).min(rows.features);
            for pair in (0..leaves.count()).step_by(2) {
                let other = (pair + 1).min(leaves.count() - 1);
                let (small, large) = match leaves.rows(other).len() > leaves.rows(pair).len() {
                    true => (pair, other),
                    false => (other, pair),
                };
                let inherited = self.histograms.is_inherited(large);
                if small != large && !leaves.rows(small).is_empty() {
                    if inherited || !self.has_few(leaves.rows(small)) {
                        self.fill::<S, V, Q, N>(simd, rows, leaves.rows(small), small, &features);
                    }
                    self.add_leaf::<S, V, Q, N>(simd, rows, leaves.rows(small), small, &features);
                    if inherited {
                        self.histograms.subtract::<S, V>(simd, large, small, &features);
                    }
                }
                if !leaves.rows(large).is_empty() {
                    if !inherited && !self.has_few(leaves.rows(large)) {
                        self.fill::<S, V, Q, N>(simd, rows, leaves.rows(large), large, &features);
                    }
                    self.add_leaf::<S, V, Q, N>(simd, rows, leaves.rows(large), large, &features);
                }
            }
        }
        self.finish();
    }

    #[inline(always)]
    fn fill<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        rows_of_leaf: &[u32],
        leaf: usize,
        features: &Range<usize>,
    ) {
        let histogram = self.histograms.of(leaf, features);
        fill::<S, V, Q, N>(simd, rows, &self.gradients, rows_of_leaf, features, histogram);
    }

    /// Turns N and D into scores.
    #[inline(always)]
    fn finish(&mut self) {
        let bins = self.shape.bins;
        let parts =
            self.numerators.chunks_exact_mut(bins).zip(self.denominators.chunks_exact(bins));
        for ((numerators, denominators), steps) in parts.zip(self.steps.chunks_exact(bins)) {
            let [mut n, mut d] = self.base;
            for ((numerator, denominator), step) in
                numerators.iter_mut().zip(denominators).zip(steps)
            {
                n += step[0];
                d += step[1];
                *numerator = (*numerator + n) / (denominator + d + f32::MIN_POSITIVE).sqrt();
            }
        }
    }

    fn has_few(&self, leaf: &[u32]) -> bool {
        leaf.len() <= FEW && self.shape.blocks == 1
    }

    /// Adds a leaf's part of the scores of some features.
    #[inline(always)]
    fn add_leaf<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        rows_of_leaf: &[u32],
        leaf: usize,
        features: &Range<usize>,
    ) {
        if self.has_few(rows_of_leaf) {
            return self.add_few::<S, V, Q, N>(simd, rows, rows_of_leaf, features);
        }
        let (cells, _) = self.histograms.of(leaf, features).as_chunks::<N>();
        let bins = self.shape.bins;
        let mut weight = 0.0;
        for (block, cells) in cells.chunks_exact(features.len() * bins).enumerate() {
            // Every feature's cells add up to the same.
            let total = total_of::<S, V, Q, N>(simd, &cells[..bins]);
            weight = total[Q - 1].as_slice()[V::LEN - 1];
            for (place, feature) in features.clone().enumerate() {
                let at = place * bins..place * bins + rows.borders[feature];
                let sides = Sides {
                    left: &mut self.left[at.clone()],
                    right: &mut self.right[at.clone()],
                    weight: &mut self.weight[at.clone()],
                };
                sides.add_block::<S, V, Q, N>(simd, &cells[at], total, block == 0);
            }
        }
        for (place, feature) in features.clone().enumerate() {
            let at = feature * bins..feature * bins + rows.borders[feature];
            let scores = self.numerators[at.clone()].iter_mut().zip(&mut self.denominators[at]);
            let at = place * bins..(place + 1) * bins;
            let sides = self.left[at.clone()].iter().zip(&self.right[at.clone()]);
            for ((numerator, denominator), ((left, right), &before)) in
                scores.zip(sides.zip(&self.weight[at]))
            {
                let after = (weight - before).max(0.0);
                let (by_left, by_right) = (1.0 / (before + self.l2), 1.0 / (after + self.l2));
                let (in_left, in_right) = (left * by_left, right * by_right);
                *numerator += in_left + in_right;
                *denominator += in_left * by_left * before + in_right * by_right * after;
            }
        }
    }
}

impl Search {
    /// The same for a leaf with few rows, most of whose bins would be empty: the rows cross each
    /// border in turn, and only then does a score change.
    #[inline(always)]
    fn add_few<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        leaf: &[u32],
        features: &Range<usize>,
    ) {
        let (gradients, _) = self.gradients.as_chunks::<N>();
        let classes: V = classes(simd);
        let mut cells = [[V::splat(simd, 0.0); Q]; FEW];
        let mut weights = [0.0f32; FEW];
        let mut total = [V::splat(simd, 0.0); Q];
        let mut weight = 0.0;
        for ((cell, cell_weight), &row) in cells.iter_mut().zip(&mut weights).zip(leaf) {
            let gradient = &gradients[row as usize];
            *cell = load::<S, V, Q, N>(simd, gradient);
            cell[Q - 1] *= classes;
            *cell_weight = gradient[N - 1];
            weight += gradient[N - 1];
            total.iter_mut().zip(&*cell).for_each(|(total, cell)| *total += *cell);
        }
        let share = |square: f32, weight: f32| {
            let mean = square / (weight + self.l2);
            [mean, mean / (weight + self.l2) * weight]
        };
        let whole = share(square(total), weight);
        if features.start == 0 {
            self.base[0] += whole[0];
            self.base[1] += whole[1];
        }
        if leaf.len() == 1 {
            return;
        }
        let mut keys = [0u16; FEW];
        for feature in features.clone() {
            let keys = &mut keys[..leaf.len()];
            for (place, (key, &row)) in keys.iter_mut().zip(leaf).enumerate() {
                *key = u16::from(rows.bins[row as usize * rows.features + feature]) << 8
                    | place as u16;
            }
            keys.sort_unstable();
            if keys[0] >> 8 == keys[keys.len() - 1] >> 8 {
                continue;
            }
            let steps = &mut self.steps[feature * self.shape.bins..(feature + 1) * self.shape.bins];
            let mut sum = [V::splat(simd, 0.0); Q];
            let mut before = 0.0;
            let mut current = whole;
            for (at, &key) in keys.iter().enumerate() {
                let place = usize::from(key & 0xff);
                sum.iter_mut().zip(&cells[place]).for_each(|(sum, cell)| *sum += *cell);
                before += weights[place];
                let bin = key >> 8;
                if keys.get(at + 1).is_some_and(|next| next >> 8 == bin) {
                    continue;
                }
                let mut rest = total;
                rest.iter_mut().zip(&sum).for_each(|(rest, sum)| *rest -= *sum);
                let (left, right) =
                    (share(square(sum), before), share(square(rest), (weight - before).max(0.0)));
                let next = [left[0] + right[0], left[1] + right[1]];
                let step = &mut steps[usize::from(bin)];
                step[0] += next[0] - current[0];
                step[1] += next[1] - current[1];
                current = next;
            }
        }
    }
}

/// 1 in the lanes of classes, 0 in that of the weight, for the last vector of a cell.
#[inline(always)]
fn classes<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S) -> V {
    V::from_fn(simd, |lane| if lane + 1 == V::LEN { 0.0 } else { 1.0 })
}

/// The sum of a leaf's rows: of all cells of any feature.
#[inline(always)]
fn total_of<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
    simd: S,
    cells: &[[f32; N]],
) -> [V; Q] {
    let mut total = [V::splat(simd, 0.0); Q];
    for cell in cells {
        for (total, cell) in total.iter_mut().zip(load::<S, V, Q, N>(simd, cell)) {
            *total += cell;
        }
    }
    total
}

/// For each border of a feature: |G|² to the left and to the right, and W to the left.
struct Sides<'a> {
    left: &'a mut [f32],
    right: &'a mut [f32],
    weight: &'a mut [f32],
}

impl Sides<'_> {
    /// Sets W, and sets |G|² to the part of a block of classes or adds it.
    #[inline(always)]
    fn add_block<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize, const N: usize>(
        self,
        simd: S,
        cells: &[[f32; N]],
        mut total: [V; Q],
        first: bool,
    ) {
        let classes: V = classes(simd);
        total[Q - 1] *= classes;
        let mut sum = [V::splat(simd, 0.0); Q];
        let mut so_far = 0.0f32;
        let mut squares = (0.0, square(total));
        let sides = self.left.iter_mut().zip(self.right).zip(self.weight);
        for (cell, ((left, right), weight)) in cells.iter().zip(sides) {
            if cell[N - 1] > 0.0 {
                so_far += cell[N - 1];
                for (sum, cell) in sum.iter_mut().zip(load::<S, V, Q, N>(simd, cell)) {
                    *sum += cell;
                }
                // The weight's lane is no class.
                sum[Q - 1] *= classes;
                let mut rest = total;
                rest.iter_mut().zip(&sum).for_each(|(rest, sum)| *rest -= *sum);
                squares = (square(sum), square(rest));
            }
            *left = if first { squares.0 } else { *left + squares.0 };
            *right = if first { squares.1 } else { *right + squares.1 };
            *weight = so_far;
        }
    }
}

/// Σ x² over all lanes.
#[inline(always)]
fn square<S: Simd, V: SimdFloat<S, Element = f32>, const Q: usize>(quads: [V; Q]) -> f32 {
    let mut sum = quads[0] * quads[0];
    for quad in &quads[1..] {
        sum += *quad * *quad;
    }
    sum.reduce_sum()
}
