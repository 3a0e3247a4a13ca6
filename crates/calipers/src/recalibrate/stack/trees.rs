//! Cheap randomised symmetric trees, whose leaves hold a value for each class.

use fearless_simd::{Level, Simd, dispatch, f32x8, f64x8, prelude::*};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::forest::{Forest, Split, advance, divide};
use super::rows::{LANES, Lanes, StackRows};
use super::search::{CANDIDATES, Drawn, Search, UNIT, add};
use crate::numeric::simd::exp;
use crate::run::stop;

/// Splits of a tree, and what is added to the curvature of a leaf.
const DEPTH: usize = 4;
const RIDGE: f32 = 2.0;

/// No leaf moves a log-score by more than this.
const LARGEST_STEP: f32 = 8.0;

/// Grows so many trees on the rows outside a bag, and moves all rows; shows these to `after` with the
/// number of trees so far.
///
/// A tree draws each row with probability ½. Each of its levels draws two features and takes the best
/// of all their borders ([`Search`]). A leaf's step is G/(H + 2), where G is the sum of w(y − p) and H
/// of w p(1 − p) over its drawn rows. Cost of a tree: rows × classes × (levels + 2).
pub(super) fn grow(
    rows: &StackRows,
    bag: usize,
    trees: usize,
    seed: u64,
    mut after: impl FnMut(usize, &[Lanes]),
) -> Forest {
    let mut grower = Grower::new(rows, bag, seed);
    let mut forest = Forest::new(rows.classes);
    let level = Level::new();
    for tree in (1..=trees).take_while(|_| !stop::requested()) {
        match rows.width() {
            1 => dispatch!(level, simd => grower.grow::<_, 1>(simd, &mut forest)),
            2 => dispatch!(level, simd => grower.grow::<_, 2>(simd, &mut forest)),
            3 => dispatch!(level, simd => grower.grow::<_, 3>(simd, &mut forest)),
            4 => dispatch!(level, simd => grower.grow::<_, 4>(simd, &mut forest)),
            _ => dispatch!(level, simd => grower.grow::<_, 0>(simd, &mut forest)),
        }
        after(tree, &grower.probs);
    }
    forest
}

/// The memory for growing one tree after another.
struct Grower<'a> {
    rows: &'a StackRows,
    bag: usize,
    /// The features that have borders.
    features: Vec<usize>,
    draws: ChaCha8Rng,
    /// Each row's probabilities.
    probs: Vec<Lanes>,
    drawn: Drawn,
    /// Each row's leaf.
    codes: Vec<u8>,
    search: Search,
    splits: Vec<Split>,
    /// For each leaf, the sum of the gradients, then what probabilities are multiplied by.
    leaves: Vec<Lanes>,
    curvatures: Vec<Lanes>,
}

impl<'a> Grower<'a> {
    fn new(rows: &'a StackRows, bag: usize, seed: u64) -> Self {
        let (width, most) = (rows.width(), 1 << DEPTH);
        let gradients = vec![[0.0; LANES]; rows.len() * width];
        Self {
            rows,
            bag,
            features: (0..rows.borders.len())
                .filter(|&feature| rows.borders[feature] > 0)
                .collect(),
            draws: ChaCha8Rng::seed_from_u64(seed),
            probs: rows.start.clone(),
            drawn: Drawn { rows: Vec::with_capacity(rows.len()), gradients },
            codes: vec![0; rows.len()],
            search: Search::new(most / 2, width),
            splits: Vec::with_capacity(DEPTH),
            leaves: vec![[0.0; LANES]; most * width],
            curvatures: vec![[0.0; LANES]; most * width],
        }
    }

    #[inline(always)]
    fn grow<S: Simd, const Q: usize>(&mut self, simd: S, forest: &mut Forest) {
        self.draw();
        self.take_gradients::<S, Q>(simd);
        self.codes.fill(0);
        self.splits.clear();
        if self.features.is_empty() {
            self.add_up::<S, Q>(simd);
        } else {
            for _ in 0..DEPTH {
                self.split::<S, Q>(simd);
            }
        }
        self.take_steps::<S, Q>(simd);
        let leaves = &self.leaves[..self.rows.width() << self.splits.len()];
        forest.plant(&self.splits, leaves);
        advance::<S, Q>(simd, &self.codes, leaves, self.rows.width(), &mut self.probs);
    }

    /// Draws the tree's rows: of each a bit of chance, except those of the bag.
    fn draw(&mut self) {
        self.drawn.rows.clear();
        let rows = self.rows.len();
        // Bags take turns, eight of them, so that one word is like another.
        let others = !((u64::MAX / 255) << self.bag);
        for first in (0..rows).step_by(64) {
            let past_the_end = u64::MAX.checked_shl((rows - first) as u32).unwrap_or(0);
            let mut bits = self.draws.next_u64() & others & !past_the_end;
            while bits != 0 {
                self.drawn.rows.push((first as u32) + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    #[inline(always)]
    fn take_gradients<S: Simd, const Q: usize>(&mut self, simd: S) {
        let width = if Q == 0 { self.rows.width() } else { Q };
        let gradients = self.drawn.gradients.chunks_exact_mut(width);
        for (gradient, &row) in gradients.zip(&self.drawn.rows) {
            let row = row as usize;
            let weight = self.rows.weights[row];
            let probs = &self.probs[row * width..(row + 1) * width];
            for vector in 0..width {
                let p = f32x8::load_array_ref(simd, &probs[vector]);
                (p * -weight).store_array(&mut gradient[vector]);
            }
            let gradient = gradient.as_flattened_mut();
            gradient[self.rows.labels[row] as usize] += weight;
            gradient[self.rows.classes] = weight * UNIT;
        }
    }

    /// Splits every leaf in two.
    #[inline(always)]
    fn split<S: Simd, const Q: usize>(&mut self, simd: S) {
        let leaves = (self.codes.as_slice(), 1 << self.splits.len());
        let candidates = draw_two(&self.features, &mut self.draws);
        let split = self.search.best::<S, Q>(
            simd,
            self.rows,
            &self.drawn,
            leaves,
            candidates,
            &mut self.leaves,
        );
        divide(&mut self.codes, &self.rows.places[split.feature as usize], split.border);
        self.splits.push(split);
    }

    /// Sums the gradients of a tree without splits.
    #[inline(always)]
    fn add_up<S: Simd, const Q: usize>(&mut self, simd: S) {
        let width = self.rows.width();
        self.leaves[..width].fill([0.0; LANES]);
        let gradients = self.drawn.gradients.chunks_exact(width).take(self.drawn.rows.len());
        gradients.for_each(|gradient| add::<S, Q>(simd, gradient, &mut self.leaves));
    }

    /// Turns each leaf's sum of gradients into what probabilities are multiplied by.
    #[inline(always)]
    fn take_steps<S: Simd, const Q: usize>(&mut self, simd: S) {
        let width = if Q == 0 { self.rows.width() } else { Q };
        let size = width << self.splits.len();
        let curvatures = &mut self.curvatures[..size];
        curvatures.fill([0.0; LANES]);
        for &row in &self.drawn.rows {
            let row = row as usize;
            let at = self.codes[row] as usize * width;
            let probs = &self.probs[row * width..(row + 1) * width];
            let sums = &mut curvatures[at..at + width];
            let weight = self.rows.weights[row];
            for vector in 0..width {
                let p = f32x8::load_array_ref(simd, &probs[vector]);
                let sum = f32x8::load_array_ref(simd, &sums[vector]);
                (sum + (p - p * p) * weight).store_array(&mut sums[vector]);
            }
        }
        let leaves = self.leaves[..size].chunks_exact_mut(width);
        for (steps, curvatures) in leaves.zip(curvatures.chunks_exact(width)) {
            for (step, curvature) in steps.iter_mut().zip(curvatures) {
                let curvature = f32x8::load_array_ref(simd, curvature) + RIDGE;
                let moved = f32x8::load_array_ref(simd, step) / curvature;
                *step = exponentials(simd, moved.to_array());
            }
            steps.as_flattened_mut()[self.rows.classes..].fill(0.0);
        }
    }
}

/// The exponential of each step, none larger than [`LARGEST_STEP`].
#[inline(always)]
fn exponentials<S: Simd>(simd: S, steps: [f32; LANES]) -> [f32; LANES] {
    let steps = steps.map(|step| f64::from(step.clamp(-LARGEST_STEP, LARGEST_STEP)));
    exp(simd, f64x8::load_array(simd, steps)).to_array().map(|factor| factor as f32)
}

/// Two different features, or one twice if there is no other.
pub(super) fn draw_two(features: &[usize], draws: &mut impl Rng) -> [usize; CANDIDATES] {
    let count = features.len();
    let first = draws.random_range(0..count);
    let second = (first + draws.random_range(1..count.max(2))) % count;
    [features[first], features[second]]
}
