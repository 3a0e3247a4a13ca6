//! A g that sees features beside f: another one's, moved by trees.
//!
//! A row's way: [`columns`] turn f and the features into places between borders, categories of many levels by
//! their [`statistics`]; [`grown`] trees move the g of f alone, and [`strength`] says how far; [`model`] holds
//! it all and predicts.

mod columns;
mod grown;
mod model;
mod statistics;
mod strength;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

use super::boost::{BinnedRows, deal};
use super::{Fitted, Recalibrator};
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::numeric::random::derive_seed;
use crate::run::stop;
use columns::Columns;
use grown::Grown;
use model::Model;
pub(super) use model::{NAME, load};
use strength::strength;

/// Inner folds: without each of them the g of f alone is learnt once more, and a forest grows.
const INNER: usize = 4;

/// The most classes: trees have a histogram for each.
const MOST_CLASSES: usize = 128;

/// A recalibrator whose g sees features beside f, if its [`Sample`] has them: g(f, x) is proportional to
/// g(f) exp(s·δ(f, x)), where g(f) is another one's and δ the sum of boosted trees.
///
/// The trees start where the g of f alone ends, learnt without the rows that they learn from, so that they find
/// what it has not found. Each of four inner folds stops a forest that grew on the others, and all of them
/// together say how far to go: where the features know nothing s is 0, and g is that of f alone to the bit.
/// Numbers have 31 borders, and what is missing lies below all; categories of up to eight levels are asked for
/// one by one, of more by the mean of what the g of f alone left over, in which no row counts itself.
///
/// Cost: five fits of the other one, and up to a hundred trees of 4·n·(features + classes) a fold.
///
/// ```
/// use std::sync::Arc;
/// use calipers::{FeatureRows, Features, Predictions, Purpose, Sample, informed, recalibrator};
///
/// // Of those who are given 50 %, half are in the south, where it happens four times out of five.
/// let south = |row: usize| row % 2 == 0;
/// let labels: Vec<usize> = (0..400).map(|row| usize::from((row / 2 % 5 < 4) == south(row))).collect();
/// let region: Vec<_> = (0..400).map(|row| Some(if south(row) { "south" } else { "north" })).collect();
/// let predictions = Predictions::binary(vec![0.5; 400], &labels)?
///     .with_features(Features::new().category("region", &region)?)?;
/// let fitted = informed(recalibrator("auto")?).fit(&Sample::from(&predictions), 0)?;
/// let there = Features::new().category("region", &[Some("south")])?;
/// let f = ndarray::array![[0.5, 0.5]];
/// let g = fitted.predict_given(f.view(), &FeatureRows::all(Arc::new(there)), &[Purpose::Use])?;
/// assert!((g[0][[0, 1]] - 0.8).abs() < 0.1);
/// # Ok::<(), calipers::Error>(())
/// ```
///
/// ## Reference
/// Hébert-Johnson, Kim, Reingold and Rothblum, *Multicalibration: calibration for the (computationally
/// identifiable) masses*, 2018, for what it approaches; Prokhorenkova et al., *CatBoost: unbiased boosting with
/// categorical features*, 2018, for statistics in which no row counts itself.
pub fn informed(recalibrator: Arc<dyn Recalibrator>) -> Arc<dyn Recalibrator> {
    Arc::new(Informed { base: recalibrator })
}

struct Informed {
    base: Arc<dyn Recalibrator>,
}

impl Recalibrator for Informed {
    fn name(&self) -> String {
        self.base.name()
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        let base = self.base.fit(sample, seed)?;
        let Some(features) = sample.features() else { return Ok(base) };
        let classes = sample.classes();
        if classes > MOST_CLASSES {
            let reason =
                format!("{classes} classes: with features there are {MOST_CLASSES} at most");
            return Err(Error::Setting { name: "features", reason });
        }
        let folds = INNER.min(sample.rows());
        let fold_of = deal(sample.labels(), classes, folds, derive_seed(seed, &[0]));
        let start = self.left_out(sample, &fold_of, folds, seed)?;
        let (columns, bins) = Columns::fit(sample, features, &start, derive_seed(seed, &[1]));
        let rows = BinnedRows {
            features: columns.count(),
            classes,
            bins,
            borders: columns.borders().collect(),
            labels: sample.labels().to_vec(),
            weights: (0..sample.rows()).map(|row| sample.weight(row)).collect(),
            probs: start,
        };
        let (grown, moved) = Grown::train(self.base.grows(), &rows, &fold_of, folds, seed);
        stop::check()?;
        let strength = strength(&rows, &moved);
        Ok(Box::new(Model { base, columns, grown, strength }))
    }
}

impl Informed {
    /// What the g of f alone says of each row, learnt without the row's fold.
    fn left_out(
        &self,
        sample: &Sample,
        fold_of: &[u32],
        folds: usize,
        seed: u64,
    ) -> Result<Vec<f64>> {
        let classes = sample.classes();
        let parts: Vec<(Vec<u32>, Vec<f64>)> = (0..folds as u32)
            .into_par_iter()
            .map(|fold| {
                let part = |inside: bool| -> Vec<u32> {
                    let rows = 0..sample.rows() as u32;
                    rows.filter(|&row| (fold_of[row as usize] == fold) == inside).collect()
                };
                let (own, others) = (part(true), part(false));
                let held_out = sample.select(&own);
                if others.is_empty() {
                    // A single row: nothing to learn from.
                    return Ok((own, held_out.probs().iter().copied().collect()));
                }
                let seed = derive_seed(seed, &[2, u64::from(fold)]);
                let fitted = self.base.fit(&sample.select(&others), seed)?;
                let g = fitted.predict_each(held_out.probs(), &[Purpose::Log])?;
                Ok((own, g.iter().flatten().copied().collect()))
            })
            .collect::<Result<_>>()?;
        let mut all = vec![0.0; sample.rows() * classes];
        for (rows, g) in parts {
            for (row, g) in rows.into_iter().zip(g.chunks_exact(classes)) {
                all[row as usize * classes..(row as usize + 1) * classes].copy_from_slice(g);
            }
        }
        Ok(all)
    }
}
