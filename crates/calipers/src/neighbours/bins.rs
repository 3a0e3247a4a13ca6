//! Bins: of equal width, or of equal mass.

use super::line::Line;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// The number of bins, by default this many.
pub(super) const fn parameter(default: &'static str) -> Parameter {
    Parameter::new("bins", default, "the number of bins")
}

/// Reads it.
pub(super) fn bins_from(params: &mut Params<'_>) -> Result<usize> {
    params.whole("bins", 1..=1_000_000)
}

/// How bins are cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum By {
    /// Bin b of B holds b/B ≤ f < (b + 1)/B, the last one f = 1 as well.
    #[default]
    Width,
    /// Runs of n/B rows in ascending order. The first n mod B have one more, and rows of the same
    /// prediction stay together, in the lower bin: there may be fewer bins than asked for.
    Mass,
}

/// A bin that is not empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bin {
    /// How many rows it holds.
    pub rows: f64,
    /// Their mean prediction.
    pub f: f64,
    /// How often it happened.
    pub y: f64,
}

impl Bin {
    /// The bin of the rows of a line from one place to another.
    fn of(line: &Line, from: usize, to: usize) -> Self {
        let rows = (to - from) as f64;
        let mean = |values: &[f64]| values[from..to].iter().sum::<f64>() / rows;
        Self { rows, f: mean(&line.f), y: mean(&line.y) }
    }

    /// |mean f − frequency|.
    pub fn gap(&self) -> f64 {
        (self.f - self.y).abs()
    }
}

/// The bins of a line that are not empty, ascending.
pub(super) fn bins(line: &Line, count: usize, by: By) -> Vec<Bin> {
    let ends = match by {
        By::Width => width_ends(line, count),
        By::Mass => mass_ends(line, count),
    };
    let mut from = 0;
    let mut bins = Vec::with_capacity(ends.len());
    for to in ends {
        bins.push(Bin::of(line, from, to));
        from = to;
    }
    bins
}

/// The mean gap of bins, (Σ_b n_b/n gap^p)^(1/p), or the largest.
pub(super) fn norm(bins: &[Bin], p: f64) -> f64 {
    if p.is_infinite() {
        return bins.iter().map(Bin::gap).fold(0.0, f64::max);
    }
    let rows: f64 = bins.iter().map(|bin| bin.rows).sum();
    let sum: f64 = bins.iter().map(|bin| bin.rows / rows * bin.gap().powf(p)).sum();
    sum.powf(1.0 / p)
}

/// The bin of equal width that a prediction is in, from 0.
pub(super) fn width_bin(f: f64, count: f64) -> f64 {
    // The product may round across an edge, the edges do not.
    let mut bin = (f * count).floor();
    while bin > 0.0 && f < bin / count {
        bin -= 1.0;
    }
    while f >= (bin + 1.0) / count {
        bin += 1.0;
    }
    bin.min(count - 1.0)
}

/// Where bins of equal width end, empty ones left out.
fn width_ends(line: &Line, count: usize) -> Vec<usize> {
    let (all, count) = (line.rows(), count as f64);
    let mut ends = Vec::new();
    let mut from = 0;
    while from < all {
        // The bin of the first row left.
        let bin = width_bin(line.f[from], count);
        let edge = (bin + 1.0) / count;
        let inside = |f: &f64| bin + 1.0 >= count || *f < edge;
        from += line.f[from..].partition_point(inside);
        ends.push(from);
    }
    ends
}

/// Where the first bins of equal mass end, ties aside, if there are `count` of them.
pub(super) fn mass_cut(all: usize, count: usize, bins: usize) -> usize {
    bins * (all / count) + bins.min(all % count)
}

/// Where bins of equal mass end.
fn mass_ends(line: &Line, count: usize) -> Vec<usize> {
    let all = line.rows();
    let count = count.min(all);
    let mut ends = Vec::with_capacity(count);
    let mut end = 0;
    for bin in 0..count {
        let cut = mass_cut(all, count, bin + 1);
        if cut > end {
            end = line.end_of_tie(cut);
            ends.push(end);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(f: &[f64]) -> Line {
        Line::new(f.len(), |row| f[row], |row| row % 2 == 0)
    }

    fn sizes(f: &[f64], count: usize, by: By) -> Vec<f64> {
        bins(&line(f), count, by).iter().map(|bin| bin.rows).collect()
    }

    #[test]
    fn one_belongs_to_the_last_bin_and_an_edge_to_the_bin_above() {
        let f = [0.0, 0.1999, 0.2, 0.6, 0.8, 1.0];
        assert_eq!(sizes(&f, 5, By::Width), [2.0, 1.0, 1.0, 2.0]);
        // 0.29 · 100 is 28.999999999999996, but 0.29 is 29/100.
        let edge = line(&[0.285, 0.29, 0.295]);
        assert_eq!(width_ends(&edge, 100), [1, 3]);
        assert_eq!(sizes(&[1.0, 1.0], 1, By::Width), [2.0]);
    }

    #[test]
    fn ties_stay_together() {
        assert_eq!(sizes(&[0.1, 0.3, 0.3, 0.3, 0.3, 0.9], 3, By::Mass), [5.0, 1.0]);
        assert_eq!(sizes(&[0.5; 7], 15, By::Mass), [7.0]);
        assert_eq!(sizes(&[0.1, 0.2, 0.3, 0.4, 0.5], 2, By::Mass), [3.0, 2.0]);
        assert_eq!(sizes(&[0.1, 0.2], 15, By::Mass), [1.0, 1.0]);
    }

    proptest! {
        /// Every row is in the bin whose edges enclose it, whatever the rounding of the product.
        #[test]
        fn every_edge_is_where_its_fraction_is(count in 1usize..2000, at in 0usize..2000) {
            let edge = at.min(count) as f64 / count as f64;
            let found = width_ends(&line(&[0.0, edge.next_down().max(0.0), edge]), count);
            let own = at.min(count) > 0 && at < count;
            prop_assert_eq!(found.len(), if own && at > 1 { 3 } else if own { 2 } else {
                if at == 0 || count == 1 { 1 } else { 2 }
            });
        }
    }
}
