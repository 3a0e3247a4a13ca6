use rand::Rng;

/// A distribution over a few outcomes or thousands, from which one is drawn by a look into a guide and,
/// where that leaves it open, a step or two up the sums of probabilities.
///
/// The first bits of a random word choose a place of the guide, which knows the first outcome that the word
/// can mean; all 32 bits, and where these cannot tell another 32, decide whether it is that one or one
/// further up. It is made in one pass over the probabilities. An outcome of probability 0 is never drawn.
///
/// ## Reference
/// Chen and Asau, *On generating random variates from an empirical distribution*, 1974.
pub(super) struct Ladder {
    /// The word's last bits, which the guide does not look at.
    rest: u32,
    guide: Vec<u32>,
    /// For each outcome, up to the last that is possible, the sum of the probabilities up to its own, as 64
    /// binary digits.
    ends: Vec<(u32, u32)>,
}

/// Places of the guide, at the least: with a few outcomes, hardly any of them leaves something open.
const LEAST_BITS: u32 = 7;

impl Ladder {
    /// Of probabilities that add up to 1, but for rounding.
    pub fn new(probabilities: &[f64]) -> Self {
        let possible = probabilities.iter().rposition(|p| *p > 0.0).map_or(0, |last| last + 1);
        let bits = possible.next_power_of_two().trailing_zeros().max(LEAST_BITS);
        let mut guide = Vec::with_capacity(1 << bits);
        let mut ends = Vec::with_capacity(possible);
        let mut sum = 0.0;
        for (outcome, p) in probabilities[..possible].iter().enumerate() {
            sum += p;
            // What rounding leaves above 1 is cut off.
            let end = (sum * 2f64.powi(64)) as u64;
            ends.push(((end >> 32) as u32, end as u32));
            // Every place that begins below the end and has no outcome yet.
            let places = if end == 0 { 0 } else { ((end - 1) >> (64 - bits)) as usize + 1 };
            if places > guide.len() {
                guide.resize(places, outcome as u32);
            }
        }
        guide.resize(1 << bits, possible.saturating_sub(1) as u32);
        // The last one possible has all that rounding left over.
        if let Some(last) = ends.last_mut() {
            *last = (u32::MAX, u32::MAX);
        }
        Self { rest: 32 - bits, guide, ends }
    }

    /// The outcome of a random word; `more` gives another, which is hardly ever asked for.
    #[inline(always)]
    pub fn draw(&self, word: u32, more: &mut impl Rng) -> u32 {
        let mut outcome = self.guide[(word >> self.rest) as usize] as usize;
        // Nearly always one step or none, which no branch is to guess.
        outcome += usize::from(word > self.ends[outcome].0);
        if word >= self.ends[outcome].0 {
            outcome = self.climb(word, outcome, more.next_u32());
        }
        outcome as u32
    }

    /// The outcome of 64 digits, from one on that is not above it.
    #[cold]
    fn climb(&self, word: u32, from: usize, second: u32) -> usize {
        let above = self.ends[from..].iter().position(|end| (word, second) < *end);
        above.map_or(self.ends.len() - 1, |steps| from + steps)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_drawn_as_likely;
    use super::*;
    use crate::numeric::random::generator;

    #[test]
    fn outcomes_are_drawn_as_often_as_they_are_likely() {
        assert_drawn_as_likely(Ladder::new, |table, word, more| table.draw(word, more));
    }

    /// Words on both sides of every border, and on it, against the definition: the first outcome whose sum
    /// is above the 64 digits.
    #[test]
    fn every_word_means_what_the_sums_say() {
        let mut draws = generator(3, 1);
        for outcomes in [1usize, 2, 3, 10, 100, 300, 1_000] {
            let mut p: Vec<f64> = (0..outcomes).map(|_| f64::from(draws.next_u32())).collect();
            p.iter_mut().step_by(3).skip(1).for_each(|p| *p *= 1e-12);
            p.iter_mut().step_by(7).skip(1).for_each(|p| *p = 0.0);
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            let table = Ladder::new(&p);
            let last = table.ends.len() - 1;
            for &(high, low) in &table.ends {
                for word in [high.saturating_sub(1), high, high.saturating_add(1)] {
                    for second in [0, low.saturating_sub(1), low, u32::MAX] {
                        let digits = (word, second);
                        let above = table.ends.iter().position(|end| digits < *end);
                        let expected = above.unwrap_or(last).min(last);
                        let found = table.draw(word, &mut Fixed(second)) as usize;
                        assert_eq!(found, expected, "{outcomes}: {word} {second}");
                        assert!(p[found] > 0.0);
                    }
                }
            }
        }
    }

    /// A generator of one word.
    struct Fixed(u32);

    impl rand::TryRng for Fixed {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.into())
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill(0);
            Ok(())
        }
    }
}
