//! The weighted mean of scores.

/// A mean, and how many scores were infinite.
pub(crate) struct Mean {
    pub value: f64,
    pub infinite: usize,
}

/// Σ w s / Σ w over the rows of positive weight. A score of +∞ makes it infinite; otherwise one of −∞
/// makes it −∞.
pub(crate) fn weighted_mean(scores: &[f64], weights: Option<&[f64]>) -> Mean {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let counts = |row: &usize| weight(*row) > 0.0;
    let infinite = || (0..scores.len()).filter(|&row| scores[row].is_infinite()).filter(counts);
    if infinite().next().is_some() {
        let upwards = infinite().any(|row| scores[row].is_sign_positive());
        let value = if upwards { f64::INFINITY } else { f64::NEG_INFINITY };
        return Mean { value, infinite: infinite().count() };
    }
    let n = scores.len();
    // A score of weight 0 may be infinite, and 0·∞ is not 0.
    let finite = |row: usize| if counts(&row) { scores[row] } else { 0.0 };
    let total = weights.map_or(n as f64, |weights| sum(n, |row| weights[row]));
    Mean { value: sum(n, |row| weight(row) * finite(row)) / total, infinite: 0 }
}

/// The sum of n terms by halves, so that its rounding grows with log n: over and under shares of a
/// million rows still add up to the whole.
fn sum(n: usize, term: impl Fn(usize) -> f64 + Copy) -> f64 {
    fn part(from: usize, to: usize, term: impl Fn(usize) -> f64 + Copy) -> f64 {
        if to - from <= 128 {
            return (from..to).map(term).sum();
        }
        let middle = from + (to - from) / 2;
        part(from, middle, term) + part(middle, to, term)
    }
    part(0, n, term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_the_weights_changes_nothing_and_weight_zero_counts_for_nothing() {
        let scores = [1.0, 2.0, 4.0, f64::INFINITY];
        let one = weighted_mean(&scores, Some(&[1.0, 2.0, 1.0, 0.0]));
        let ten = weighted_mean(&scores, Some(&[10.0, 20.0, 10.0, 0.0]));
        assert!((one.value - 2.25).abs() < 1e-15 && one.infinite == 0);
        assert!((one.value - ten.value).abs() < 1e-15);
    }

    #[test]
    fn infinities_are_reported_and_never_become_nan() {
        let both = weighted_mean(&[f64::NEG_INFINITY, f64::INFINITY, 0.0], None);
        assert!(both.value >= f64::INFINITY && both.infinite == 2);
        let down = weighted_mean(&[f64::NEG_INFINITY, 0.0], None);
        assert!(down.value <= f64::NEG_INFINITY && down.infinite == 1);
    }

    /// Longer than the stretch that is summed in one go: 1 + 2 + … + n = n(n + 1)/2, whole numbers
    /// that a double holds exactly.
    #[test]
    fn long_sums_are_put_together_from_their_halves() {
        for n in [127u32, 128, 129, 1_000, 4_099] {
            let scores: Vec<f64> = (1..=n).map(f64::from).collect();
            let expected = f64::from(n + 1) / 2.0;
            let plain = weighted_mean(&scores, None);
            assert_eq!(plain.value.to_bits(), expected.to_bits(), "{n}");
            // With weights that are the scores: Σ i² / Σ i = (2n + 1)/3.
            let weighted = weighted_mean(&scores, Some(&scores));
            let expected = f64::from(2 * n + 1) / 3.0;
            assert!((weighted.value - expected).abs() < 1e-12 * expected, "{n}");
        }
    }

    /// By halves a million terms are rounded some 128 + 13 times each at the most, one after another a
    /// million times.
    #[test]
    fn rounding_does_not_grow_with_the_number_of_rows() {
        let n = 1 << 20;
        let tenth = weighted_mean(&vec![0.1; n], None).value;
        assert!((tenth - 0.1).abs() < 0.1 * 141.0 * f64::EPSILON, "{tenth:e}");
        let in_turn = vec![0.1; n].iter().sum::<f64>() / n as f64;
        assert!((in_turn - 0.1).abs() > 0.1 * 141.0 * f64::EPSILON, "{in_turn:e}");
    }
}
