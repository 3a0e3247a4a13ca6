//! Symmetric trees on any number of features and classes, grown level by level.

use super::BinnedRows;
use super::chance::Chance;
use super::forest::SymmetricForest;
use super::leaf::{Newton, Padded};
use super::search::{Leaves, Search, Split};
use crate::run::stop;

/// The memory for growing one tree after another.
pub(crate) struct Levels {
    depth: usize,
    probs: Padded,
    newton: Newton,
    chance: Chance,
    search: Search,
    /// Row numbers, leaf by leaf.
    order: Vec<u32>,
    spare: Vec<u32>,
    /// Where each leaf begins in `order`, and where the last ends.
    bounds: Vec<usize>,
    next: Vec<usize>,
    splits: Vec<Split>,
}

impl Levels {
    pub fn new(rows: &BinnedRows, depth: usize, l2: f64, rate: f64, chance: Chance) -> Self {
        let leaves = 1 << depth;
        Self {
            depth,
            probs: Padded::new(rows),
            newton: Newton::new(rows.classes, l2, rate),
            chance,
            search: Search::new(rows, depth, l2),
            order: vec![0; rows.len()],
            spare: vec![0; rows.len()],
            bounds: Vec::with_capacity(leaves + 1),
            next: Vec::with_capacity(leaves + 1),
            splits: Vec::with_capacity(depth),
        }
    }

    /// Grows a tree, and moves its copy of the rows' probabilities.
    pub fn grow(&mut self, rows: &BinnedRows, forest: &mut SymmetricForest) {
        self.search.prepare(rows, &self.probs, &mut self.chance);
        self.gather(rows);
        while self.splits.len() < self.depth && !stop::requested() {
            let leaves = Leaves { order: &self.order, bounds: &self.bounds };
            let Some(split) = self.search.best(rows, leaves, &mut self.chance) else { break };
            self.splits.push(split);
            self.divide(rows, split);
            if let Some(idle) = self.idle_split() {
                self.splits.remove(idle);
                self.gather_again(rows);
                break;
            }
        }
        forest.plant(self.splits.iter().map(|split| (split.feature as u32, split.bin)));
        for (leaf, bound) in self.bounds.windows(2).enumerate() {
            if bound[0] < bound[1] && !stop::requested() {
                let members = &self.order[bound[0]..bound[1]];
                let factors = self.newton.advance(rows, &mut self.probs, members);
                forest.set(leaf, factors);
            }
        }
    }

    /// Puts all rows into one leaf.
    fn gather(&mut self, rows: &BinnedRows) {
        self.splits.clear();
        self.order.iter_mut().zip(0..rows.len() as u32).for_each(|(place, row)| *place = row);
        self.bounds.clear();
        self.bounds.extend([0, rows.len()]);
    }

    /// Divides the rows by the splits that are left.
    fn gather_again(&mut self, rows: &BinnedRows) {
        let splits = std::mem::take(&mut self.splits);
        self.gather(rows);
        splits.iter().for_each(|&split| self.divide(rows, split));
        self.splits = splits;
    }

    /// Divides every leaf in two, the left one first; rows keep their order.
    fn divide(&mut self, rows: &BinnedRows, split: Split) {
        self.next.clear();
        self.next.push(0);
        for bound in self.bounds.windows(2) {
            let leaf = &mut self.order[bound[0]..bound[1]];
            let left = rows.divide(leaf, &mut self.spare, split.feature, split.bin);
            self.next.push(bound[0] + left);
            self.next.push(bound[1]);
        }
        std::mem::swap(&mut self.bounds, &mut self.next);
    }

    /// The first split without which no two leaves that have rows would become one.
    fn idle_split(&self) -> Option<usize> {
        let depth = self.splits.len();
        let occupied = |leaf: usize| self.bounds[leaf] < self.bounds[leaf + 1];
        (0..depth).find(|split| {
            let bit = 1 << (depth - 1 - split);
            !(0..1usize << depth)
                .any(|leaf| leaf & bit == 0 && occupied(leaf) && occupied(leaf | bit))
        })
    }
}
