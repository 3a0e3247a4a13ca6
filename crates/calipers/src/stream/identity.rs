//! Who a row is, and by that whether it is in the sample.

use std::ops::Range;

use twox_hash::XxHash64;

use crate::numeric::random::derive_seed;

/// Rows that a part can number before its numbers run into the next part's.
const PART: u32 = 40;

/// The place of ranks among everything that is seeded.
const RANKS: u64 = 1 << 41;

/// The identity of the row with a key: the XXH64 of the key's text, whichever engine holds it.
///
/// ```
/// use calipers::identity;
///
/// assert_eq!(identity("user-7"), identity("user-7"));
/// assert_ne!(identity("7"), identity("07"));
/// ```
pub fn identity(key: &str) -> u64 {
    XxHash64::oneshot(0, key.as_bytes())
}

/// The identity of a row that has no key: its number in a part, such as a file, counted from 0.
///
/// ```
/// use calipers::place;
///
/// assert!(place(0, 7) < place(0, 8) && place(0, 8) < place(1, 0));
/// ```
pub fn place(part: u32, row: u64) -> u64 {
    (u64::from(part) << PART) + row
}

/// Who the rows of a block are.
#[derive(Debug, Clone, Copy)]
pub enum Identities<'a> {
    /// The rows of a part, in order, from this one on: their place is who they are.
    Numbered {
        /// Which part, such as a file, counted from 0.
        part: u32,
        /// The number of the block's first row in it.
        first: u64,
    },
    /// One identity a row ([`identity`] of its key).
    Keyed(&'a [u64]),
}

impl Identities<'_> {
    /// The identity of a row of the block.
    #[inline]
    pub(super) fn of(&self, row: usize) -> u64 {
        match self {
            Self::Numbered { part, first } => place(*part, first + row as u64),
            Self::Keyed(identities) => identities[row],
        }
    }

    /// Those of some rows of the block.
    pub(super) fn some(&self, range: Range<usize>) -> Self {
        match self {
            Self::Numbered { part, first } => {
                Self::Numbered { part: *part, first: first + range.start as u64 }
            }
            Self::Keyed(identities) => Self::Keyed(&identities[range]),
        }
    }

    /// How many there are, if that is known.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::Numbered { .. } => None,
            Self::Keyed(identities) => Some(identities.len()),
        }
    }
}

/// Ranks of rows: a number drawn for each identity, the same wherever it is drawn. The sample is
/// the rows of the lowest ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranks(u64);

impl Ranks {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(derive_seed(seed, &[RANKS]))
    }

    /// The rank of an identity; two identities have two ranks.
    #[inline]
    pub fn of(self, identity: u64) -> u64 {
        derive_seed(self.0, &[identity])
    }
}

/// Which rows of a block may be among so many drawn from so many: a few more than will be, and never too
/// few but once in 10⁹ samples. For engines in which rows are picked where they are before any are
/// brought together; [`Sampler`](crate::Sampler) then keeps those of the lowest ranks.
///
/// ```
/// use calipers::{Identities, candidates};
///
/// let rows = Identities::Numbered { part: 0, first: 0 };
/// let picked = candidates(&rows, 100_000, 1_000, 100_000, 0);
/// let count = picked.iter().filter(|picked| **picked).count();
/// assert!((1_000..1_400).contains(&count));
/// ```
pub fn candidates(
    identities: &Identities<'_>,
    rows: usize,
    sample: usize,
    total: u64,
    seed: u64,
) -> Vec<bool> {
    let ranks = Ranks::new(seed);
    let highest = highest_candidate(sample, total);
    (0..rows).map(|row| ranks.of(identities.of(row)) <= highest).collect()
}

/// The highest rank that may be in a sample: six standard deviations above the mean of the lowest
/// rank that is not.
pub(super) fn highest_candidate(sample: usize, total: u64) -> u64 {
    let expected = sample as f64 + 6.0 * (sample as f64).sqrt() + 40.0;
    let share = expected / total.max(1) as f64;
    // A share of 1 or more is cut off at all ranks.
    (share * 2f64.powi(64)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value is that of the reference implementation for "abc" and seed 0.
    #[test]
    fn identities_are_those_of_xxh64() {
        assert_eq!(identity("abc"), 0x44bc_2cf5_ad77_0999);
    }

    #[test]
    fn rows_of_two_parts_are_not_mistaken_for_each_other() {
        let first = Identities::Numbered { part: 0, first: (1 << PART) - 1 };
        let second = Identities::Numbered { part: 1, first: 0 };
        assert_ne!(first.of(0), second.of(0));
        assert!(first.of(0) < second.of(0), "parts are in order");
    }

    #[test]
    fn all_rows_are_candidates_where_the_sample_is_as_large_as_the_data() {
        let rows = Identities::Numbered { part: 3, first: 9 };
        assert!(candidates(&rows, 500, 500, 500, 1).iter().all(|picked| *picked));
    }
}
