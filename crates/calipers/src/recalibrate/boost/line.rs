//! Symmetric trees on one feature and two classes, where a leaf is a run of bins.

use std::f64::consts::SQRT_2;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};

use super::chance::Chance;
use super::forest::SymmetricForest;
use super::{BinnedRows, LARGEST_STEP, LEAST_PROBABILITY};

/// The trees of [`super::symmetric`] for rows that have one feature and two classes.
///
/// Rows of one bin never part, so a level looks at sums by bin and not at rows; a split divides one
/// leaf, so all candidates in other leaves keep their share of the score; and the two classes'
/// gradients are opposite, so one of them tells both. Cost of a tree: a few operations a row.
pub(crate) struct Line {
    depth: usize,
    l2: f64,
    rate: f64,
    /// Where each bin's rows begin, in the order of bins; and where the last ends.
    starts: Vec<usize>,
    /// 1 or 0, the weight and the current probability of class 1, row after row of that order.
    observed: Vec<f64>,
    weights: Vec<f64>,
    probs: Vec<f64>,
    /// Sums up to each bin of gradients w(y − p) and curvatures w p(1 − p).
    gradient: Vec<f64>,
    curvature: Vec<f64>,
    /// The weight up to each bin.
    weight: Vec<f64>,
    /// Σ w²(y − p)² over all rows.
    squares: f64,
    /// What cutting after each bin would add to the score's two parts.
    numerators: Vec<f64>,
    denominators: Vec<f64>,
    scores: Vec<f32>,
    /// Where leaves begin, in order; and where the last ends.
    leaves: Vec<usize>,
    /// The bins after which the tree is cut, in the order in which they were chosen.
    cuts: Vec<u8>,
    level: Level,
    chance: Chance,
}

impl Line {
    /// Takes the rows in the order of their bins.
    pub fn new(rows: &BinnedRows, depth: usize, l2: f64, rate: f64, chance: Chance) -> Self {
        let bins = rows.borders.first().map_or(1, |borders| borders + 1);
        let mut starts = vec![0; bins + 1];
        for &bin in &rows.bins {
            starts[bin as usize + 1] += 1;
        }
        for bin in 0..bins {
            starts[bin + 1] += starts[bin];
        }
        let mut next = starts.clone();
        let mut weight = vec![0.0; bins + 1];
        let count = rows.len();
        let (mut observed, mut weights, mut probs) =
            (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        // Rows come sorted as a rule, so that those of a bin are one run.
        let mut from = 0;
        for run in rows.bins.chunk_by(|a, b| a == b) {
            let (bin, own) = (run[0] as usize, from..from + run.len());
            let to = next[bin]..next[bin] + run.len();
            let labels = observed[to.clone()].iter_mut().zip(&rows.labels[own.clone()]);
            labels.for_each(|(observed, &label)| *observed = f64::from(label));
            weights[to.clone()].copy_from_slice(&rows.weights[own.clone()]);
            let pairs =
                probs[to.clone()].iter_mut().zip(&rows.probs.as_chunks::<2>().0[own.clone()]);
            pairs.for_each(|(p, pair)| *p = pair[1]);
            weight[bin + 1] += rows.weights[own].iter().sum::<f64>();
            (from, next[bin]) = (from + run.len(), to.end);
        }
        add_up(&mut weight);
        let sums = || vec![0.0; bins + 1];
        let mut line = Self {
            depth,
            l2,
            rate,
            weight,
            squares: 0.0,
            starts,
            observed,
            weights,
            probs,
            gradient: sums(),
            curvature: sums(),
            numerators: sums(),
            denominators: sums(),
            scores: vec![0.0; bins + 1],
            leaves: Vec::with_capacity(depth + 2),
            cuts: Vec::with_capacity(depth),
            level: Level::new(),
            chance,
        };
        line.advance(0, bins, 1.0);
        line
    }

    /// Grows a tree and moves the rows' probabilities by it.
    pub fn grow(&mut self, forest: &mut SymmetricForest) {
        // One class's gradients stand for those of two.
        self.chance.begin(2.0 * self.squares);
        self.squares = 0.0;
        add_up(&mut self.gradient);
        add_up(&mut self.curvature);
        self.cut();
        forest.plant(self.cuts.iter().map(|&cut| (0, cut)));
        let (mut gradient_so_far, mut curvature_so_far) = (0.0, 0.0);
        for leaf in 0..self.leaves.len() - 1 {
            let (from, to) = (self.leaves[leaf], self.leaves[leaf + 1]);
            let gradient = self.gradient[to] - gradient_so_far;
            let curvature = self.curvature[to] - curvature_so_far;
            // Moving the leaf's rows overwrites its sums.
            (gradient_so_far, curvature_so_far) = (self.gradient[to], self.curvature[to]);
            // The Newton step of both classes: opposite, and each sees the other's curvature.
            let step = self.rate * gradient / (2.0 * curvature + self.l2);
            let step = if step.is_nan() { 0.0 } else { step.clamp(-LARGEST_STEP, LARGEST_STEP) };
            let side = |leaf, &cut: &u8| 2 * leaf + usize::from(from > cut as usize);
            forest.set(self.cuts.iter().fold(0, side), &[(-step).exp(), step.exp()]);
            self.advance(from, to, (2.0 * step).exp());
        }
    }

    /// Chooses the cuts.
    fn cut(&mut self) {
        let bins = self.starts.len() - 1;
        self.cuts.clear();
        self.leaves.clear();
        self.leaves.extend([0, bins]);
        let whole = self.share(0, bins);
        let mut sums = whole;
        self.weigh(0, bins);
        while self.cuts.len() < self.depth {
            let Some(cut) = self.best(sums) else { break };
            sums = (sums.0 + self.numerators[cut], sums.1 + self.denominators[cut]);
            let place = self.leaves.partition_point(|&start| start <= cut);
            let (from, to) = (self.leaves[place - 1], self.leaves[place]);
            self.leaves.insert(place, cut);
            self.cuts.push((cut - 1) as u8);
            self.weigh(from, cut);
            self.weigh(cut, to);
            self.numerators[cut] = 0.0;
            self.denominators[cut] = 0.0;
        }
    }

    /// The first bin after the best cut, unless that cut divides no rows.
    fn best(&mut self, (numerator, denominator): (f64, f64)) -> Option<usize> {
        let parts = self.numerators.iter().zip(&self.denominators);
        for (score, (n, d)) in self.scores.iter_mut().zip(parts) {
            // Twice the score of one class's gradients, over the root of two.
            *score =
                (SQRT_2 * (numerator + n) / (denominator + d + f64::MIN_POSITIVE).sqrt()) as f32;
        }
        let scores = &mut self.scores[1..self.starts.len() - 1];
        self.chance.disturb(scores);
        let mut best = (f32::NEG_INFINITY, 0);
        for (cut, &score) in (1..).zip(&*scores) {
            if score > best.0 {
                best = (score, cut);
            }
        }
        let place = self.leaves.partition_point(|&start| start <= best.1);
        let (from, to) = (*self.leaves.get(place.checked_sub(1)?)?, *self.leaves.get(place)?);
        let divides =
            self.starts[from] < self.starts[best.1] && self.starts[best.1] < self.starts[to];
        divides.then_some(best.1)
    }

    /// A run of bins' share of the score's numerator and denominator.
    #[inline(always)]
    fn share(&self, from: usize, to: usize) -> (f64, f64) {
        let gradient = self.gradient[to] - self.gradient[from];
        let weight = self.weight[to] - self.weight[from];
        let mean = gradient / (weight + self.l2);
        (mean * gradient, mean * mean * weight)
    }

    /// What each cut within a leaf would add to the score's parts.
    fn weigh(&mut self, from: usize, to: usize) {
        let whole = self.share(from, to);
        for cut in from + 1..to {
            let (left, right) = (self.share(from, cut), self.share(cut, to));
            self.numerators[cut] = left.0 + right.0 - whole.0;
            self.denominators[cut] = left.1 + right.1 - whole.1;
        }
    }

    /// Multiplies the odds of class 1 in a run of bins, and sums the new gradients and curvatures
    /// by bin.
    fn advance(&mut self, from: usize, to: usize, factor: f64) {
        let level = self.level;
        dispatch!(level, simd => self.advance_rows(simd, from, to, factor));
    }

    #[inline(always)]
    fn advance_rows<S: Simd>(&mut self, simd: S, from: usize, to: usize, factor: f64) {
        let splat = |value| f64x4::splat(simd, value);
        let (factors, more, one) = (splat(factor), splat(factor - 1.0), splat(1.0));
        let (least, most) = (splat(LEAST_PROBABILITY), splat(1.0 - f64::EPSILON / 2.0));
        for bin in from..to {
            let rows = self.starts[bin]..self.starts[bin + 1];
            let (mut gradients, mut curvatures, mut all) = (splat(0.0), splat(0.0), splat(0.0));
            let (mut gradient, mut curvature) = (0.0, 0.0);
            let probs = &mut self.probs[rows.clone()];
            let (observed, weights) = (&self.observed[rows.clone()], &self.weights[rows]);
            let whole = probs.len() / 4 * 4;
            for at in (0..whole).step_by(4) {
                let p = f64x4::from_slice(simd, &probs[at..at + 4]);
                let w = f64x4::from_slice(simd, &weights[at..at + 4]);
                let y = f64x4::from_slice(simd, &observed[at..at + 4]);
                let p = (p * factors / (one + p * more)).max(least).min(most);
                p.store_slice(&mut probs[at..at + 4]);
                let g = w * (y - p);
                gradients += g;
                all += g * g;
                curvatures += w * p * (one - p);
            }
            for at in whole..probs.len() {
                let p = probs[at];
                let p = (p * factor / (1.0 + p * (factor - 1.0)))
                    .clamp(LEAST_PROBABILITY, 1.0 - f64::EPSILON / 2.0);
                probs[at] = p;
                let g = weights[at] * (observed[at] - p);
                gradient += g;
                self.squares += g * g;
                curvature += weights[at] * p * (1.0 - p);
            }
            self.squares += all.reduce_sum();
            self.gradient[bin + 1] = gradient + gradients.reduce_sum();
            self.curvature[bin + 1] = curvature + curvatures.reduce_sum();
        }
    }
}

/// Turns numbers into the sums up to them.
fn add_up(numbers: &mut [f64]) {
    for at in 1..numbers.len() {
        numbers[at] += numbers[at - 1];
    }
}
