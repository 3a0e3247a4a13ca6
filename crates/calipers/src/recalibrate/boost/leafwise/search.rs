//! The best split of a leaf, over every border of every feature.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::Leafwise;
use super::histogram::{Bins, Histogram, LANES};
use super::scan::{Leaf, Least, Scan, Split};
use crate::recalibrate::boost::BinnedRows;

/// Histograms that are filled together. On 1000 and 10 000 rows of ten classes, 4 took a tenth less
/// time than 2, and 8 as much as 4.
const TOGETHER: usize = 4;

/// As many histograms are kept as fit into 64 MB.
const MOST_KEPT: usize = 64 * 1024 * 1024 / size_of::<Histogram>();

/// The gradients of a class, and their sums by leaf, feature and bin.
///
/// A leaf with more rows than bins is dense: its histograms are kept, while memory lasts, and
/// those of the larger side of its split are what is left when the smaller side's are subtracted.
/// In other leaves many bins have no row, and only those that do are visited. A feature without a
/// split that gains is not tried again further down the tree, as in LightGBM.
///
/// Cost: rows × features of the smaller side, or of both, and bins × features for each leaf.
pub(super) struct Search {
    least: Least,
    /// The rows of a dense leaf.
    dense: usize,
    /// For each row: gradient and Hessian.
    pairs: Vec<[f32; 2]>,
    /// For each histogram, the bins that its features may have.
    bins: Vec<Bins>,
    /// For each leaf and feature, whether it is tried.
    open: Vec<bool>,
    /// For each leaf its histograms, if they are kept.
    kept: Vec<Option<Vec<Histogram>>>,
    free: Vec<Vec<Histogram>>,
    /// Some histograms, zeros between searches, and the bins that have rows.
    block: Vec<Histogram>,
    seen: Vec<Bins>,
    level: Level,
}

/// The best splits of a leaf and of its sibling.
type Found = (Option<Split>, Option<Split>);

impl Search {
    pub fn new(settings: &Leafwise, rows: &BinnedRows, leaves: usize) -> Self {
        let most_borders = rows.borders.chunks(LANES).map(|all| all.iter().copied().max());
        let bins: Vec<Bins> = most_borders.map(|most| Bins::around(most.unwrap_or(0))).collect();
        let dense = 1 + rows.borders.iter().sum::<usize>() / rows.features.max(1);
        let places = leaves.min(rows.len() / dense).min(MOST_KEPT / bins.len().max(1));
        Self {
            least: Least::new(settings),
            dense,
            pairs: vec![[0.0; 2]; rows.len()],
            open: vec![true; leaves * rows.features],
            kept: (0..leaves).map(|_| None).collect(),
            free: (0..places).map(|_| vec![Histogram::ZERO; bins.len()]).collect(),
            block: vec![Histogram::ZERO; TOGETHER],
            seen: vec![Bins::default(); TOGETHER],
            bins,
            level: Level::new(),
        }
    }

    /// Takes a class's gradients w (p − y) and Hessians w K/(K − 1) p (1 − p), and returns their
    /// sums over the rows.
    pub fn prepare(&mut self, rows: &BinnedRows, class: usize, drawn: &[u32]) -> [f64; 2] {
        let classes = rows.classes as f64;
        let scale = classes / (classes - 1.0);
        let mut sums = [0.0; 2];
        for &row in drawn {
            let row = row as usize;
            let (p, weight) = (rows.probs[row * rows.classes + class], rows.weights[row]);
            let gradient = if rows.labels[row] as usize == class { p - 1.0 } else { p };
            let pair = [(gradient * weight) as f32, (scale * p * (1.0 - p) * weight) as f32];
            self.pairs[row] = pair;
            sums[0] += f64::from(pair[0]);
            sums[1] += f64::from(pair[1]);
        }
        sums
    }

    /// The best split of a tree's only leaf.
    pub fn root(&mut self, rows: &BinnedRows, leaf: Leaf<'_>) -> Option<Split> {
        self.free.extend(self.kept.iter_mut().filter_map(Option::take));
        self.open[..rows.features].fill(true);
        self.best(rows, leaf, None).0
    }

    /// The best splits of the two sides of a leaf; the left side has the leaf's number.
    pub fn sides(&mut self, rows: &BinnedRows, sides: [Leaf<'_>; 2]) -> [Option<Split>; 2] {
        let [left, right] = sides;
        let parent = left.number * rows.features..(left.number + 1) * rows.features;
        self.open.copy_within(parent, right.number * rows.features);
        let right_is_smaller = right.rows.len() < left.rows.len();
        let (smaller, larger) = if right_is_smaller { (right, left) } else { (left, right) };
        match self.kept[left.number].take() {
            Some(sums) if larger.rows.len() >= self.dense => {
                let (small, large) = self.best(rows, smaller, Some((larger, sums)));
                if right_is_smaller { [large, small] } else { [small, large] }
            }
            sums => {
                self.free.extend(sums);
                sides.map(|side| self.best(rows, side, None).0)
            }
        }
    }

    /// The best split of a leaf; and of its larger sibling, given the histograms of both together.
    fn best(
        &mut self,
        rows: &BinnedRows,
        leaf: Leaf<'_>,
        sibling: Option<(Leaf<'_>, Vec<Histogram>)>,
    ) -> Found {
        if !self.least.allows(sibling.as_ref().map_or(leaf, |(sibling, _)| *sibling)) {
            self.free.extend(sibling.map(|(_, sums)| sums));
            return (None, None);
        }
        let level = self.level;
        dispatch!(level, simd => self.best_with(simd, rows, leaf, sibling))
    }

    #[inline(always)]
    fn best_with<S: Simd>(
        &mut self,
        simd: S,
        rows: &BinnedRows,
        leaf: Leaf<'_>,
        sibling: Option<(Leaf<'_>, Vec<Histogram>)>,
    ) -> Found {
        let dense = leaf.rows.len() >= self.dense;
        let allowed = self.least.allows(leaf);
        let mut own = if dense && allowed { self.free.pop() } else { None };
        let kept = own.is_some();
        let mut scan = Scan::new(self.least, leaf);
        let mut other =
            sibling.map(|(sibling, sums)| (Scan::new(self.least, sibling), sibling.number, sums));
        for first in (0..self.bins.len()).step_by(TOGETHER) {
            let block = first..(first + TOGETHER).min(self.bins.len());
            let features = features_of(&block, rows);
            if !self.open[leaf.number * rows.features..][features.clone()].contains(&true) {
                continue;
            }
            let histograms = match &mut own {
                Some(own) => &mut own[block.clone()],
                None => &mut self.block[..block.len()],
            };
            if kept {
                let all = histograms.iter_mut().zip(&self.bins[block.clone()]);
                all.for_each(|(histogram, bins)| histogram.clear(*bins));
            }
            if dense {
                fill::<false>(histograms, &mut self.seen, rows, features, leaf.rows, &self.pairs);
                self.seen[..block.len()].copy_from_slice(&self.bins[block.clone()]);
            } else {
                fill::<true>(histograms, &mut self.seen, rows, features, leaf.rows, &self.pairs);
            }
            for (at, histogram) in block.zip(histograms) {
                let features = features_of(&(at..at + 1), rows);
                let seen = std::mem::take(&mut self.seen[at - first]);
                if let Some((scan, number, sums)) = &mut other {
                    sums[at].subtract(histogram, seen);
                    let open = &mut self.open[*number * rows.features..][features.clone()];
                    scan.try_features(simd, &sums[at], self.bins[at], features.start, open);
                }
                if allowed {
                    let open = &mut self.open[leaf.number * rows.features..][features.clone()];
                    scan.try_features(simd, histogram, seen, features.start, open);
                }
                if !kept {
                    histogram.clear(seen);
                }
            }
        }
        self.kept[leaf.number] = own;
        let found = other.map(|(scan, number, sums)| {
            self.kept[number] = Some(sums);
            scan.best
        });
        (scan.best, found.flatten())
    }
}

/// The features of some histograms.
fn features_of(histograms: &Range<usize>, rows: &BinnedRows) -> Range<usize> {
    histograms.start * LANES..(histograms.end * LANES).min(rows.features)
}

/// Adds a leaf's rows to the histograms of some features, and if asked to, notes their bins.
#[inline(always)]
fn fill<const NOTE: bool>(
    histograms: &mut [Histogram],
    seen: &mut [Bins],
    rows: &BinnedRows,
    features: Range<usize>,
    leaf: &[u32],
    pairs: &[[f32; 2]],
) {
    for &row in leaf {
        let pair = pairs[row as usize].map(f64::from);
        let bins = &rows.bins[row as usize * rows.features..][features.clone()];
        let (fours, rest) = bins.as_chunks::<LANES>();
        let mut histograms = histograms.iter_mut().zip(&mut *seen);
        for (bins, (histogram, seen)) in fours.iter().zip(&mut histograms) {
            for (lane, &bin) in bins.iter().enumerate() {
                histogram.add(lane, bin, pair);
                if NOTE {
                    seen.insert(bin);
                }
            }
        }
        if let Some((histogram, seen)) = histograms.next() {
            for (lane, &bin) in rest.iter().enumerate() {
                histogram.add(lane, bin, pair);
                if NOTE {
                    seen.insert(bin);
                }
            }
        }
    }
}
