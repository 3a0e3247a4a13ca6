//! A mixture of predictions, by maximum likelihood on rows that they have not seen.

use fearless_simd::{Level, Simd, dispatch, f64x4, prelude::*};

use crate::numeric::simd::{LANES, padded};

/// How often the weights are improved.
const STEPS: usize = 50;

/// As if each member had this much of a row's weight for itself: none is ruled out for good.
const PSEUDO_COUNT: f64 = 0.5;

/// How often the share of the mixture is narrowed down by half.
const HALVINGS: usize = 20;

/// What the mixture has to gain, in nats over all rows of mean weight, to take the place of the careful
/// member.
const CARE: f64 = 2.0;

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

    /// The shares of two halves of the rows, as far from the one of this member alone as one half's shares
    /// improve on it in the other; and how far from f, of which the halves have these probabilities, all of
    /// that improves on it.
    pub fn solve_halves(halves: [Self; 2], member: usize, f: [&[f64]; 2]) -> (Vec<f64>, f64) {
        // What the mixture adds to the member in a row, as a share of what the member says; and the
        // member to f.
        let mut added: Vec<(f64, f64)> = Vec::new();
        let mut beside_f: Vec<f64> = Vec::new();
        for (own, other) in [(0, 1), (1, 0)] {
            let (shares, f, other) = (halves[own].solve(), f[other], &halves[other]);
            let rows = other.given.chunks_exact(padded(other.members));
            added.extend(rows.zip(&other.weights).map(|(given, &weight)| {
                let mixed: f64 =
                    given.iter().zip(&shares).map(|(given, share)| given * share).sum();
                (mixed / given[member] - 1.0, weight)
            }));
            let rows = other.given.chunks_exact(padded(other.members));
            beside_f.extend(rows.zip(f).map(|(given, f)| given[member] / f));
        }
        let share = careful_share(&added);
        let used: Vec<(f64, f64)> = added
            .iter()
            .zip(&beside_f)
            .map(|((added, weight), beside)| (beside * (1.0 + share * added) - 1.0, *weight))
            .collect();
        let used = careful_share(&used);
        let [mut all, other] = halves;
        all.given.extend(other.given);
        all.weights.extend(other.weights);
        let mut shares = all.solve();
        shares.iter_mut().for_each(|one| *one *= share);
        shares[member] += 1.0 - share;
        (shares, used)
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

/// The share λ, from 0 to 1, under which Σ w ln(1 + λ a), what is gained in all rows, less λ times
/// [`CARE`], is largest.
fn careful_share(added: &[(f64, f64)]) -> f64 {
    let total: f64 = added.iter().map(|(_, weight)| weight).sum();
    let care = CARE * total / added.len().max(1) as f64;
    let slope = |share: f64| {
        let gained: f64 = added.iter().map(|(a, weight)| weight * a / (1.0 + share * a)).sum();
        gained - care
    };
    // It is concave: between where it rises and where it falls.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}
