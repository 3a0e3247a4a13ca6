//! The door to an estimate of rows in memory: all are learnt from, or a sample where they are too many.

use rayon::prelude::*;

use super::plan::Plan;
use super::rows::Rows;
use super::sampler::{Drawn, usual_sample};
use super::tally::Tally;
use crate::data::{Folds, Predictions};
use crate::error::Result;
use crate::estimate::{Estimator, Report};
use crate::run::stop;

/// Rows that are looked at together: a thread asks between two blocks whether to stop.
const BLOCK: usize = 1 << 16;

impl Estimator {
    /// Estimates every metric.
    ///
    /// Of more rows than [`sample`](Self::sample) says, g is learnt from a sample and every row is scored:
    /// those of the sample by cross-fitting, all others by a g that was fitted to the whole sample. The
    /// report is that of a [`Plan`] with a [`Tally`] of all rows, and of the command for a file that holds
    /// them. Where folds were given, all rows are learnt from unless a sample is asked for.
    ///
    /// Within [`with_pool`](crate::with_pool) it works on the threads of that pool, unless it was
    /// given another [handle](Self::stop); elsewhere it starts its own.
    ///
    /// ```
    /// use calipers::{Estimator, Stop, simulate, with_pool};
    ///
    /// let stop = Stop::new();
    /// let estimator = Estimator::new().stop(stop.clone());
    /// let report = with_pool(2, &stop, || {
    ///     // The predictions are made by one of the pool's threads, too.
    ///     estimator.estimate(&simulate("binary-overconfident", 500, 0)?)
    /// })?;
    /// assert_eq!((report.rows, report.sample), (500, None));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    ///
    /// # Errors
    /// Settings that make no sense, fewer rows than folds, a metric that these predictions do not
    /// have, a recalibrator from outside that failed, or
    /// [`Error::Stopped`](crate::Error::Stopped) by the watcher or the handle.
    pub fn estimate(&self, predictions: &Predictions<'_>) -> Result<Report> {
        let most = self.sample_or(match self.folds {
            Folds::Shuffled(_)
                if predictions.clusters().is_none() && predictions.features().is_none() =>
            {
                usual_sample(predictions.classes())
            }
            // A g of the whole sample would have seen rows of the fold, or of the cluster, that it scores.
            _ => usize::MAX,
        });
        if predictions.rows() <= most {
            return self.estimate_all(predictions);
        }
        self.check(predictions)?;
        self.pooled(|| self.estimate_sampled(predictions, most))
    }

    /// Learns from a sample of so many rows, and scores them all.
    fn estimate_sampled(&self, predictions: &Predictions<'_>, most: usize) -> Result<Report> {
        let rows = Rows::of(predictions, &self.folds);
        let class_of: Vec<u32> = (0..predictions.classes() as u32).collect();
        let groups = predictions.groups().map_or(&[][..], |groups| &groups.names);
        let drawn = Drawn::of(&rows, most, self.own_seed())?;
        let plan = Plan::fit(self, drawn, &class_of, predictions.class_names(), groups)?;
        let mut report = plan.finish(&tally(&plan, &rows)?)?;
        report.origin = predictions.origin().cloned();
        report.renormalised_rows = predictions.renormalised_rows();
        Ok(report)
    }
}

/// Adds all rows up: a part for each thread, a block at a time.
fn tally(plan: &Plan, rows: &Rows<'_>) -> Result<Tally> {
    let size = rows.count().div_ceil(rayon::current_num_threads());
    let part = |start: usize| -> Result<Tally> {
        let (mut own, end) = (plan.tally(), rows.count().min(start + size));
        for from in (start..end).step_by(BLOCK) {
            stop::check()?;
            own.add(plan, &rows.some(from..end.min(from + BLOCK)))?;
        }
        Ok(own)
    };
    let starts: Vec<usize> = (0..rows.count()).step_by(size).collect();
    let parts: Vec<Tally> = starts.into_par_iter().map(part).collect::<Result<_>>()?;
    let mut all = plan.tally();
    parts.iter().try_for_each(|own| all.merge(own))?;
    Ok(all)
}
