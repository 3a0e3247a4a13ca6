//! Cross-fitting: each fold's predictions by a g that was fitted without it.

use std::sync::Mutex;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::problem::Problem;
use crate::recalibrate::Recalibrator;
use crate::sample::Sample;

/// What to fit, to what.
pub(crate) struct CrossFit<'a> {
    pub problem: &'a Problem<'a>,
    pub recalibrator: &'a dyn Recalibrator,
    pub seed: u64,
    pub clock: &'a Clock<'a>,
}

/// The recalibrated predictions of a fold's rows, in ascending order of the rows.
pub(crate) struct HeldOut {
    /// Whether the fit met its tolerance.
    pub converged: bool,
    /// What kept the cost of the fit bounded.
    pub approximations: Vec<String>,
    /// One set of predictions for each purpose that g distinguishes.
    predictions: Vec<Array2<f64>>,
    /// Which set serves each of the purposes asked for; none if there was nothing to learn from.
    serving: Vec<usize>,
}

impl HeldOut {
    /// g for the n-th purpose asked for, row after row; nothing if g = f.
    pub fn predictions(&self, number: usize) -> &[f64] {
        let set = self.serving.get(number).and_then(|&set| self.predictions.get(set));
        set.and_then(|set| set.as_slice()).unwrap_or_default()
    }
}

/// Copies of rows that a fold needs while it is fitted; handed on from fold to fold, because the
/// system takes longer to find new memory than to fill old.
struct Scratch {
    sample: Sample,
    f: Vec<f64>,
}

impl CrossFit<'_> {
    /// Fits and predicts every fold, in parallel; the folds come back in their order.
    pub fn run(&self, folds: &[u32], count: usize, purposes: &[Purpose]) -> Result<Vec<HeldOut>> {
        let arranged = &self.problem.arrange(folds);
        let spare: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());
        (0..count as u32)
            .into_par_iter()
            .map(|fold| {
                self.clock.check()?;
                let used = spare.lock().ok().and_then(|mut spare| spare.pop());
                let mut scratch =
                    used.unwrap_or_else(|| Scratch { sample: Sample::empty(), f: Vec::new() });
                let held_out = self.fold(folds, arranged, Some(fold), purposes, &mut scratch)?;
                if let Ok(mut spare) = spare.lock() {
                    spare.push(scratch);
                }
                self.clock.tick()?;
                Ok(held_out)
            })
            .collect()
    }

    /// Fits to all rows and predicts the same rows.
    pub fn in_sample(&self, purposes: &[Purpose]) -> Result<HeldOut> {
        let mut scratch = Scratch { sample: Sample::empty(), f: Vec::new() };
        let found = self.fold(&vec![0; self.problem.rows()], &[], None, purposes, &mut scratch)?;
        self.clock.tick()?;
        Ok(found)
    }

    /// Fits to the rows outside a fold and predicts those inside; without a fold, to all and all.
    fn fold(
        &self,
        folds: &[u32],
        arranged: &[u32],
        fold: Option<u32>,
        purposes: &[Purpose],
        Scratch { sample, f }: &mut Scratch,
    ) -> Result<HeldOut> {
        if !self.problem.training(arranged, fold, sample) {
            // Every training row has weight 0: there is nothing to learn, and g stays at f.
            let (approximations, predictions, serving) = (Vec::new(), Vec::new(), Vec::new());
            return Ok(HeldOut { converged: true, approximations, predictions, serving });
        }
        let place = fold.map_or(u64::MAX, u64::from);
        let fitted = self.recalibrator.fit(sample, derive_seed(self.seed, &[place]))?;
        self.clock.check()?;
        f.clear();
        let mut buffer = vec![0.0; self.problem.classes()];
        for (row, _) in
            folds.iter().enumerate().filter(|(_, of)| fold.is_none_or(|fold| **of == fold))
        {
            f.extend_from_slice(self.problem.prediction(row, &mut buffer));
        }
        let shape = (f.len() / self.problem.classes(), self.problem.classes());
        let f = ArrayView2::from_shape(shape, f)
            .map_err(|error| Error::External { reason: error.to_string() })?;
        let mut served: Vec<Purpose> = Vec::new();
        let mut serving = Vec::with_capacity(purposes.len());
        for &purpose in purposes {
            let purpose = fitted.serves(purpose);
            let known = served.iter().position(|already| *already == purpose);
            serving.push(known.unwrap_or(served.len()));
            if known.is_none() {
                served.push(purpose);
            }
        }
        let predictions = fitted.predict_each(f, &served)?;
        let (converged, approximations) = (fitted.converged(), fitted.approximations());
        Ok(HeldOut { converged, approximations, predictions, serving })
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
