//! What trees multiply probabilities by, where there is one feature: looked up instead of asked for.

use super::{Forest, TOGETHER};

/// The factors of rounds, some taken together, for each bin of the only feature.
pub(super) struct ByBin {
    bins: usize,
    classes: usize,
    /// Rounds after rounds, bin after bin, class after class.
    factors: Vec<f64>,
}

impl ByBin {
    /// Those of a single round, for so many bins and classes.
    pub fn round(forest: &impl Forest, round: usize, bins: usize, classes: usize) -> Self {
        let mut this = Self { bins, classes, factors: vec![1.0; bins * classes] };
        this.multiply(forest, round, 0);
        this
    }

    /// Those of all rounds, [`TOGETHER`] at a time.
    pub fn forest(forest: &impl Forest, bins: usize, classes: usize) -> Self {
        let rounds = forest.rounds();
        let factors = vec![1.0; rounds.div_ceil(TOGETHER) * bins * classes];
        let mut this = Self { bins, classes, factors };
        (0..rounds).for_each(|round| this.multiply(forest, round, round / TOGETHER));
        this
    }

    fn multiply(&mut self, forest: &impl Forest, round: usize, place: usize) {
        let size = self.bins * self.classes;
        let factors = self.factors[place * size..(place + 1) * size].chunks_exact_mut(self.classes);
        factors.enumerate().for_each(|(bin, factors)| forest.apply(round, &[bin as u8], factors));
    }

    /// How many times there are factors for a row.
    pub fn places(&self) -> usize {
        self.factors.len() / (self.bins * self.classes)
    }

    /// Moves the probabilities of a row, as [`Forest::apply`] does.
    #[inline]
    pub fn apply(&self, place: usize, bin: u8, probs: &mut [f64]) {
        let at = (place * self.bins + bin as usize) * self.classes;
        let factors = &self.factors[at..at + self.classes];
        probs.iter_mut().zip(factors).for_each(|(p, factor)| *p *= factor);
    }
}
