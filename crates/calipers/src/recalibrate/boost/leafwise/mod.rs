//! Trees that grow where it helps most.

mod forest;
mod histogram;
mod scan;
mod search;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rand::RngExt;

pub(crate) use forest::LeafwiseForest;
use scan::{EPSILON, Leaf, Split};
use search::Search;

use super::rows::normalise;
use super::{BinnedRows, Forest, Grower, Growth, LARGEST_STEP};
use crate::numeric::random::generator;
use crate::run::stop;

/// Room is made at once for this many leaves of a forest, 32 MB, and for more when they come.
const MOST_RESERVED: usize = 1 << 20;

/// Trees that split one leaf after another, always the one that gains most: LightGBM's.
///
/// A round grows a tree for every class, all from the probabilities before the round. Rows go right
/// where their value is above the border. Which splits are allowed and what they gain: see
/// [`scan::Scan`]. A leaf's value is −`rate` · G/H, where G and H are the sums of its rows'
/// gradients and Hessians, which are single precision, as LightGBM's; no leaf moves a log-score by
/// more than [`LARGEST_STEP`], which LightGBM does not limit. A tree without a split, and that of a
/// class that no row has or all have, changes nothing.
///
/// Each round draws every row with probability `share`, and grows on those; the others are moved
/// all the same.
///
/// ## Reference
/// Ke et al., *LightGBM: a highly efficient gradient boosting decision tree*, 2017.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Leafwise {
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The fewest rows of a leaf, by an estimate.
    pub least_rows: usize,
    /// The least Hessian of a leaf.
    pub least_hessian: f64,
    /// The learning rate.
    pub rate: f64,
    /// The share of the rows that are drawn each round.
    pub share: f64,
}

impl Growth for Leafwise {
    type Forest = LeafwiseForest;
    type Grower = LeafwiseGrower;

    fn grower(&self, rows: &BinnedRows, rounds: usize, seed: u64) -> (Self::Grower, Self::Forest) {
        // No leaf is without rows.
        let most = self.leaves.min(rows.len()).max(1);
        let learnable = learnable(rows);
        let trees = learnable.iter().filter(|learnable| **learnable).count();
        let leaves = rounds.saturating_mul(trees * most + rows.classes - trees);
        let grower = LeafwiseGrower {
            settings: *self,
            seed,
            learnable,
            search: Search::new(self, rows, most),
            drawn: (0..rows.len() as u32).collect(),
            count: rows.len(),
            order: vec![0; rows.len()],
            spare: vec![0; rows.len()],
            leaves: Vec::with_capacity(most),
            most,
        };
        (grower, LeafwiseForest::new(rows.classes, leaves.min(MOST_RESERVED)))
    }
}

/// For each class, whether some rows have it and some do not, by weight.
fn learnable(rows: &BinnedRows) -> Vec<bool> {
    let mut weights = vec![0.0; rows.classes];
    for (&label, weight) in rows.labels.iter().zip(&rows.weights) {
        weights[label as usize] += weight;
    }
    let total: f64 = weights.iter().sum();
    let differ = |weight: &f64| EPSILON < weight / total && weight / total < 1.0 - EPSILON;
    weights.iter().map(differ).collect()
}

/// The memory for growing one tree after another.
pub(crate) struct LeafwiseGrower {
    settings: Leafwise,
    seed: u64,
    learnable: Vec<bool>,
    search: Search,
    /// The rows that were drawn for this round, then the others.
    drawn: Vec<u32>,
    /// How many were drawn.
    count: usize,
    /// The drawn rows, leaf by leaf.
    order: Vec<u32>,
    spare: Vec<u32>,
    leaves: Vec<Grown>,
    /// The most leaves of a tree.
    most: usize,
}

/// A leaf of the tree that is growing.
#[derive(Debug, Clone)]
struct Grown {
    /// Its part of `order`.
    range: Range<usize>,
    gradient: f64,
    hessian: f64,
    /// What it multiplies its rows' probabilities by.
    factor: f64,
    /// The node above, and on which side of it.
    place: Option<(usize, usize)>,
    split: Option<Split>,
}

impl Grown {
    fn view<'a>(&self, number: usize, order: &'a [u32]) -> Leaf<'a> {
        let rows = &order[self.range.clone()];
        Leaf { number, rows, gradient: self.gradient, hessian: self.hessian }
    }
}

impl Grower for LeafwiseGrower {
    type Forest = LeafwiseForest;

    fn grow(&mut self, rows: &mut BinnedRows, forest: &mut LeafwiseForest) {
        self.draw(forest.rounds());
        for class in 0..rows.classes {
            forest.plant();
            // The trees before this one have moved other classes only, and nothing is normalised
            // yet: the class still has its probabilities from before the round.
            let learnable = self.learnable[class] && !stop::requested();
            if learnable && self.grow_tree(rows, class, forest) {
                forest.finish(self.leaves.iter().map(|leaf| leaf.factor));
                self.apply(rows, class, forest);
            } else {
                forest.finish([1.0].into_iter());
            }
        }
        rows.probs.chunks_exact_mut(rows.classes).for_each(normalise);
    }
}

impl LeafwiseGrower {
    /// Draws the rows of a round.
    fn draw(&mut self, round: usize) {
        if self.settings.share >= 1.0 {
            return;
        }
        let mut draws = generator(self.seed, round as u64);
        let (mut count, mut end) = (0, self.drawn.len());
        for row in 0..self.drawn.len() as u32 {
            if draws.random::<f64>() < self.settings.share {
                self.drawn[count] = row;
                count += 1;
            } else {
                end -= 1;
                self.drawn[end] = row;
            }
        }
        self.count = count;
    }

    /// Splits leaves for as long as it helps; whether any was split.
    fn grow_tree(&mut self, rows: &BinnedRows, class: usize, forest: &mut LeafwiseForest) -> bool {
        let drawn = &self.drawn[..self.count];
        self.order[..self.count].copy_from_slice(drawn);
        let [gradient, hessian] = self.search.prepare(rows, class, drawn);
        let range = 0..self.count;
        let mut root = Grown { range, gradient, hessian, factor: 1.0, place: None, split: None };
        root.split = self.search.root(rows, root.view(0, &self.order));
        self.leaves.clear();
        self.leaves.push(root);
        while self.leaves.len() < self.most
            && !stop::requested()
            && let Some((number, split)) = self.next_split()
        {
            self.split(rows, number, split, forest);
        }
        self.leaves.len() > 1
    }

    /// The leaf that gains most, of several that with the first feature, and its split.
    fn next_split(&self) -> Option<(usize, Split)> {
        let leaves = self.leaves.iter().enumerate();
        let splits = leaves.filter_map(|(number, leaf)| Some((number, leaf.split?)));
        splits.reduce(|best, other| {
            let order = other.1.gain.total_cmp(&best.1.gain);
            if order.then(best.1.feature.cmp(&other.1.feature)).is_gt() { other } else { best }
        })
    }

    /// Splits a leaf; the left side keeps its number.
    fn split(
        &mut self,
        rows: &BinnedRows,
        number: usize,
        split: Split,
        forest: &mut LeafwiseForest,
    ) {
        let leaf = &mut self.leaves[number];
        let range = leaf.range.clone();
        let left =
            rows.divide(&mut self.order[range.clone()], &mut self.spare, split.feature, split.bin);
        if left == 0 || left == range.len() {
            // The Hessians are so small that rounding has made up rows where there are none.
            leaf.split = None;
            return;
        }
        let (gradient, hessian) =
            (leaf.gradient - split.gradient, leaf.hessian + 2.0 * EPSILON - split.hessian);
        let next = self.leaves.len();
        let place = self.leaves[number].place;
        let node = forest.split(place, (split.feature, split.bin), [number, next]);
        let middle = range.start + left;
        self.leaves[number] =
            self.side(range.start..middle, split.gradient, split.hessian, (node, 0));
        self.leaves.push(self.side(middle..range.end, gradient, hessian, (node, 1)));
        if self.leaves.len() < self.most {
            let view = |number: usize| self.leaves[number].view(number, &self.order);
            let sides = self.search.sides(rows, [view(number), view(next)]);
            [self.leaves[number].split, self.leaves[next].split] = sides;
        }
    }

    /// One side of a split, given its sums, that of Hessians with an epsilon.
    fn side(
        &self,
        range: Range<usize>,
        gradient: f64,
        hessian: f64,
        place: (usize, usize),
    ) -> Grown {
        let step = -self.settings.rate * gradient / hessian;
        Grown {
            range,
            gradient,
            hessian: hessian - EPSILON,
            factor: step.clamp(-LARGEST_STEP, LARGEST_STEP).exp(),
            place: Some(place),
            split: None,
        }
    }

    /// Moves the rows' probabilities by the newest tree.
    fn apply(&self, rows: &mut BinnedRows, class: usize, forest: &LeafwiseForest) {
        for leaf in &self.leaves {
            for &row in &self.order[leaf.range.clone()] {
                rows.probs[row as usize * rows.classes + class] *= leaf.factor;
            }
        }
        for &row in &self.drawn[self.count..] {
            let row = row as usize;
            let bins = &rows.bins[row * rows.features..(row + 1) * rows.features];
            rows.probs[row * rows.classes + class] *= forest.newest(bins);
        }
    }
}
