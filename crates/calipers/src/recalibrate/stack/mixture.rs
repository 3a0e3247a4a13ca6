//! A mixture of predictions, by maximum likelihood on rows that they have not seen.

use fearless_simd::{Level, Simd, dispatch, f64x4, prelude::*};

use crate::numeric::simd::{LANES, padded};

/// How often the weights are improved.
const STEPS: usize = 50;

/// As if each member had this much of a row's weight for itself: none is ruled out for good.
const PSEUDO_COUNT: f64 = 0.5;

/// The rows that a mixture is fitted to: what each member says of the class that was observed.
pub(super) struct Mixture {
    members: usize,
    /// Row after row, each filled up by zeros to whole vectors.
    given: Vec<f64>,
    weights: Vec<f64>,
}

impl Mixture {
    pub fn new(members: usize) -> Self {
        Self { members, given: Vec::new(), weights: Vec::new() }
    }

    /// Adds a row: each member's probability, positive, of the observed class.
    pub fn add(&mut self, given: impl Iterator<Item = f64>, weight: f64) {
        let filler = std::iter::repeat(0.0);
        self.given.extend(given.chain(filler).take(padded(self.members)));
        self.weights.push(weight);
    }

    /// The weights m of the mixture Σ m_i g_i under which the labels are likeliest, nearly: 50 steps
    /// of expectation and maximisation from equal weights.
    pub fn solve(&self) -> Vec<f64> {
        let mut shares = vec![1.0 / self.members as f64; self.members];
        shares.resize(padded(self.members), 0.0);
        for _ in 0..STEPS {
            let mut counts = vec![0.0; shares.len()];
            dispatch!(Level::new(), simd => self.count(simd, &shares, &mut counts));
            counts[..self.members].iter_mut().for_each(|count| *count += PSEUDO_COUNT);
            let total: f64 = counts.iter().sum();
            shares.iter_mut().zip(&counts).for_each(|(share, count)| *share = count / total);
        }
        shares.truncate(self.members);
        shares
    }

    /// Adds up, for each member, the part of each row's weight that it accounts for.
    #[inline(always)]
    fn count<S: Simd>(&self, simd: S, shares: &[f64], counts: &mut [f64]) {
        let (shares, counts) = (shares.as_chunks::<LANES>().0, counts.as_chunks_mut::<LANES>().0);
        let rows = self.given.as_chunks::<LANES>().0.chunks_exact(shares.len());
        for (given, &weight) in rows.zip(&self.weights) {
            let mut total = f64x4::splat(simd, 0.0);
            for (share, given) in shares.iter().zip(given) {
                total += f64x4::load_array_ref(simd, share) * f64x4::load_array_ref(simd, given);
            }
            let scale = weight / total.reduce_sum();
            for (count, given) in counts.iter_mut().zip(given) {
                let part = f64x4::load_array_ref(simd, given) * scale;
                (f64x4::load_array_ref(simd, count) + part).store_array(count);
            }
        }
        for (count, share) in counts.iter_mut().zip(shares) {
            (f64x4::load_array_ref(simd, count) * f64x4::load_array_ref(simd, share))
                .store_array(count);
        }
    }
}
