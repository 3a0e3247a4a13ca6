//! The door to an estimate: checked, given threads, driven, with the groups at the end.

use super::estimator::Estimator;
use super::observer::{Nobody, Observer};
use super::report::Report;
use crate::data::Predictions;
use crate::error::Result;

impl Estimator {
    /// Estimates every metric.
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
    /// assert_eq!(report.rows, 500);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    ///
    /// # Errors
    /// Settings that make no sense, fewer rows than folds, a metric that these predictions do not
    /// have, a recalibrator from outside that failed, or
    /// [`Error::Stopped`](crate::Error::Stopped) by the watcher or the handle.
    pub fn estimate(&self, predictions: &Predictions<'_>) -> Result<Report> {
        self.estimate_observed(predictions, &mut Nobody)
    }

    /// As [`estimate`](Self::estimate), while somebody looks on.
    pub(crate) fn estimate_observed(
        &self,
        predictions: &Predictions<'_>,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Report> {
        // Settings that make no sense are refused before any thread is started.
        self.check(predictions)?;
        // Without a handle of the user's, the watcher's word is for this estimate alone.
        let stop = self.stop.clone().unwrap_or_default();
        self.pooled(|| {
            let mut report = self.whole(predictions, &stop, observer)?;
            if let Some(groups) = predictions.groups() {
                report.groups = Some(self.groups(predictions, groups, &stop)?);
            }
            Ok(report)
        })
    }
}
