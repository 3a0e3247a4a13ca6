//! Symmetric trees of random splits, whose leaves hold a value for each class.

use fearless_simd::{Level, Simd, dispatch, f32x8, f64x8, prelude::*};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::forest::{Forest, Split, advance, divide, is_due, scale};
use super::growth::Growth;
use super::rows::{LANES, Lanes, StackRows};
use crate::numeric::simd::exp;
use crate::run::stop;

/// What is added to the curvature of a leaf.
const RIDGE: f32 = 2.0;

/// No leaf moves a log-score by more than this.
const LARGEST_STEP: f32 = 8.0;

/// Grows trees on the rows outside a bag, and moves all rows; shows these to `after` whenever there are as
/// many trees as make a member.
///
/// A tree draws each row with probability ½. Each of its levels splits all leaves at a border of a
/// feature, both drawn by chance: whichever it is, the leaves' values are fitted, and the next trees
/// mend what is left; a search for the best gained nothing. A leaf's step is [`Growth::rate`] times
/// G/(H + 2), where G is the sum of w(y − p) and H of w p(1 − p) over its drawn rows. Cost of a tree:
/// rows × (2 classes + levels).
///
/// ## Reference
/// Geurts, Ernst and Wehenkel, *Extremely randomized trees*, 2006; Friedman, *Stochastic gradient
/// boosting*, 2002.
pub(super) fn grow(
    rows: &StackRows,
    growth: &Growth,
    bag: usize,
    seed: u64,
    mut after: impl FnMut(&[Lanes]),
) -> Forest {
    let mut grower = Grower::new(rows, growth, bag, seed);
    let mut forest = Forest::new(rows.classes);
    let level = Level::new();
    for tree in (1..=growth.trees()).take_while(|_| !stop::requested()) {
        let is_member = growth.members.contains(&tree);
        let normalise = is_member || is_due(tree);
        match rows.width() {
            1 => dispatch!(level, simd => grower.grow::<_, 1>(simd, &mut forest, normalise)),
            2 => dispatch!(level, simd => grower.grow::<_, 2>(simd, &mut forest, normalise)),
            3 => dispatch!(level, simd => grower.grow::<_, 3>(simd, &mut forest, normalise)),
            4 => dispatch!(level, simd => grower.grow::<_, 4>(simd, &mut forest, normalise)),
            _ => dispatch!(level, simd => grower.grow::<_, 0>(simd, &mut forest, normalise)),
        }
        if is_member {
            after(&grower.probs);
        }
    }
    forest
}

/// The memory for growing one tree after another.
struct Grower<'a> {
    rows: &'a StackRows,
    growth: &'a Growth,
    bag: usize,
    /// The features that have borders.
    features: Vec<usize>,
    draws: ChaCha8Rng,
    /// Each row's probabilities, up to a factor.
    probs: Vec<Lanes>,
    /// The rows that the tree learns from.
    drawn: Vec<u32>,
    /// Each row's leaf.
    codes: Vec<u8>,
    splits: Vec<Split>,
    /// For each leaf, Σ w p, then what probabilities are multiplied by; Σ w y, apart from it, because what
    /// was just written to one class cannot be read with all others without a wait; and Σ w p(1 − p).
    leaves: Vec<Lanes>,
    observed: Vec<Lanes>,
    curvatures: Vec<Lanes>,
}

impl<'a> Grower<'a> {
    fn new(rows: &'a StackRows, growth: &'a Growth, bag: usize, seed: u64) -> Self {
        let (width, most) = (rows.width(), 1 << growth.depth);
        Self {
            rows,
            growth,
            bag,
            features: (0..rows.borders.len())
                .filter(|&feature| rows.borders[feature] > 0)
                .collect(),
            draws: ChaCha8Rng::seed_from_u64(seed),
            probs: rows.start.clone(),
            drawn: Vec::with_capacity(rows.len()),
            codes: vec![0; rows.len()],
            splits: Vec::with_capacity(growth.depth),
            leaves: vec![[0.0; LANES]; most * width],
            observed: vec![[0.0; LANES]; most * width],
            curvatures: vec![[0.0; LANES]; most * width],
        }
    }

    #[inline(always)]
    fn grow<S: Simd, const Q: usize>(&mut self, simd: S, forest: &mut Forest, normalise: bool) {
        self.draw();
        self.codes.fill(0);
        self.splits.clear();
        let depth = if self.features.is_empty() { 0 } else { self.growth.depth };
        for _ in 0..depth {
            self.split();
        }
        self.take_steps::<S, Q>(simd);
        let leaves = &self.leaves[..self.rows.width() << self.splits.len()];
        forest.plant(&self.splits, leaves);
        advance::<S, Q>(simd, &self.codes, leaves, self.rows.width(), &mut self.probs, normalise);
    }

    /// Draws the tree's rows: of each a bit of chance, except those of the bag.
    fn draw(&mut self) {
        self.drawn.clear();
        let rows = self.rows.len();
        // Bags take turns, eight of them, so that one word is like another.
        let others = !((u64::MAX / 255) << self.bag);
        for first in (0..rows).step_by(64) {
            let past_the_end = u64::MAX.checked_shl((rows - first) as u32).unwrap_or(0);
            let mut bits = self.draws.next_u64() & others & !past_the_end;
            while bits != 0 {
                self.drawn.push((first as u32) + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Splits every leaf in two, at any border of any feature.
    fn split(&mut self) {
        let feature = self.features[self.draws.random_range(0..self.features.len())];
        let border = self.draws.random_range(0..self.rows.borders[feature]) as u8;
        divide(&mut self.codes, &self.rows.places[feature], border);
        self.splits.push(Split { feature: feature as u32, border });
    }

    /// Writes what each leaf multiplies probabilities by.
    #[inline(always)]
    fn take_steps<S: Simd, const Q: usize>(&mut self, simd: S) {
        let width = if Q == 0 { self.rows.width() } else { Q };
        let size = width << self.splits.len();
        let (expected, curvatures) = (&mut self.leaves[..size], &mut self.curvatures[..size]);
        let observed = &mut self.observed[..size];
        expected.fill([0.0; LANES]);
        curvatures.fill([0.0; LANES]);
        observed.fill([0.0; LANES]);
        for &row in &self.drawn {
            let row = row as usize;
            let at = self.codes[row] as usize * width;
            let probs = &self.probs[row * width..(row + 1) * width];
            let (expected, curvature) =
                (&mut expected[at..at + width], &mut curvatures[at..at + width]);
            let weight = self.rows.weights[row];
            let scale = scale(simd, probs);
            for vector in 0..width {
                let p = f32x8::load_array_ref(simd, &probs[vector]) * scale;
                let weighted = p * weight;
                let sum = f32x8::load_array_ref(simd, &expected[vector]);
                (sum + weighted).store_array(&mut expected[vector]);
                let sum = f32x8::load_array_ref(simd, &curvature[vector]);
                (sum + (weighted - weighted * p)).store_array(&mut curvature[vector]);
            }
            let label = self.rows.labels[row] as usize;
            observed[at..at + width].as_flattened_mut()[label] += weight;
        }
        let leaves = expected.chunks_exact_mut(width).zip(observed.chunks_exact(width));
        for ((steps, observed), curvatures) in leaves.zip(curvatures.chunks_exact(width)) {
            for ((step, observed), curvature) in steps.iter_mut().zip(observed).zip(curvatures) {
                let gradient =
                    f32x8::load_array_ref(simd, observed) - f32x8::load_array_ref(simd, step);
                let curvature = f32x8::load_array_ref(simd, curvature) + RIDGE;
                let moved = gradient * self.growth.rate / curvature;
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
