//! A g that sees features beside the one that does not, and beside itself with a feature shuffled.

use ndarray::{Array2, Axis, Slice};
use rand::seq::SliceRandom;
use rayon::prelude::*;

use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::Estimator;
use crate::estimate::bound::{Inflation, Moments, Spread, Together};
use crate::estimate::observer::Observer;
use crate::estimate::report::{FeatureGain, FeatureShare};
use crate::estimate::scorer::Scorer;
use crate::estimate::track::Findings;
use crate::loss::{Purpose, Scope};
use crate::numeric::random::{derive_seed, generator};
use crate::recalibrate::Fitted;

/// The place of shuffles among everything that is seeded.
const SHUFFLES: u64 = 1 << 42;

/// Features are shuffled in at most so many rows, evenly taken: that tells them apart, and every one of them
/// costs as much as a prediction of all rows.
const MOST_SHUFFLED: usize = 10_000;

/// What is held against what, metric by metric.
pub(super) struct Beside<'a> {
    weights: Option<&'a [f64]>,
    together: Option<Together<'a>>,
    /// The features that are shuffled at once.
    shuffled: &'a [Vec<usize>],
    seed: u64,
    metrics: Vec<Held>,
    /// The first fault of a g; looking on cannot fail.
    fault: Option<crate::Error>,
    observed: u64,
}

/// One metric.
struct Held {
    scorer: Scorer,
    /// How many problems of its scope have been seen in this repeat.
    seen: usize,
    /// What the g of f and features finds beyond that of f alone.
    gain: Moments,
    /// And beyond itself with some features shuffled.
    lost: Vec<Moments>,
}

impl<'a> Beside<'a> {
    pub fn new(
        asked: &Estimator,
        predictions: &'a Predictions<'_>,
        shuffled: &'a [Vec<usize>],
    ) -> Result<Self> {
        let metrics = asked.metrics_or_default(predictions.classes())?;
        let held = |metric| {
            let scorer = Scorer::new(metric, predictions.classes(), asked.binary, asked.floor())?;
            let kept = scorer.scope == Scope::Classwise || predictions.clusters().is_some();
            let moments = || Moments::new(predictions.rows(), kept);
            let lost = shuffled.iter().map(|_| moments()).collect();
            Ok(Held { scorer, seen: 0, gain: moments(), lost })
        };
        Ok(Self {
            weights: predictions.weights(),
            together: Together::of(predictions),
            shuffled,
            seed: derive_seed(asked.own_seed(), &[SHUFFLES]),
            metrics: metrics.iter().map(held).collect::<Result<_>>()?,
            fault: None,
            observed: 0,
        })
    }

    /// What was found of each metric, and of each set of features.
    ///
    /// # Errors
    /// A g that failed.
    pub fn finish(
        self,
        asked: &Estimator,
        predictions: &Predictions<'_>,
        names: &[String],
    ) -> Result<(Vec<FeatureGain>, Vec<FeatureShare>)> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let inflation = asked.inflation(predictions);
        let gain = |scorer: &Scorer, spread: Spread, inflation: &Inflation| FeatureGain {
            metric: scorer.name.clone(),
            value: spread.mean,
            stderr: spread.stderr(inflation),
            lower: spread.lower(inflation, asked.confidence),
        };
        let gains = self.metrics.iter();
        let gains = gains.map(|held| gain(&held.scorer, held.gain.spread(), &inflation)).collect();
        let share = |(place, columns): (usize, &Vec<usize>)| FeatureShare {
            names: columns.iter().map(|&column| names[column].clone()).collect(),
            lost: self
                .metrics
                .iter()
                .map(|held| gain(&held.scorer, held.lost[place].spread(), &inflation))
                .collect(),
        };
        let mut shares: Vec<FeatureShare> = self.shuffled.iter().enumerate().map(share).collect();
        let first = |share: &FeatureShare| share.lost.first().map_or(0.0, |lost| lost.value);
        shares.sort_by(|a, b| first(b).total_cmp(&first(a)));
        Ok((gains, shares))
    }

    /// Adds what one fold's g says of its rows.
    fn fold(
        &mut self,
        found: &Findings<'_, '_>,
        rows: &[usize],
        fitted: &dyn Fitted,
    ) -> Result<()> {
        let problem = found.problem;
        let scope = found.scope;
        let mut purposes: Vec<Purpose> = Vec::new();
        for held in self.metrics.iter().filter(|held| held.scorer.scope == scope) {
            let purpose = fitted.serves(held.scorer.purpose());
            if !purposes.contains(&purpose) {
                purposes.push(purpose);
            }
        }
        let f = predictions_of(found, rows);
        let given = match problem.features_of(rows) {
            Some(features) => fitted.predict_given(f.view(), &features, &purposes)?,
            None => fitted.predict_each(f.view(), &purposes)?,
        };
        let alone = fitted.predict_each(f.view(), &purposes)?;
        let every = problem.rows().div_ceil(MOST_SHUFFLED).max(1);
        let some: Vec<usize> = rows.iter().copied().step_by(every).collect();
        let step = Slice::new(0, None, every as isize);
        let taken = |table: &Array2<f64>| table.slice_axis(Axis(0), step).to_owned();
        let (some_f, some_given) = (taken(&f), given.iter().map(taken).collect::<Vec<_>>());
        let mut order: Vec<u32> = (0..some.len() as u32).collect();
        order.shuffle(&mut generator(self.seed, self.observed));
        self.observed += 1;
        let shuffled: Vec<Vec<Array2<f64>>> = self
            .shuffled
            .par_iter()
            .map(|columns| match problem.features_of(&some) {
                Some(features) => {
                    let features = features.swapped(columns, &order);
                    fitted.predict_given(some_f.view(), &features, &purposes)
                }
                None => Ok(some_given.clone()),
            })
            .collect::<Result<_>>()?;
        let labels = |rows: &[usize]| -> Vec<u32> {
            rows.iter().map(|&row| problem.label(row) as u32).collect()
        };
        let (all_labels, some_labels) = (labels(rows), labels(&some));
        let share = |held: &Held| found.share * held.scorer.factor;
        let of_scope = self.metrics.iter_mut().filter(|held| held.scorer.scope == scope);
        of_scope.collect::<Vec<_>>().into_par_iter().for_each(|held| {
            let purpose = fitted.serves(held.scorer.purpose());
            let place = purposes.iter().position(|known| *known == purpose).unwrap_or(0);
            let share = share(held);
            let apart =
                |f: &Array2<f64>, g: &[Array2<f64>], other: &[Array2<f64>], labels: &[u32]| {
                    held.scorer.between(f.view(), [g[place].view(), other[place].view()], labels)
                };
            let gains = apart(&f, &given, &alone, &all_labels);
            let losses: Vec<_> = shuffled
                .iter()
                .map(|other| apart(&some_f, &some_given, other, &some_labels))
                .collect();
            for (&row, gain) in rows.iter().zip(gains) {
                held.gain.add(row, problem.weight(row), gain, share);
            }
            for (moments, losses) in held.lost.iter_mut().zip(losses) {
                for (&row, lost) in some.iter().zip(losses) {
                    moments.add(row, problem.weight(row), lost, share);
                }
            }
        });
        Ok(())
    }
}

/// The predictions of some rows.
fn predictions_of(found: &Findings<'_, '_>, rows: &[usize]) -> Array2<f64> {
    let classes = found.problem.classes();
    let mut buffer = vec![0.0; classes];
    let mut table = Array2::zeros((rows.len(), classes));
    for (&row, mut to) in rows.iter().zip(table.rows_mut()) {
        let f = found.problem.prediction(row, &mut buffer);
        to.iter_mut().zip(f).for_each(|(to, f)| *to = *f);
    }
    table
}

impl Observer for Beside<'_> {
    fn wants(&self, scope: Scope) -> Option<Purpose> {
        let mut own = self.metrics.iter().filter(|held| held.scorer.scope == scope);
        own.next().map(|held| held.scorer.purpose())
    }

    fn observe(&mut self, found: &Findings<'_, '_>, _: usize) {
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); found.held_out.len()];
        found.folds.iter().enumerate().for_each(|(row, &fold)| rows_of[fold as usize].push(row));
        for (held_out, rows) in found.held_out.iter().zip(&rows_of) {
            // Where nothing was learnt every g is f.
            if let Some(fitted) = &held_out.fitted
                && self.fault.is_none()
                && let Err(fault) = self.fold(found, rows, fitted.as_ref())
            {
                self.fault = Some(fault);
            }
        }
        let problems = (1.0 / found.share).round() as usize;
        let (weights, together) = (self.weights, self.together.as_ref());
        for held in self.metrics.iter_mut().filter(|held| held.scorer.scope == found.scope) {
            held.seen += 1;
            if held.seen == problems {
                held.seen = 0;
                held.gain.end_repeat(weights, together);
                held.lost.iter_mut().for_each(|lost| lost.end_repeat(weights, together));
            }
        }
    }
}
