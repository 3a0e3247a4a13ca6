//! Several tests at once.

/// Holm's adjustment: the smallest of m p-values is multiplied by m, the next by m − 1, and so on, and
/// none may be smaller than one before it. Rejecting what is below α then rejects a true hypothesis
/// with a probability of at most α, however the tests depend on each other.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &place) in order.iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        largest = largest.max((remaining * p_values[place]).min(1.0));
        adjusted[place] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of R's `p.adjust(c(0.01, 0.02, 0.03, 0.5), "holm")`, by hand: 4·0.01, 3·0.02,
    /// max(2·0.03, 0.06), 0.5.
    #[test]
    fn p_values_are_multiplied_step_by_step() {
        let adjusted = holm(&[0.5, 0.02, 0.01, 0.03]);
        for (found, expected) in adjusted.iter().zip([0.5, 0.06, 0.04, 0.06]) {
            assert!((found - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert!((holm(&[0.9, 0.8])[1] - 1.0).abs() < 1e-15);
    }
}
