use serde::{Deserialize, Serialize};

use crate::recalibrate::boost::{FACTORS, Forest};

/// Grown trees: in every round one for each class, in the classes' order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LeafwiseForest {
    classes: usize,
    /// The first leaf of each tree. A tree has one node fewer than leaves, so that the nodes of
    /// tree t begin t places earlier.
    trees: Vec<usize>,
    nodes: Vec<Node>,
    /// For each leaf, what the probability of the tree's class is multiplied by.
    factors: Vec<f64>,
}

/// Feature, bin, and what follows for rows up to that bin and for those above it: a later node of
/// the tree, or the complement (`!`) of one of its leaves.
pub(super) type Node = (u32, u8, [i32; 2]);

impl LeafwiseForest {
    /// No trees yet, with room for so many leaves.
    pub fn new(classes: usize, leaves: usize) -> Self {
        Self {
            classes,
            trees: Vec::with_capacity(leaves),
            nodes: Vec::with_capacity(leaves),
            factors: Vec::with_capacity(leaves),
        }
    }

    /// Begins a tree.
    pub fn plant(&mut self) {
        self.trees.push(self.factors.len());
    }

    /// Splits a leaf of the newest tree, which hangs on the given side of a node, unless it is the
    /// root: `leaf` is then on the left and `next` on the right. Returns the node.
    pub fn split(
        &mut self,
        place: Option<(usize, usize)>,
        (feature, bin): (usize, u8),
        [leaf, next]: [usize; 2],
    ) -> usize {
        let first = self.first_node(self.trees.len().saturating_sub(1));
        let node = self.nodes.len() - first;
        self.nodes.push((feature as u32, bin, [!(leaf as i32), !(next as i32)]));
        if let Some((above, side)) = place {
            self.nodes[first + above].2[side] = node as i32;
        }
        node
    }

    /// Ends the newest tree: what its leaves multiply by.
    pub fn finish(&mut self, factors: impl Iterator<Item = f64>) {
        self.factors.extend(factors);
    }

    /// What the newest tree multiplies a row of these bins by.
    pub fn newest(&self, bins: &[u8]) -> f64 {
        self.factor(self.trees.len().saturating_sub(1), bins)
    }

    /// The nodes and factors of a tree.
    #[cfg(test)]
    pub fn tree(&self, tree: usize) -> (&[Node], &[f64]) {
        let nodes = &self.nodes[self.first_node(tree)..self.first_node(tree + 1)];
        (nodes, &self.factors[self.trees[tree]..][..=nodes.len()])
    }

    fn first_node(&self, tree: usize) -> usize {
        self.trees.get(tree).map_or(self.nodes.len(), |leaf| leaf - tree)
    }

    #[inline]
    fn factor(&self, tree: usize, bins: &[u8]) -> f64 {
        let nodes = &self.nodes[self.first_node(tree)..self.first_node(tree + 1)];
        let mut at = if nodes.is_empty() { !0 } else { 0 };
        while at >= 0 {
            let (feature, bin, children) = nodes[at as usize];
            at = children[usize::from(bins[feature as usize] > bin)];
        }
        self.factors[self.trees[tree] + !at as usize]
    }
}

impl Forest for LeafwiseForest {
    const NAME: &'static str = "boost-leafwise";

    fn rounds(&self) -> usize {
        self.trees.len() / self.classes.max(1)
    }

    fn truncate(&mut self, rounds: usize) {
        let trees = rounds * self.classes;
        if let Some(&leaf) = self.trees.get(trees) {
            self.trees.truncate(trees);
            self.nodes.truncate(leaf - trees);
            self.factors.truncate(leaf);
        }
    }

    #[inline]
    fn apply(&self, round: usize, bins: &[u8], probs: &mut [f64]) {
        for (class, p) in probs.iter_mut().enumerate() {
            *p *= self.factor(round * self.classes + class, bins);
        }
    }

    fn is_sound(&self, features: usize, classes: usize) -> bool {
        let ends = self.trees.iter().skip(1).copied().chain([self.factors.len()]);
        self.classes == classes
            && classes > 0
            && self.trees.len().is_multiple_of(classes)
            && self.trees.first().copied().unwrap_or(self.factors.len()) == 0
            && self.trees.iter().zip(ends.clone()).all(|(&leaf, end)| leaf < end)
            && self.nodes.len() == self.factors.len() - self.trees.len()
            && self.trees.iter().zip(ends).enumerate().all(|(tree, (&leaf, end))| {
                let nodes = &self.nodes[leaf - tree..end - tree - 1];
                nodes.iter().enumerate().all(|(node, &(feature, _, children))| {
                    // Rows only go on to later nodes, so they arrive.
                    let leads_on = |child: i32| match usize::try_from(child) {
                        Ok(child) => node < child && child < nodes.len(),
                        Err(_) => (!child as usize) < end - leaf,
                    };
                    (feature as usize) < features && children.into_iter().all(leads_on)
                })
            })
            && self.factors.iter().all(|factor| FACTORS.contains(factor))
    }
}
