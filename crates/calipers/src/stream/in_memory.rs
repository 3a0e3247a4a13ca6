//! The door to an estimate of rows in memory: all are learnt from, or a sample where they are too many.

use rayon::prelude::*;

use super::plan::Plan;
use super::rows::Rows;
use super::sampler::{Sampler, usual_sample};
use super::tally::Tally;
use crate::data::Predictions;
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
    /// them.
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
        let most = self.sample_or(usual_sample(predictions.classes()));
        if predictions.rows() <= most {
            return self.estimate_all(predictions);
        }
        self.check(predictions)?;
        self.pooled(|| self.estimate_sampled(predictions, most))
    }

    /// Learns from a sample of so many rows, and scores them all.
    fn estimate_sampled(&self, predictions: &Predictions<'_>, most: usize) -> Result<Report> {
        let rows = Rows::of(predictions, &self.folds);
        let sampler = || Sampler::new(most, self.own_seed()).expecting(predictions.rows() as u64);
        let sample = in_parts(&rows, sampler, Sampler::add, Sampler::merge)?;
        let class_of: Vec<u32> = (0..predictions.classes() as u32).collect();
        let groups = predictions.groups().map_or(&[][..], |groups| &groups.names);
        let plan = Plan::fit(self, sample.finish()?, &class_of, predictions.class_names(), groups)?;
        let add = |tally: &mut Tally, rows: &Rows<'_>| tally.add(&plan, rows);
        let merge = |all: &mut Tally, own: Tally| all.merge(&own);
        let mut report = plan.finish(&in_parts(&rows, || plan.tally(), add, merge)?)?;
        report.origin = predictions.origin().cloned();
        report.renormalised_rows = predictions.renormalised_rows();
        Ok(report)
    }
}

/// What all rows come to: a part for each thread, a block at a time, put together.
fn in_parts<T: Send>(
    rows: &Rows<'_>,
    new: impl Fn() -> T + Sync,
    add: impl Fn(&mut T, &Rows<'_>) -> Result<()> + Sync,
    merge: impl Fn(&mut T, T) -> Result<()>,
) -> Result<T> {
    let size = rows.count().div_ceil(rayon::current_num_threads());
    let starts: Vec<usize> = (0..rows.count()).step_by(size).collect();
    let part = |start: usize| -> Result<T> {
        let (mut own, end) = (new(), rows.count().min(start + size));
        for from in (start..end).step_by(BLOCK) {
            stop::check()?;
            add(&mut own, &rows.some(from..end.min(from + BLOCK)))?;
        }
        Ok(own)
    };
    let parts: Vec<T> = starts.into_par_iter().map(part).collect::<Result<_>>()?;
    let mut all = new();
    parts.into_iter().try_for_each(|own| merge(&mut all, own))?;
    Ok(all)
}
