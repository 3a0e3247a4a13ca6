//! The weighted mean of scores, with its standard error.

/// A mean, its plain standard error, and how many scores were infinite.
pub(crate) struct Mean {
    pub value: f64,
    pub stderr: f64,
    pub infinite: usize,
}

/// Σ w s / Σ w over the rows of positive weight.
///
/// The standard error takes the scores as independent: √(Σ w²(s − m)²) / Σ w, times √(m/(m − 1))
/// with m = (Σ w)²/Σ w² rows' worth of information; without weights that is the textbook one. A
/// score of +∞ makes both infinite; otherwise one of −∞ makes the mean −∞.
pub(crate) fn weighted_mean(scores: &[f64], weights: Option<&[f64]>) -> Mean {
    let rows = || {
        scores.iter().enumerate().filter_map(|(row, &score)| {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            (weight > 0.0).then_some((weight, score))
        })
    };
    let infinite = rows().filter(|(_, score)| score.is_infinite()).count();
    if infinite > 0 {
        let upwards = rows().any(|(_, score)| score >= f64::INFINITY);
        let value = if upwards { f64::INFINITY } else { f64::NEG_INFINITY };
        return Mean { value, stderr: f64::INFINITY, infinite };
    }
    let total = sum(rows().map(|(weight, _)| weight));
    let value = sum(rows().map(|(weight, score)| weight * score)) / total;
    let squares = sum(rows().map(|(weight, _)| weight * weight));
    let spread = sum(rows().map(|(weight, score)| (weight * (score - value)).powi(2)));
    let informative = total * total / squares;
    let correction = if informative > 1.0 { informative / (informative - 1.0) } else { 1.0 };
    Mean { value, stderr: (spread * correction).sqrt() / total, infinite }
}

/// Compensated summation (Neumaier): over and under shares of a million rows still add up to the
/// whole.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_textbook_standard_error_without_weights() {
        let mean = weighted_mean(&[1.0, 2.0, 3.0, 4.0], None);
        // Variance 5/3 with n - 1, over n = 4.
        assert!((mean.value - 2.5).abs() < 1e-15);
        assert!((mean.stderr - (5.0f64 / 12.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn scaling_the_weights_changes_nothing_and_weight_zero_counts_for_nothing() {
        let scores = [1.0, 2.0, 4.0, f64::INFINITY];
        let one = weighted_mean(&scores, Some(&[1.0, 2.0, 1.0, 0.0]));
        let ten = weighted_mean(&scores, Some(&[10.0, 20.0, 10.0, 0.0]));
        assert!((one.value - 2.25).abs() < 1e-15 && one.infinite == 0);
        assert!((one.value - ten.value).abs() < 1e-15 && (one.stderr - ten.stderr).abs() < 1e-15);
    }

    #[test]
    fn infinities_are_reported_and_never_become_nan() {
        let both = weighted_mean(&[f64::NEG_INFINITY, f64::INFINITY, 0.0], None);
        assert!(both.value >= f64::INFINITY && both.infinite == 2);
        let down = weighted_mean(&[f64::NEG_INFINITY, 0.0], None);
        assert!(down.value <= f64::NEG_INFINITY && down.infinite == 1);
    }

    #[test]
    fn one_row_has_no_spread() {
        let one = weighted_mean(&[0.25], None);
        assert!((one.value - 0.25).abs() < 1e-15 && one.stderr.abs() < 1e-15);
    }
}
