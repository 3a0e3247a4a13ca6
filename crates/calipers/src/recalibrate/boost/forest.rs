//! Symmetric trees, grown.

use serde::{Deserialize, Serialize};

use super::{FACTORS, Forest};

/// Grown trees.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SymmetricForest {
    classes: usize,
    trees: Vec<Tree>,
    /// Feature and bin of each split, the first of a tree deciding the highest bit of the leaf.
    splits: Vec<(u32, u8)>,
    /// For each leaf and class, what probabilities are multiplied by.
    factors: Vec<f64>,
}

/// Where a tree's splits and leaves are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Tree {
    splits: usize,
    at: usize,
    leaf: usize,
}

/// Room for so many leaf values is set aside before the first tree; a forest that needs more,
/// which takes long to grow anyway, finds it as it goes.
const MOST_RESERVED: usize = 1 << 24;

impl SymmetricForest {
    /// No trees yet, and room for so many.
    pub fn with_room(classes: usize, trees: usize, depth: usize) -> Self {
        let values = trees.saturating_mul(classes << depth);
        Self {
            classes,
            trees: Vec::with_capacity(trees),
            splits: Vec::with_capacity(trees * depth),
            factors: Vec::with_capacity(values.min(MOST_RESERVED)),
        }
    }

    /// Adds a tree that moves nothing yet.
    pub fn plant(&mut self, splits: impl Iterator<Item = (u32, u8)>) {
        let (at, leaf) = (self.splits.len(), self.factors.len() / self.classes);
        self.splits.extend(splits);
        let splits = self.splits.len() - at;
        self.factors.resize(self.factors.len() + (self.classes << splits), 1.0);
        self.trees.push(Tree { splits, at, leaf });
    }

    /// Sets the factors of a leaf of the last tree.
    pub fn set(&mut self, leaf: usize, factors: &[f64]) {
        if let Some(tree) = self.trees.last() {
            let at = (tree.leaf + leaf) * self.classes;
            self.factors[at..at + self.classes].copy_from_slice(factors);
        }
    }
}

impl Forest for SymmetricForest {
    const NAME: &'static str = "boost";

    fn rounds(&self) -> usize {
        self.trees.len()
    }

    fn truncate(&mut self, rounds: usize) {
        if let Some(tree) = self.trees.get(rounds).copied() {
            self.trees.truncate(rounds);
            self.splits.truncate(tree.at);
            self.factors.truncate(tree.leaf * self.classes);
        }
    }

    #[inline]
    fn apply(&self, round: usize, bins: &[u8], probs: &mut [f64]) {
        let tree = self.trees[round];
        let splits = &self.splits[tree.at..tree.at + tree.splits];
        let side = |leaf, &(feature, bin): &(u32, u8)| {
            2 * leaf + usize::from(bins[feature as usize] > bin)
        };
        let leaf = tree.leaf + splits.iter().fold(0, side);
        let factors = &self.factors[leaf * self.classes..(leaf + 1) * self.classes];
        probs.iter_mut().zip(factors).for_each(|(p, factor)| *p *= factor);
    }

    fn is_sound(&self, features: usize, classes: usize) -> bool {
        let end = Tree { splits: 0, at: self.splits.len(), leaf: self.factors.len() / classes };
        let ends = self.trees.iter().skip(1).chain([&end]);
        self.classes == classes
            && self.factors.len() == end.leaf * classes
            && self.trees.first().is_none_or(|tree| tree.at == 0 && tree.leaf == 0)
            && self.trees.iter().zip(ends).all(|(tree, next)| {
                tree.splits < 32
                    && tree.at.checked_add(tree.splits) == Some(next.at)
                    && tree.leaf.checked_add(1 << tree.splits) == Some(next.leaf)
            })
            && self.splits.iter().all(|&(feature, _)| (feature as usize) < features)
            && self.factors.iter().all(|factor| FACTORS.contains(factor))
    }
}
