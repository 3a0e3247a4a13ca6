//! What is left over among rows of one level, without a row's own.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::data::Sample;
use crate::numeric::random::generator;
use crate::numeric::simplex::is_moderate;

/// So many rows of the mean weight, with nothing left over, are added to every level.
const PRIOR: f64 = 5.0;

/// The mean of y − p over the rows of each level, shrunk towards 0, y being 1 where a class was observed and p
/// what the g of f alone says of it.
///
/// A row that g learns from must not count itself, or a category of many levels would tell its label. It is
/// given the mean of those before it in an order drawn at random; a new row that of all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Statistics {
    /// By level, ascending; what is missing first.
    of_level: Vec<(Option<String>, f64)>,
}

impl Statistics {
    /// Takes those of a class, and what each row is given.
    pub fn take(
        sample: &Sample,
        levels: &[String],
        codes: &[u32],
        start: &[f64],
        class: usize,
        seed: u64,
    ) -> (Self, Vec<f64>) {
        // One more, for what is missing.
        let place = |code: u32| (code as usize).min(levels.len());
        let mut sums = vec![[0.0; 2]; levels.len() + 1];
        let mut order: Vec<usize> = (0..sample.rows()).collect();
        order.shuffle(&mut generator(seed, 0));
        let mean = |[left, weight]: [f64; 2]| left / (weight + PRIOR);
        let mut own = vec![0.0; sample.rows()];
        for row in order {
            let sums = &mut sums[place(codes[row])];
            own[row] = mean(*sums);
            let observed = f64::from(sample.labels()[row] as usize == class);
            let left = observed - start[row * sample.classes() + class];
            sums[0] += sample.weight(row) * left;
            sums[1] += sample.weight(row);
        }
        let seen = sums.iter().enumerate().filter(|(_, sums)| sums[1] > 0.0);
        let mut of_level: Vec<(Option<String>, f64)> =
            seen.map(|(place, &sums)| (levels.get(place).cloned(), mean(sums))).collect();
        of_level.sort_by(|a, b| a.0.cmp(&b.0));
        (Self { of_level }, own)
    }

    /// That of a level; 0 if no row had it.
    pub fn of(&self, level: Option<&str>) -> f64 {
        let found = self.of_level.binary_search_by(|(known, _)| known.as_deref().cmp(&level));
        found.map_or(0.0, |place| self.of_level[place].1)
    }

    /// Whether loaded parameters fit together.
    pub fn are_sound(&self) -> bool {
        self.of_level.is_sorted_by(|a, b| a.0 < b.0)
            && self.of_level.iter().all(|(_, value)| is_moderate(*value))
    }
}
