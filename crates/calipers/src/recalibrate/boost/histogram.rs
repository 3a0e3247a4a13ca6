//! Sums of gradients and weights by leaf, feature and bin.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x8};

use super::BinnedRows;

/// As much of a histogram is filled at a time as the nearest cache holds beside the rows.
const CACHED: usize = 16 * 1024 / size_of::<f32>();

/// The histogram of a leaf with fewer rows is not kept for its children: they are filled as fast
/// as they are subtracted.
const KEPT_FROM: usize = 16;

/// As much memory is set aside for kept histograms.
const MOST_KEPT: usize = 64 * 1024 * 1024 / size_of::<f32>();

/// What a histogram looks like: blocks of classes, pairs of features, bins, and in each bin a *cell*
/// of each of the two: the block's classes, zeros, and last the weight. Four numbers of the one
/// feature's cell alternate with four of the other's, so that a vector of eight serves both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Numbers in a cell.
    pub lanes: usize,
    /// Blocks of classes.
    pub blocks: usize,
    /// Features, filled up to an even number.
    pub features: usize,
    /// Borders of the feature that has most, filled up to a multiple of eight.
    pub borders: usize,
    /// Bins of any feature: more than `borders` if the last of them is in use.
    pub bins: usize,
    /// Features whose histograms are filled together, an even number.
    pub together: usize,
}

impl Shape {
    pub fn new(rows: &BinnedRows, lanes: usize, blocks: usize) -> Self {
        let most = rows.borders.iter().max().map_or(1, |most| *most);
        let borders = most.next_multiple_of(8);
        let bins = borders.max(most + 1);
        let features = rows.features.max(1).next_multiple_of(2);
        let together = (CACHED / (bins * lanes) / 2 * 2).clamp(2, features);
        Self { lanes, blocks, features, borders, bins, together }
    }

    /// Numbers in the histogram of so many features.
    fn size(&self, features: usize) -> usize {
        features.next_multiple_of(2) * self.blocks * self.bins * self.lanes
    }
}

/// The histograms of a level's leaves.
///
/// Those of leaves with many rows are kept for the next level, where the larger child's is its
/// parent's less its sibling's; the others' pass by, one at a time.
pub(super) struct Histograms {
    shape: Shape,
    /// For each kept histogram: features taken together, block, pair, bin, lane.
    kept: Vec<f32>,
    passing: Vec<f32>,
    /// For each leaf, its place among the kept; and the same for the level above.
    places: Vec<Option<usize>>,
    parents: Vec<Option<usize>>,
}

impl Histograms {
    pub fn new(shape: Shape, rows: usize, depth: usize) -> Self {
        let whole = shape.size(shape.features).max(1);
        let wanted = (rows / KEPT_FROM).min(1 << (depth - 1));
        let kept = if wanted <= MOST_KEPT / whole { wanted } else { 0 };
        Self {
            shape,
            kept: vec![0.0; kept * whole],
            passing: vec![0.0; shape.size(shape.together)],
            places: Vec::with_capacity(1 << depth),
            parents: Vec::with_capacity(1 << depth),
        }
    }

    /// Decides which leaves of the first level are kept.
    pub fn begin(&mut self, rows: usize) {
        self.parents.clear();
        self.places.clear();
        self.places.push((!self.kept.is_empty() && rows >= KEPT_FROM).then_some(0));
    }

    /// Decides which leaves of the next level are kept, and where, given the numbers of rows in
    /// the children of each leaf: the larger takes over its parent's place.
    pub fn descend(&mut self, children: impl Iterator<Item = [usize; 2]>) {
        std::mem::swap(&mut self.places, &mut self.parents);
        self.places.clear();
        let room = self.kept.len() / self.shape.size(self.shape.features).max(1);
        let mut used = self.parents.iter().flatten().map(|place| place + 1).max().unwrap_or(0);
        for (parent, sizes) in self.parents.iter().zip(children) {
            let larger = usize::from(sizes[1] > sizes[0]);
            let mut places = [None; 2];
            places[larger] = parent.filter(|_| sizes[larger] >= KEPT_FROM);
            if sizes[1 - larger] >= KEPT_FROM && used < room {
                places[1 - larger] = Some(used);
                used += 1;
            }
            self.places.extend(places);
        }
    }

    /// Whether a leaf's histogram is there already, but for what its smaller sibling takes away.
    pub fn is_inherited(&self, leaf: usize) -> bool {
        self.places[leaf].is_some_and(|place| self.parents.get(leaf / 2) == Some(&Some(place)))
    }

    /// A leaf's histogram of some features.
    #[inline(always)]
    pub fn of(&mut self, leaf: usize, features: &Range<usize>) -> &mut [f32] {
        match self.places[leaf] {
            Some(place) => {
                let at = self.at(place, features);
                &mut self.kept[at]
            }
            None => &mut self.passing[..self.shape.size(features.len())],
        }
    }

    fn at(&self, place: usize, features: &Range<usize>) -> Range<usize> {
        let start = place * self.shape.size(self.shape.features) + self.shape.size(features.start);
        start..start + self.shape.size(features.len())
    }

    /// Takes the smaller sibling's histogram away from an inherited one.
    #[inline(always)]
    pub fn subtract<S: Simd>(
        &mut self,
        simd: S,
        leaf: usize,
        sibling: usize,
        features: &Range<usize>,
    ) {
        let Some(place) = self.places[leaf] else { return };
        let mine = self.at(place, features);
        let (from, what) = match self.places[sibling] {
            Some(place) => {
                let theirs = self.at(place, features);
                // The smaller sibling's place is newer, so it lies behind.
                let (head, tail) = self.kept.split_at_mut(theirs.start);
                (&mut head[mine], &tail[..theirs.len()])
            }
            None => (&mut self.kept[mine], &self.passing[..self.shape.size(features.len())]),
        };
        for (from, what) in from.chunks_exact_mut(8).zip(what.chunks_exact(8)) {
            (f32x8::from_slice(simd, from) - f32x8::from_slice(simd, what)).store_slice(from);
        }
    }
}

/// Sums the gradients and weights of a leaf's rows by bin, for some features. A row of `gradients`
/// is a cell of N numbers in Q vectors; M = 2N.
#[inline(always)]
pub(super) fn fill<S: Simd, const Q: usize, const N: usize, const M: usize>(
    simd: S,
    rows: &BinnedRows,
    gradients: &[f32],
    leaf: &[u32],
    features: &Range<usize>,
    histogram: &mut [f32],
) {
    histogram.fill(0.0);
    let (cells, _) = histogram.as_chunks_mut::<M>();
    let (gradients, _) = gradients.as_chunks::<N>();
    let blocks = gradients.len() / rows.len();
    let pairs = features.len().div_ceil(2);
    let bins = cells.len() / (blocks * pairs);
    let parts = cells.chunks_exact_mut(bins * pairs).zip(gradients.chunks_exact(rows.len()));
    for (cells, gradients) in parts {
        for &row in leaf {
            let row = row as usize;
            let mut gradient = [f32x4::splat(simd, 0.0); Q];
            for (quad, lanes) in gradient.iter_mut().zip(gradients[row].chunks_exact(4)) {
                *quad = f32x4::from_slice(simd, lanes);
            }
            let places = &rows.bins[row * rows.features..(row + 1) * rows.features];
            let (pairs, last) = places[features.clone()].as_chunks::<2>();
            let mut first = 0;
            for &[one, other] in pairs {
                add::<S, Q, M, 0>(simd, &gradient, &mut cells[first + one as usize]);
                add::<S, Q, M, 4>(simd, &gradient, &mut cells[first + other as usize]);
                first += bins;
            }
            if let [one] = last {
                add::<S, Q, M, 0>(simd, &gradient, &mut cells[first + *one as usize]);
            }
        }
    }
}

/// Adds to the cell of one of two features, whose numbers begin at `AT`.
#[inline(always)]
fn add<S: Simd, const Q: usize, const M: usize, const AT: usize>(
    simd: S,
    gradient: &[f32x4<S>; Q],
    cell: &mut [f32; M],
) {
    for quad in 0..Q {
        let lanes = &mut cell[8 * quad + AT..8 * quad + AT + 4];
        (f32x4::from_slice(simd, lanes) + gradient[quad]).store_slice(lanes);
    }
}
