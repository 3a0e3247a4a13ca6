//! Cross-fitting: each fold's predictions by a g that was fitted without it.

use ndarray::Array2;
use rayon::prelude::*;

use crate::clock::Clock;
use crate::error::Result;
use crate::loss::Purpose;
use crate::problem::Problem;
use crate::recalibrate::Recalibrator;

/// What to fit, to what.
pub(crate) struct CrossFit<'a> {
    pub problem: &'a Problem<'a>,
    pub recalibrator: &'a dyn Recalibrator,
    pub seed: u64,
    pub clock: &'a Clock<'a>,
}

/// A fold's rows with their recalibrated predictions.
pub(crate) struct HeldOut {
    /// Where the rows stand in the problem.
    pub places: Vec<u32>,
    /// Whether the fit met its tolerance.
    pub converged: bool,
    /// One set of predictions for each purpose that g distinguishes.
    predictions: Vec<Array2<f64>>,
    /// Which set serves each of the purposes asked for; none if there was nothing to learn from.
    serving: Vec<usize>,
}

impl HeldOut {
    /// g for the n-th purpose asked for; `None` if g = f.
    pub fn predictions(&self, number: usize) -> Option<&[f64]> {
        self.predictions.get(*self.serving.get(number)?)?.as_slice()
    }
}

impl CrossFit<'_> {
    /// Fits and predicts every fold, in parallel; the folds come back in their order.
    pub fn run(&self, folds: &[u32], count: usize, purposes: &[Purpose]) -> Result<Vec<HeldOut>> {
        let folds = &self.problem.arrange(folds);
        (0..count as u32)
            .into_par_iter()
            .map(|fold| {
                self.clock.check()?;
                let held_out = self.fold(folds, fold, purposes)?;
                self.clock.tick()?;
                Ok(held_out)
            })
            .collect()
    }

    fn fold(&self, folds: &[u32], fold: u32, purposes: &[Purpose]) -> Result<HeldOut> {
        let (places, f) = self.problem.held_out(folds, fold);
        let Some(sample) = self.problem.training(folds, fold) else {
            // Every training row has weight 0: there is nothing to learn, and g stays at f.
            let (predictions, serving) = (Vec::new(), Vec::new());
            return Ok(HeldOut { places, converged: true, predictions, serving });
        };
        let fitted = self.recalibrator.fit(&sample, derive_seed(self.seed, &[u64::from(fold)]))?;
        drop(sample);
        let mut served: Vec<Purpose> = Vec::new();
        let (mut predictions, mut serving) = (Vec::new(), Vec::new());
        for &purpose in purposes {
            let purpose = fitted.serves(purpose);
            let known = served.iter().position(|already| *already == purpose);
            if known.is_none() {
                let mut g = Array2::zeros(f.dim());
                fitted.predict_into(f.view(), purpose, g.view_mut())?;
                served.push(purpose);
                predictions.push(g);
            }
            serving.push(known.unwrap_or(served.len() - 1));
        }
        Ok(HeldOut { places, converged: fitted.converged(), predictions, serving })
    }
}

/// A seed of its own for each place in the computation (splitmix64 over the path to it).
pub(crate) fn derive_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(seed, |state, step| {
        let mut z = state.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
