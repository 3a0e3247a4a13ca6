use rand::Rng;

use super::alias::Alias;

/// The number of rows of class 1, where each row is so with its own probability: the Poisson-binomial
/// distribution. It is made row by row, which takes rows²/2 multiplications, and drawn from by one look.
pub(super) struct Counts(Alias);

impl Counts {
    /// The most rows: one more would take twice as many slots.
    pub const MOST: usize = 63;

    /// Of at most [`Counts::MOST`] rows, by the probabilities of both classes.
    pub fn new(rows: &[[f64; 2]]) -> Self {
        let (mut now, mut next) = ([0.0; Self::MOST + 2], [0.0; Self::MOST + 2]);
        // From the second place on: the first stays 0.
        now[1] = 1.0;
        for (number, &[not, one]) in rows.iter().enumerate() {
            let (before, same) = (&now[..number + 2], &now[1..number + 3]);
            for ((next, before), same) in next[1..number + 3].iter_mut().zip(before).zip(same) {
                *next = same * not + before * one;
            }
            (now, next) = (next, now);
        }
        Self(Alias::new(&now[1..rows.len() + 2]))
    }

    /// The count of a random word.
    #[inline(always)]
    pub fn draw(&self, word: u32, more: &mut impl Rng) -> u32 {
        self.0.draw(word, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::generator;

    /// Mean and variance of 100,000 draws are Σp and Σp(1 − p), within 4.5 standard errors; the variance of
    /// the variance of nearly normal numbers is 2σ⁴/n, and a little more for a few rows.
    #[test]
    fn counts_have_the_moments_of_sums_of_rows() {
        let mut draws = generator(8, 0);
        for rows in [1, 2, 7, 40, Counts::MOST] {
            let p = |row: usize| ((row * 37 + 11) % 100) as f64 / 100.0;
            let pairs: Vec<[f64; 2]> = (0..rows).map(|row| [1.0 - p(row), p(row)]).collect();
            let (table, n) = (Counts::new(&pairs), 100_000);
            let found: Vec<f64> =
                (0..n).map(|_| table.draw(draws.next_u32(), &mut draws).into()).collect();
            let mean = found.iter().sum::<f64>() / f64::from(n);
            let variance = found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
            let expected: f64 = pairs.iter().map(|pair| pair[1]).sum();
            let spread: f64 = pairs.iter().map(|[not, one]| not * one).sum();
            let error = (spread / f64::from(n)).sqrt();
            assert!((mean - expected).abs() < 4.5 * error, "{rows}: {mean}");
            let error = ((2.0 * spread * spread + spread) / f64::from(n)).sqrt();
            assert!((variance - spread).abs() < 4.5 * error, "{rows}: {variance}");
        }
    }

    #[test]
    fn what_is_certain_stays_so() {
        let mut draws = generator(8, 1);
        let table = Counts::new(&[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]);
        for _ in 0..1_000 {
            assert_eq!(table.draw(draws.next_u32(), &mut draws), 2);
        }
    }
}
