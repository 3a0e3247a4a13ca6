//! Chance in the choice of splits, so that the forests of an ensemble differ.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Noise on the scores of candidate splits: normal, with a standard deviation of `noise` times the
/// root mean square of the rows' gradients, fading as trees accumulate. CatBoost's
/// `random_strength`; it does not touch the leaves' values.
///
/// CatBoost also draws a weight for every row and tree (a Bayesian bootstrap). On the development
/// corpus that recovered nothing more beside the noise, and it costs a draw a row.
pub(crate) struct Chance {
    noise: f64,
    rows: f64,
    rate: f64,
    trees: f64,
    spread: f32,
    draws: ChaCha8Rng,
}

impl Chance {
    pub fn new(noise: f64, rows: usize, rate: f64, seed: u64) -> Self {
        let draws = ChaCha8Rng::seed_from_u64(seed);
        Self { noise, rows: rows as f64, rate, trees: 0.0, spread: 0.0, draws }
    }

    /// Begins a tree, given the sum of the rows' squared gradients.
    pub fn begin(&mut self, squares: f64) {
        let left = self.rows * (-self.trees * self.rate).exp();
        self.spread = (self.noise * (squares / self.rows).sqrt() * left / (1.0 + left)) as f32;
        self.trees += 1.0;
    }

    /// Adds noise to scores.
    #[inline(always)]
    pub fn disturb(&mut self, scores: &mut [f32]) {
        if self.spread > 0.0 {
            scores.iter_mut().for_each(|score| *score += self.spread * self.normal());
        }
    }

    /// Nearly normal, of mean 0 and variance 1: four uniform draws of 16 bits, added.
    #[inline(always)]
    fn normal(&mut self) -> f32 {
        let bits = self.draws.next_u64();
        let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        (sum as f32 - 2.0 * 65_535.0) * (1.732_050_8 / 65_536.0)
    }
}
