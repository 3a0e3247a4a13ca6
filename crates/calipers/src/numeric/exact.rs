//! Sums that are the same to the last bit in whatever order, and in however many parts, terms come.

use serde::{Deserialize, Serialize};

/// A quantum is 2⁻⁴⁰: terms are meant to be of order 1.
const QUANTA: f64 = (1u64 << 40) as f64;

/// Between 2¹² and 2¹³ a double has steps of one quantum: adding this rounds to whole quanta, and the bits
/// then count them.
const ROUNDER: f64 = 6144.0;

/// Terms below this stay between 2¹² and 2¹³ when the rounder is added.
const SMALL: f64 = 2048.0;

/// Half of what there is room for: no sum of sensible terms comes near it, and none that was cut off
/// comes back from it.
const FULL: u128 = 1 << 126;

/// A sum of doubles, each rounded once to a whole number of quanta: whole numbers add up without
/// rounding, so the sum depends on nothing but its terms.
///
/// A superaccumulator would keep every bit of every term, and takes several times as long; here a term
/// of order 1 loses 2⁻⁴¹ at most, which is far below the noise of any score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exact(i128);

impl Exact {
    /// Adds a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        self.0 = self.0.saturating_add(quanta(term));
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The sum.
    pub fn value(self) -> f64 {
        self.0 as f64 / QUANTA
    }

    /// Whether terms were too large to be added up.
    pub fn is_full(self) -> bool {
        self.0.unsigned_abs() > FULL
    }
}

/// A term as whole quanta, rounded to even.
#[inline]
fn quanta(term: f64) -> i128 {
    if term.abs() < SMALL {
        let counted = (term + ROUNDER).to_bits() as i64 - ROUNDER.to_bits() as i64;
        return counted.into();
    }
    (term * QUANTA).round_ties_even() as i128
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Adding a constant rounds as rounding does, on both sides of the border and at ties.
        #[test]
        fn small_terms_are_rounded_as_large_ones(term in -4096.0..4096.0f64, halves in -9i32..9) {
            for term in [term, term * 2f64.powi(-30), f64::from(halves) / 2.0 / QUANTA] {
                let slowly = (term * QUANTA).round_ties_even() as i128;
                prop_assert_eq!(quanta(term), slowly);
            }
        }

        #[test]
        fn any_order_and_any_parts_give_the_same_bits(
            terms in prop::collection::vec(-1e6..1e6f64, 1..60),
            cut in 0usize..60,
        ) {
            let sum = |terms: &[f64]| {
                let mut sum = Exact::default();
                terms.iter().for_each(|term| sum.add(*term));
                sum
            };
            let whole = sum(&terms);
            let (first, second) = terms.split_at(cut.min(terms.len()));
            let mut parts = sum(second);
            parts.merge(sum(first));
            prop_assert_eq!(whole, parts);
            // Each term is off by half a quantum at the most, and the sum by its own last bit.
            let plain: f64 = terms.iter().sum();
            prop_assert!((whole.value() - plain).abs() <= 60.0 / QUANTA + 1e-8);
        }
    }

    #[test]
    fn what_is_too_large_is_noticed() {
        let mut sum = Exact::default();
        sum.add(1e30);
        sum.add(-1.0);
        assert!(sum.is_full());
        let mut other = Exact::default();
        other.add(1.5);
        assert!(!other.is_full() && (other.value() - 1.5).abs() <= 0.0);
    }
}
