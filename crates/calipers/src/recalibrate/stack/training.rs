//! The rows that the members learn from.

use std::iter::StepBy;
use std::ops::Range;

use super::order::shuffled;
use crate::data::Sample;

/// The most bags. A member that could learn a row by heart predicts it from the rows of other bags.
pub(super) const BAGS: usize = 8;

/// Training rows in a random order, so that the first of them are as good a sample as any. The
/// first row belongs to the first bag, the second to the second, and so on, and round again.
pub(super) struct Training {
    pub sample: Sample,
    pub weights: Vec<f32>,
    pub seed: u64,
}

impl Training {
    /// Orders rows by chance, and keeps at most so many.
    pub fn new(sample: &Sample, most: usize, seed: u64) -> Self {
        let sample = sample.select(&shuffled(sample, seed, most.max(1)));
        let weights = (0..sample.rows()).map(|row| sample.weight(row) as f32).collect();
        Self { sample, weights, seed }
    }

    pub fn rows(&self) -> usize {
        self.sample.rows()
    }

    pub fn classes(&self) -> usize {
        self.sample.classes()
    }

    /// How many bags there are: as many as rows, if these are few.
    pub fn bags(&self) -> usize {
        BAGS.min(self.rows())
    }
}

/// Those of the first so many rows that belong to a bag.
pub(super) fn in_bag(bag: usize, rows: usize) -> StepBy<Range<usize>> {
    (bag..rows).step_by(BAGS)
}
