use rand::Rng;

/// 64 independent draws that are 1 with the given probability, one a bit.
///
/// A draw is whether a uniform number is below p. Their binary digits are compared from the first one
/// on, 64 numbers at a time, until every comparison is decided: about 7 random words for 64 draws, and
/// exact to the last digit of p.
#[inline]
pub(crate) fn bernoulli(draws: &mut (impl Rng + ?Sized), p: f64) -> u64 {
    if p >= 1.0 {
        return u64::MAX;
    }
    if p.is_nan() || p <= 0.0 {
        return 0;
    }
    let mut below = 0;
    let mut undecided = u64::MAX;
    let mut rest = p;
    while undecided != 0 && rest > 0.0 {
        // The next binary digit of p, exactly: doubling loses nothing.
        rest *= 2.0;
        let digit = rest >= 1.0;
        if digit {
            rest -= 1.0;
        }
        let word = draws.next_u64();
        if digit {
            below |= undecided & !word;
            undecided &= word;
        } else {
            undecided &= !word;
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::generator;

    /// Counts of 64 × 20,000 draws lie within 4.5 standard errors of their mean, and neighbouring bits
    /// agree as often as independent ones do.
    #[test]
    fn bits_are_independent_and_have_the_probability() {
        let mut draws = generator(5, 0);
        for p in [0.5, 0.25, 1e-3, 0.999, 0.1, 2.0 / 3.0, 1e-9] {
            let n = 20_000;
            let (mut ones, mut both) = (0u64, 0u64);
            for _ in 0..n {
                let bits = bernoulli(&mut draws, p);
                ones += u64::from(bits.count_ones());
                both += u64::from((bits & bits.rotate_left(1)).count_ones());
            }
            let total = 64.0 * f64::from(n);
            let within = |count: u64, p: f64| {
                let error = (total * p * (1.0 - p)).sqrt().max(1.0);
                (count as f64 - total * p).abs() < 4.5 * error
            };
            assert!(within(ones, p), "{p}: {ones}");
            // Each bit is in two pairs, so their count varies more than independent pairs would.
            let error = (total * p * p * (1.0 + 2.0 * p - 3.0 * p * p)).sqrt().max(1.0);
            assert!((both as f64 - total * p * p).abs() < 4.5 * error, "{p}: {both}");
        }
        assert_eq!(bernoulli(&mut draws, 0.0), 0);
        assert_eq!(bernoulli(&mut draws, 1.0), u64::MAX);
        assert_eq!(bernoulli(&mut draws, f64::NAN), 0);
    }
}
