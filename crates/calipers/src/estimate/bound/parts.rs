//! Two parts of the data as one: rows that g was cross-fitted on, and rows that it never saw.

use super::{FEWEST_ROWS, Inflation, Spread, quantile};

/// The mean of a sample's held-out scores and of the scores of all other rows, each part with its share
/// of the weight.
///
/// Given the sample, the other rows are independent of each other and of g: their mean is off by its own
/// noise alone, and needs no allowance for what folds share. What is allowed for the sample is allowed for
/// its part (docs/method.md, "A sample and the rest").
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub sample: Spread,
    pub rest: Spread,
    /// The rest's share of the weight, from 0 to 1.
    pub share: f64,
}

impl Parts {
    /// The mean; +∞ if any score is, else −∞ if any score is.
    pub fn mean(&self) -> f64 {
        let parts = [(1.0 - self.share, self.sample.mean), (self.share, self.rest.mean)];
        let parts = parts.into_iter().filter(|(share, _)| *share > 0.0);
        parts.fold(0.0, |sum, (share, mean)| {
            let up = sum >= f64::INFINITY || mean >= f64::INFINITY;
            if up { f64::INFINITY } else { sum + share * mean }
        })
    }

    /// The standard error.
    pub fn stderr(&self, inflation: &Inflation) -> f64 {
        if self.mean().is_infinite() {
            return f64::INFINITY;
        }
        self.margin(inflation.factor().sqrt(), 1.0)
    }

    /// A number that the calibration error exceeds with this confidence; at least 0.
    pub fn lower(&self, inflation: &Inflation, confidence: f64) -> f64 {
        let mean = self.mean();
        if mean.is_infinite() {
            return mean.max(0.0);
        }
        let rows = self.rows();
        if rows < FEWEST_ROWS {
            return 0.0;
        }
        // Half of the confidence or less would put the bound above the mean.
        let alone = quantile(rows, confidence).max(0.0);
        let one_sign = quantile(rows, 0.5 + 0.5 * confidence);
        let bound = mean - self.margin((alone * inflation.factor().sqrt()).max(one_sign), alone);
        if bound > 0.0 { bound } else { 0.0 }
    }

    /// How many unweighted rows carry as much information.
    pub fn rows(&self) -> f64 {
        let sample = if self.share < 1.0 { self.sample.rows } else { 0.0 };
        sample + if self.share > 0.0 { self.rest.rows } else { 0.0 }
    }

    /// The standard deviations of both parts, so many times each.
    fn margin(&self, sample: f64, rest: f64) -> f64 {
        let part = |share: f64, times: f64, spread: &Spread| {
            let times = if share > 0.0 { share * times } else { 0.0 };
            if times > 0.0 { times * times * spread.variance } else { 0.0 }
        };
        (part(1.0 - self.share, sample, &self.sample) + part(self.share, rest, &self.rest)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Folds;

    fn spread(mean: f64, rows: f64) -> Spread {
        Spread { mean, variance: 0.25 / rows, rows }
    }

    #[test]
    fn a_sample_alone_is_bounded_as_it_is_and_the_rest_alone_without_allowance() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        let (sample, rest) = (spread(0.1, 1e4), spread(0.2, 1e6));
        let alone = Parts { sample, rest, share: 0.0 };
        let bound = sample.lower(&inflation, 0.95);
        assert!((alone.lower(&inflation, 0.95) - bound).abs() < 1e-15);
        assert!((alone.stderr(&inflation) - sample.stderr(&inflation)).abs() < 1e-15);
        let rest = Parts { sample, rest, share: 1.0 };
        // The normal quantile 1.644854 of a standard error of 0.0005; Student's differs by 2e-6.
        assert!((rest.lower(&inflation, 0.95) - (0.2 - 1.644854 * 5e-4)).abs() < 2e-9);
        assert!((rest.mean() - 0.2).abs() < 1e-15);
    }

    #[test]
    fn both_parts_are_weighed_by_their_shares() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        let both = Parts { sample: spread(0.1, 1e4), rest: spread(0.2, 3e4), share: 0.75 };
        assert!((both.mean() - 0.175).abs() < 1e-15);
        // ¼² · 2 · 0.25e-4 + ¾² · 0.25/3e4.
        let variance: f64 = 0.0625 * 2.0 * 0.25e-4 + 0.5625 * 0.25 / 3e4;
        assert!((both.stderr(&inflation) - variance.sqrt()).abs() < 1e-15);
        assert!((both.rows() - 4e4).abs() < 1e-9);
    }

    #[test]
    fn an_infinite_row_anywhere_is_an_infinite_mean() {
        let inflation = Inflation::of(&Folds::Shuffled(5), 1);
        let infinite = Spread { mean: f64::INFINITY, variance: 0.0, rows: 10.0 };
        let down = Spread { mean: f64::NEG_INFINITY, ..infinite };
        for (sample, rest, mean) in [
            (infinite, spread(0.1, 9.0), f64::INFINITY),
            (down, infinite, f64::INFINITY),
            (spread(0.1, 9.0), down, f64::NEG_INFINITY),
        ] {
            let parts = Parts { sample, rest, share: 0.5 };
            assert_eq!(parts.mean().to_bits(), mean.to_bits());
            assert!(parts.stderr(&inflation).is_infinite());
        }
    }
}
