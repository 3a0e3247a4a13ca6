//! The best split of a leaf, from its histograms.

use fearless_simd::{Simd, f64x4, prelude::*};

use super::Leafwise;
use super::histogram::{Bins, Histogram, LANES};

/// LightGBM's epsilon, which it holds in single precision and adds to sums of Hessians.
pub(super) const EPSILON: f64 = 1e-15_f32 as f64;

/// A leaf that may be split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub number: usize,
    pub rows: &'a [u32],
    pub gradient: f64,
    pub hessian: f64,
}

/// A border of a feature, and the sums to the left of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub gain: f64,
    pub feature: usize,
    /// A row goes right if more than this many borders lie below its value.
    pub bin: u8,
    pub gradient: f64,
    /// With an epsilon.
    pub hessian: f64,
}

/// What each side of a split must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Least {
    rows: f64,
    hessian: f64,
}

impl Least {
    /// At least one row and an epsilon: with less, a side could be empty.
    pub fn new(settings: &Leafwise) -> Self {
        Self {
            rows: settings.least_rows.max(1) as f64,
            hessian: settings.least_hessian.max(EPSILON),
        }
    }

    /// Whether a leaf has rows enough for two.
    pub fn allows(&self, leaf: Leaf<'_>) -> bool {
        leaf.rows.len() as f64 >= 2.0 * self.rows
    }
}

/// The best split of a leaf so far.
///
/// A split's gain is Σ G²/H of its two sides less G²/H of the leaf. It is allowed by LightGBM's
/// rule: each side has at least `least_hessian`, and `least_rows` by an estimate that takes rows to
/// be in proportion to Hessians, bin by bin from the right. Of equal gains that of the higher
/// border counts, and of the first feature.
pub(super) struct Scan {
    least: Least,
    rows: f64,
    gradient: f64,
    hessian: f64,
    pub best: Option<Split>,
}

impl Scan {
    pub fn new(least: Least, leaf: Leaf<'_>) -> Self {
        let hessian = leaf.hessian + 2.0 * EPSILON;
        let rows = leaf.rows.len() as f64;
        Self { least, rows, gradient: leaf.gradient, hessian, best: None }
    }

    /// Tries the borders below some bins, for those features of a histogram that are open; closes
    /// a feature none of whose splits gains anything.
    #[inline(always)]
    pub fn try_features<S: Simd>(
        &mut self,
        simd: S,
        histogram: &Histogram,
        bins: Bins,
        first: usize,
        open: &mut [bool],
    ) {
        let all = |value: f64| f64x4::splat(simd, value);
        let unsplit = self.gradient * self.gradient / self.hessian;
        let (gradient, hessian) = (all(self.gradient), all(self.hessian));
        let rows_per_hessian = all(self.rows / self.hessian);
        let (least_rows, most_rows) = (all(self.least.rows), all(self.rows - self.least.rows));
        let least_hessian = all(self.least.hessian);
        let (mut right_g, mut right_h, mut right_rows) = (all(0.0), all(EPSILON), all(0.0));
        let start = |lane| if open.get(lane) == Some(&true) { unsplit } else { f64::INFINITY };
        let mut gains = f64x4::from_fn(simd, start);
        let (mut found, mut found_g, mut found_h) = (all(0.0), all(0.0), all(0.0));
        // Below bin 0 there is no border.
        for bin in bins.iter().take_while(|bin| *bin > 0) {
            let [low, high] = histogram.cell(bin).halves();
            let (low, high) = (f64x4::simd_from(simd, low), f64x4::simd_from(simd, high));
            let (g, h) = simd.deinterleave_f64x4(low, high);
            right_g += g;
            right_h += h;
            right_rows += (h * rows_per_hessian + all(0.5)).floor();
            let (left_g, left_h) = (gradient - right_g, hessian - right_h);
            let left = right_rows.simd_le(most_rows) & left_h.simd_ge(least_hessian);
            if left.all_false() {
                break;
            }
            let right = right_rows.simd_ge(least_rows) & right_h.simd_ge(least_hessian);
            let allowed = left & right;
            if allowed.all_false() {
                continue;
            }
            let gain = left_g * left_g / left_h + right_g * right_g / right_h;
            let better = allowed & gain.simd_gt(gains);
            gains = better.select(gain, gains);
            found = better.select(all(bin as f64), found);
            found_g = better.select(left_g, found_g);
            found_h = better.select(left_h, found_h);
        }
        for (lane, open) in open.iter_mut().enumerate().take(LANES) {
            *open &= found[lane] > 0.0;
            let gain = gains[lane] - unsplit;
            if *open && self.best.is_none_or(|best| gain > best.gain) {
                let (feature, bin) = (first + lane, found[lane] as u8 - 1);
                let (gradient, hessian) = (found_g[lane], found_h[lane]);
                self.best = Some(Split { gain, feature, bin, gradient, hessian });
            }
        }
    }
}
