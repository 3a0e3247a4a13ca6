//! Grown trees, and what they predict.

use std::ops::{Range, RangeInclusive};

use fearless_simd::{Simd, f32x8, prelude::*};
use serde::{Deserialize, Serialize};

use super::rows::{Lanes, pad, width};

/// What a loaded leaf may multiply a probability by: more than exp(±8), the largest step of a tree that is
/// grown, and still so little that probabilities neither overflow nor vanish.
const FACTORS: RangeInclusive<f32> = 1e-6..=1e6;

/// Probabilities are kept above this, so that no class is lost for good.
const LEAST: f32 = 1e-30;

/// A border of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Split {
    pub feature: u32,
    /// A row goes right if more borders than this lie below its value.
    pub border: u8,
}

/// Grown trees.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "SavedForest", into = "SavedForest")]
pub(super) struct Forest {
    classes: usize,
    trees: Vec<Tree>,
}

#[derive(Debug, Clone)]
struct Tree {
    /// One a level; the first decides the highest bit of the leaf's number.
    splits: Vec<Split>,
    /// For each leaf and class, what probabilities are multiplied by; filled up to whole vectors.
    leaves: Vec<Lanes>,
}

/// A forest as it is saved: without what fills up.
#[derive(Serialize, Deserialize)]
struct SavedForest {
    classes: usize,
    trees: Vec<SavedTree>,
}

#[derive(Serialize, Deserialize)]
struct SavedTree {
    splits: Vec<Split>,
    factors: Vec<f32>,
}

impl From<Forest> for SavedForest {
    fn from(forest: Forest) -> Self {
        let classes = forest.classes;
        let saved = |tree: Tree| {
            let leaves = tree.leaves.chunks_exact(width(classes));
            let factors = leaves.flat_map(|leaf| &leaf.as_flattened()[..classes]).copied();
            SavedTree { factors: factors.collect(), splits: tree.splits }
        };
        Self { classes, trees: forest.trees.into_iter().map(saved).collect() }
    }
}

impl From<SavedForest> for Forest {
    fn from(saved: SavedForest) -> Self {
        let classes = saved.classes;
        let tree = |SavedTree { splits, factors }: SavedTree| {
            let is_whole = classes > 0 && factors.len().is_multiple_of(classes);
            Tree { splits, leaves: if is_whole { pad(&factors, classes) } else { Vec::new() } }
        };
        Self { classes, trees: saved.trees.into_iter().map(tree).collect() }
    }
}

impl Forest {
    pub fn new(classes: usize) -> Self {
        Self { classes, trees: Vec::new() }
    }

    /// Adds a tree.
    pub fn plant(&mut self, splits: &[Split], leaves: &[Lanes]) {
        self.trees.push(Tree { splits: splits.to_vec(), leaves: leaves.to_vec() });
    }

    /// Moves rows by some of the trees, given each feature's places of the rows.
    #[inline(always)]
    pub fn advance<S: Simd>(
        &self,
        simd: S,
        trees: Range<usize>,
        places: &[Vec<u8>],
        codes: &mut [u8],
        probs: &mut [Lanes],
    ) {
        let width = width(self.classes);
        let last = trees.end;
        for (number, tree) in trees.clone().zip(&self.trees[trees]) {
            codes.fill(0);
            for split in &tree.splits {
                divide(codes, &places[split.feature as usize], split.border);
            }
            let leaves = &tree.leaves;
            let normalise = is_due(number + 1) || number + 1 == last;
            match width {
                1 => advance::<S, 1>(simd, codes, leaves, width, probs, normalise),
                2 => advance::<S, 2>(simd, codes, leaves, width, probs, normalise),
                3 => advance::<S, 3>(simd, codes, leaves, width, probs, normalise),
                4 => advance::<S, 4>(simd, codes, leaves, width, probs, normalise),
                _ => advance::<S, 0>(simd, codes, leaves, width, probs, normalise),
            }
        }
    }

    pub fn is_sound(&self, features: usize, classes: usize, trees: usize) -> bool {
        self.classes == classes
            && self.trees.len() == trees
            && self.trees.iter().all(|tree| {
                tree.splits.len() < 8
                    && tree.leaves.len() == width(classes) << tree.splits.len()
                    && tree.splits.iter().all(|split| (split.feature as usize) < features)
                    && tree.leaves.chunks_exact(width(classes)).all(|leaf| {
                        let factors = &leaf.as_flattened()[..classes];
                        factors.iter().all(|factor| FACTORS.contains(factor))
                    })
            })
    }
}

/// Appends to each row's leaf the side of a border that it lies on.
#[inline(always)]
pub(super) fn divide(codes: &mut [u8], places: &[u8], border: u8) {
    for (code, place) in codes.iter_mut().zip(places) {
        *code = 2 * *code + u8::from(*place > border);
    }
}

/// Whether rows are normalised after so many trees: adding up a row takes longer than moving it, and the
/// factors of so few trees together neither overflow nor vanish.
pub(super) fn is_due(trees: usize) -> bool {
    trees.is_multiple_of(4)
}

/// Multiplies each row's probabilities by its leaf's factors, and normalises them if asked to. Q is the
/// width, if it is known.
#[inline(always)]
pub(super) fn advance<S: Simd, const Q: usize>(
    simd: S,
    codes: &[u8],
    leaves: &[Lanes],
    width: usize,
    probs: &mut [Lanes],
    normalise: bool,
) {
    let width = if Q == 0 { width } else { Q };
    for (row, &code) in probs.chunks_exact_mut(width).zip(codes) {
        let leaf = &leaves[code as usize * width..(code as usize + 1) * width];
        for (p, factor) in row.iter_mut().zip(leaf) {
            let factor = f32x8::load_array_ref(simd, factor);
            (f32x8::load_array_ref(simd, p) * factor).store_array(p);
        }
    }
    if normalise {
        let least = f32x8::splat(simd, LEAST);
        for row in probs.chunks_exact_mut(width) {
            let scale = scale(simd, row);
            for p in row {
                (f32x8::load_array_ref(simd, p) * scale).max(least).store_array(p);
            }
        }
    }
}

/// What a row is to be multiplied by to add up to 1.
#[inline(always)]
pub(super) fn scale<S: Simd>(simd: S, row: &[Lanes]) -> f32 {
    let mut sum = f32x8::splat(simd, 0.0);
    for p in row {
        sum += f32x8::load_array_ref(simd, p);
    }
    1.0 / sum.reduce_sum()
}
