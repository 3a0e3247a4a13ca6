//! An estimate of rows that are all learnt from: checked, given threads, driven, with the groups at the end.

use super::estimator::Estimator;
use super::observer::{Nobody, Observer};
use super::report::Report;
use crate::data::Predictions;
use crate::error::Result;

impl Estimator {
    /// Estimates every metric, learning from all rows however many there are.
    pub(crate) fn estimate_all(&self, predictions: &Predictions<'_>) -> Result<Report> {
        self.estimate_observed(predictions, &mut Nobody)
    }

    /// As [`estimate_all`](Self::estimate_all), while somebody looks on.
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
            if let Some(features) = predictions.features() {
                report.given_features = Some(self.given_features(predictions, features, &stop)?);
            }
            Ok(report)
        })
    }
}
