//! Clopper and Pearson's bounds of a probability.

use statrs::function::beta::checked_beta_reg;

/// Halvings of the interval that a bound is sought in: what is left is far below what rows can show.
const HALVINGS: usize = 30;

/// The largest p for which at most `observed` of so many draws have a probability of `level` or more.
///
/// ## Reference
/// Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*,
/// 1934.
pub fn at_most(observed: u64, draws: u64, level: f64) -> f64 {
    if observed >= draws {
        return 1.0;
    }
    let (mut low, mut high) = (observed as f64 / draws as f64, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if is_at_most(middle, observed, draws, level) { low = middle } else { high = middle }
    }
    high
}

/// Whether a probability is within the bound.
pub fn is_at_most(probability: f64, observed: u64, draws: u64, level: f64) -> bool {
    if observed >= draws || probability <= observed as f64 / draws as f64 {
        return true;
    }
    // P(at most so many) = 1 − I_p(observed + 1, draws − observed) = I_(1−p)(draws − observed, observed + 1).
    let (a, b) = ((draws - observed) as f64, observed as f64 + 1.0);
    checked_beta_reg(a, b, 1.0 - probability).map_or(true, |tail| tail >= level)
}

/// The smallest p for which at least `observed` of so many draws have a probability of `level` or more.
pub fn at_least(observed: u64, draws: u64, level: f64) -> f64 {
    1.0 - at_most(draws - observed.min(draws), draws, level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy's `beta.ppf(1 - level, k + 1, n - k)` and `beta.ppf(level, k, n - k + 1)`.
    #[test]
    fn the_bounds_are_scipys() {
        for (observed, draws, level, above, below) in [
            (3, 10, 0.05, 0.606_624_216_105, 0.087_264_433_914),
            (0, 40, 1e-6, 0.292_054_215_615, 0.0),
            (40, 40, 1e-6, 1.0, 0.707_945_784_384),
            (700, 1000, 1e-8, 0.776_955_814_639, 0.614_523_168_186),
        ] {
            let (most, least) = (at_most(observed, draws, level), at_least(observed, draws, level));
            assert!((most - above).abs() < 2e-9, "{observed} of {draws}: {most}");
            assert!((least - below).abs() < 2e-9, "{observed} of {draws}: {least}");
        }
    }
}
