//! What trees multiply probabilities by, where there is one feature and two classes: looked up instead of
//! asked for.

use super::{Forest, LEAST_PROBABILITY, TOGETHER};

/// For each bin of the only feature, what a round multiplies the two probabilities by.
pub(super) fn factors(forest: &impl Forest, round: usize, bins: usize) -> Vec<[f64; 2]> {
    let mut factors = vec![[1.0; 2]; bins];
    factors.iter_mut().enumerate().for_each(|(bin, pair)| forest.apply(round, &[bin as u8], pair));
    factors
}

/// What all rounds of each of some forests multiply the odds of class 1 by, bin after bin.
pub(super) struct Odds {
    forests: usize,
    factors: Vec<f64>,
}

impl Odds {
    /// Those of so many bins, from one on.
    pub fn new<F: Forest>(forests: &[F], from: u8, bins: usize) -> Self {
        let bins = (from..=u8::MAX).take(bins);
        let factors = bins.flat_map(|bin| forests.iter().map(move |forest| whole(forest, bin)));
        Self { forests: forests.len(), factors: factors.collect() }
    }

    /// The mean of the forests' probabilities in a bin, by its place among those that are known, from a
    /// start; they add up to 1, but for rounding.
    #[inline]
    pub fn mean(&self, place: usize, [not, one]: [f64; 2]) -> [f64; 2] {
        let factors = &self.factors[place * self.forests..(place + 1) * self.forests];
        let mut sums = [0.0; 2];
        for factor in factors {
            let raised = one * factor;
            let scale = 1.0 / (not + raised);
            sums[0] += (not * scale).max(LEAST_PROBABILITY);
            sums[1] += (raised * scale).max(LEAST_PROBABILITY);
        }
        sums.map(|sum| sum / self.forests as f64)
    }
}

/// What all rounds of a forest multiply the odds by in a bin.
fn whole(forest: &impl Forest, bin: u8) -> f64 {
    // Far beyond what probabilities tell apart, and still finite.
    let bounded = |[not, one]: [f64; 2]| (one / not).clamp(1e-200, 1e200);
    let mut pair = [1.0; 2];
    for round in 0..forest.rounds() {
        forest.apply(round, &[bin], &mut pair);
        if (round + 1).is_multiple_of(TOGETHER) {
            pair = [1.0, bounded(pair)];
        }
    }
    bounded(pair)
}
