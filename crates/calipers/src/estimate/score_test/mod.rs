//! The p-value of "this model is calibrated", by Monte Carlo.
//!
//! Given f, calibration says all there is to say about the labels: each is a draw from its row's f. So
//! labels are drawn from f, again and again, and the p-value is the share of drawings whose statistic
//! is at least that of the labels observed: exact for any statistic, at any n, with any weights.
//!
//! The statistic needs no fit. Two classes: residuals in [`cells`] of like predictions, and the evidence in
//! them for errors of eight kinds, from a shift to a wave ([`shapes`]). More classes: a score test. Which multiples
//! of simple functions φ of f are the residuals r = Y − f correlated with? For each class c, U_c = Σ w φ(f_c) r_c
//! with its covariance I_c under calibration, and T = Σ_c U_cᵀ I_c⁻¹ U_c; φ = (1, z), z = ln f_c, for each,
//! and once more for all classes together, u = Σ w z·r, which is what a wrong temperature moves.

mod alias;
mod bernoulli;
mod cells;
mod counts;
mod ladder;
mod many;
mod refit;
mod shapes;
mod together;
mod two;

use rand_chacha::ChaCha8Rng;

use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::Problem;
use crate::estimate::bound::Together;
use crate::loss::Scope;
use crate::numeric::random::{derive_seed, generator};
use crate::recalibrate::Recalibrator;
use crate::run::stop;
use many::Many;
use refit::refit_p_value;
use two::Two;

pub(crate) use bernoulli::bernoulli;

/// Sets of labels drawn together.
pub(crate) const LANES: usize = 64;

/// Where a test of calibration looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Test {
    /// At the residuals' correlation with functions of the prediction: a shift, a wrong temperature, a
    /// bend, and of two classes smooth errors, bumps and waves. No fit is needed.
    #[default]
    Score,
    /// Where the recalibrator does: it is fitted to every drawing of labels, so there are as many fits
    /// as drawings.
    Refit,
}

/// The p-values of an estimate's problems, each computed once.
///
/// Metrics of the whole vector and of single classes share the whole vector's: what a calibrated
/// class leaves open, how the classes depend on each other, only a calibrated vector settles.
pub(crate) struct PValues<'a> {
    test: Test,
    recalibrator: &'a dyn Recalibrator,
    draws: Option<usize>,
    seed: u64,
    together: Option<Together<'a>>,
    whole: Option<Tested>,
    top: Option<Tested>,
}

/// What came of a test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    pub p_value: f64,
    /// How often labels were drawn.
    pub draws: usize,
}

impl<'a> PValues<'a> {
    /// None yet.
    pub fn new(
        test: Test,
        recalibrator: &'a dyn Recalibrator,
        draws: Option<usize>,
        seed: u64,
        together: Option<Together<'a>>,
    ) -> Self {
        let seed = derive_seed(seed, &[DRAWS]);
        Self { test, recalibrator, draws, seed, together, whole: None, top: None }
    }

    /// Takes the chance to test a problem that has been set up for a fit.
    pub fn see(&mut self, scope: Scope, problem: &Problem<'_>) -> Result<()> {
        let known = match scope {
            Scope::Canonical => &mut self.whole,
            Scope::Top => &mut self.top,
            Scope::Classwise => return Ok(()),
        };
        let automatic = || match self.test {
            Test::Score => automatic_draws(problem.rows(), problem.classes()),
            Test::Refit => REFITS,
        };
        let draws = self.draws.unwrap_or_else(automatic);
        if known.is_none() && draws > 0 {
            let p_value = match (self.test, &self.together) {
                (Test::Score, Some(together)) => {
                    together::p_value(problem, together, draws, self.seed)
                }
                (Test::Score, None) => p_value(problem, draws, self.seed),
                (Test::Refit, _) => refit_p_value(problem, self.recalibrator, draws, self.seed)?,
            };
            *known = Some(Tested { p_value, draws });
        }
        stop::check()
    }

    /// The p-value for a scope.
    pub fn of(&mut self, scope: Scope, predictions: &Predictions<'_>) -> Result<Option<Tested>> {
        if scope == Scope::Top {
            return Ok(self.top);
        }
        if self.whole.is_none() && self.draws != Some(0) {
            let problem = Problem::new(predictions, Scope::Canonical, 0);
            self.see(Scope::Canonical, &problem)?;
        }
        Ok(self.whole)
    }
}

/// Drawings by default where each needs a fit.
const REFITS: usize = 99;

/// The place of the drawings among everything that is seeded.
const DRAWS: u64 = 1 << 40;

/// How many drawings there are by default: 999, and fewer, but not below 199, where rows × classes
/// make 999 slow.
pub(crate) fn automatic_draws(rows: usize, classes: usize) -> usize {
    (400_000_000 / (rows * classes).max(1)).clamp(199, 999)
}

/// (1 + the number of drawings whose statistic is no smaller) / (1 + the number of drawings).
pub(crate) fn p_value(problem: &Problem<'_>, draws: usize, seed: u64) -> f64 {
    if let Some(two) = Two::new(problem) {
        return two.p_value(draws, seed);
    }
    let many = Many::new(problem);
    let (observed, drawn) = (many.observed(), many.drawn(draws, seed));
    // The last bits of sums over rows in another order must not decide.
    let reached = drawn.iter().filter(|&&drawn| drawn >= observed * (1.0 - 1e-9)).count();
    (1 + reached) as f64 / (1 + draws) as f64
}

/// What is known of [`LANES`] sets of labels at a time, of so many in all: each group has a random stream of
/// its own, so that any thread may have it.
fn groups<T>(draws: usize, seed: u64, make: impl Fn(ChaCha8Rng) -> T) -> Vec<T> {
    (0..draws.div_ceil(LANES)).map(|group| make(generator(seed, group as u64))).collect()
}

#[cfg(test)]
mod tests;
