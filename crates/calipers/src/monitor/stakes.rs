//! How much is staked on g: the wealth of one account.

use serde::{Deserialize, Serialize};

/// λ and the share of the account that is staked so. Most is staked in full, which is best while g
/// is what it seems; the rest survives the times when it is not. Against equal shares this is three
/// to seven points of power in the test `errors_are_found`; staking all in full would be up to two
/// more.
const PLAN: [(f64, f64); 3] = [(1.0, 0.8), (0.5, 0.1), (0.25, 0.1)];

/// The most that is staked of what there is: no row costs more than a factor of 50.
const MOST: f64 = 0.98;

/// The logarithm of the wealth of each part of the plan, which began with 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Stakes {
    log_wealths: [f64; PLAN.len()],
}

impl Stakes {
    pub fn new() -> Self {
        Self { log_wealths: [0.0; PLAN.len()] }
    }

    #[cfg(test)]
    pub fn set(&mut self, log_wealths: [f64; PLAN.len()]) {
        self.log_wealths = log_wealths;
    }

    /// Pays out: each part is multiplied by 1 + 0.98 λ (g_Y/f_Y − 1), given the logarithm of the
    /// ratio.
    pub fn settle(&mut self, log_ratio: f64) {
        for (log_wealth, (lambda, _)) in self.log_wealths.iter_mut().zip(PLAN) {
            *log_wealth += log_factor(MOST * lambda, log_ratio);
        }
    }

    /// Pays out bets on rows that belong together: each part is divided among them equally, so that it is
    /// multiplied by the mean of the rows' factors, which is 1 in expectation however they depend on each
    /// other.
    pub fn settle_together(&mut self, log_ratios: &[f64]) {
        let count = log_ratios.len() as f64;
        for (log_wealth, (lambda, _)) in self.log_wealths.iter_mut().zip(PLAN) {
            let factors = || log_ratios.iter().map(|&ratio| log_factor(MOST * lambda, ratio));
            let best = factors().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = factors().map(|factor| (factor - best).exp()).sum();
            *log_wealth += best + (sum / count).ln();
        }
    }

    /// The logarithm of the wealth of the best part.
    pub fn log_best(&self) -> f64 {
        self.log_wealths.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether this can be the wealth after so many rows. A ratio is at most 1/f_Y, and the smallest
    /// positive number is exp(−745).
    pub fn is_sound(&self, rows: usize) -> bool {
        let (least, most) = ((1.0 - MOST).ln(), 745.0);
        let rows = rows as f64 + 1e-9;
        self.log_wealths.iter().all(|log| (least * rows..=most * rows).contains(log))
    }
}

/// ln(1 − c + c·ratio), for any ratio whose logarithm is finite.
fn log_factor(c: f64, log_ratio: f64) -> f64 {
    if log_ratio > 0.0 {
        log_ratio + (c + (1.0 - c) * (-log_ratio).exp()).ln()
    } else {
        (1.0 - c + c * log_ratio.exp()).ln()
    }
}

/// The logarithm of the mean wealth of accounts.
pub(super) fn log_mean<'a>(accounts: impl Iterator<Item = &'a Stakes> + Clone) -> f64 {
    let best = accounts.clone().map(Stakes::log_best).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut count) = (0.0, 0.0);
    for account in accounts {
        for (log_wealth, (_, share)) in account.log_wealths.iter().zip(PLAN) {
            sum += share * (log_wealth - best).exp();
        }
        count += 1.0;
    }
    best + (sum / count).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_what_the_formula_says_and_stays_finite_beyond_it() {
        for c in [0.98, 0.49, 0.245] {
            for ratio in [1e-300, 1e-3, 0.5, 1.0, 1.5, 20.0, 1e300] {
                let formula = f64::ln(1.0 + c * (ratio - 1.0));
                let found = log_factor(c, f64::ln(ratio));
                // The logarithm of a ratio loses an ulp of ln 1e300 at most.
                assert!((found - formula).abs() < 1e-12, "{c} {ratio}: {found} {formula}");
            }
            assert!((log_factor(c, 745.0) - 745.0 - c.ln()).abs() < 1e-12);
            assert!((log_factor(c, -1e9) - (1.0 - c).ln()).abs() < 1e-12);
        }
    }

    #[test]
    fn shares_add_up_and_the_mean_is_that_of_the_wealths() {
        assert!((PLAN.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-15);
        let accounts = [
            Stakes { log_wealths: [f64::ln(2.0), f64::ln(3.0), f64::ln(4.0)] },
            Stakes { log_wealths: [f64::ln(10.0), 0.0, f64::ln(0.5)] },
        ];
        let mean = (0.8 * 2.0 + 0.1 * 3.0 + 0.1 * 4.0 + 0.8 * 10.0 + 0.1 + 0.1 * 0.5) / 2.0;
        assert!((log_mean(accounts.iter()) - f64::ln(mean)).abs() < 1e-14);
        // Wealths that no double holds.
        let poor = [Stakes { log_wealths: [-1e6, -1e6 - 5.0, -2e6] }];
        let expected = -1e6 + f64::ln(0.8 + 0.1 * f64::exp(-5.0));
        assert!((log_mean(poor.iter()) - expected).abs() < 1e-9);
    }
}
