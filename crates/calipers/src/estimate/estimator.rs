//! What an estimate is asked for.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::best::is_affordable;
use super::bound::Inflation;
use super::score_test::Test;
use super::upper::Assumption;
use crate::data::{Folds, Predictions};
use crate::error::{Error, Result};
use crate::loss::{BinaryNorm, Metric};
use crate::recalibrate::{Recalibrator, default_recalibrator, informed, is_default};
use crate::run::{Stop, Watcher, pooled};

/// Estimates calibration errors by cross-validation.
///
/// One fit a fold serves all metrics of a scope. The result is the same to the last bit for any
/// number of threads. Cost: folds × repeats fits on n(1 − 1/folds) rows, for each of: the whole
/// vector, the top class if a `top-` metric is asked for, every class if a `classwise-` one is.
///
/// Defaults: [`Metric::defaults`]; recalibrator `auto`; 5 shuffled folds; 1 repeat;
/// seed 0; as many threads as the machine has cores.
///
/// ```
/// use calipers::{Estimator, Predictions, recalibrator, simulate};
///
/// let predictions = simulate("binary-overconfident", 2000, 0)?;
/// let report = Estimator::new()
///     .metric("l1".parse()?)
///     .metric("over-l1".parse()?)
///     .recalibrator(recalibrator("isotonic")?)
///     .folds(5)
///     .estimate(&predictions)?;
/// let l1 = report.get("l1").unwrap();
/// assert!((l1.value - 0.137).abs() < 4.0 * l1.stderr);
/// assert_eq!(l1.scores.len(), 2000);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Clone)]
pub struct Estimator {
    metrics: Vec<Metric>,
    recalibrator: Arc<dyn Recalibrator>,
    pub(crate) folds: Folds,
    pub(crate) repeats: usize,
    seed: u64,
    pub(crate) confidence: f64,
    pub(super) draws: Option<usize>,
    pub(super) test: Test,
    pub(super) bracket: bool,
    pub(super) best: bool,
    pub(super) assumption: Option<Assumption>,
    pub(crate) binary: BinaryNorm,
    log_floor: Option<f64>,
    threads: usize,
    sample: Option<usize>,
    watcher: Option<Arc<Watcher>>,
    pub(super) stop: Option<Stop>,
}

impl Default for Estimator {
    fn default() -> Self {
        Self {
            metrics: Vec::new(),
            recalibrator: default_recalibrator(),
            folds: Folds::default(),
            repeats: 1,
            seed: 0,
            confidence: 0.95,
            draws: None,
            test: Test::default(),
            bracket: false,
            best: false,
            assumption: None,
            binary: BinaryNorm::default(),
            log_floor: None,
            threads: 0,
            sample: None,
            watcher: None,
            stop: None,
        }
    }
}

impl Estimator {
    /// The default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a metric. Without any, [`Metric::defaults`] are estimated.
    #[must_use]
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metrics.push(metric);
        self
    }

    /// Adds several metrics.
    #[must_use]
    pub fn metrics(mut self, metrics: impl IntoIterator<Item = Metric>) -> Self {
        self.metrics.extend(metrics);
        self
    }

    /// Chooses the recalibrator g; [`recalibrator`](crate::recalibrator) makes one from its name.
    #[must_use]
    pub fn recalibrator(mut self, recalibrator: Arc<dyn Recalibrator>) -> Self {
        self.recalibrator = recalibrator;
        self
    }

    /// This many shuffled folds.
    #[must_use]
    pub fn folds(self, count: usize) -> Self {
        self.fold_plan(Folds::Shuffled(count))
    }

    /// Folds of either kind.
    #[must_use]
    pub fn fold_plan(mut self, folds: Folds) -> Self {
        self.folds = folds;
        self
    }

    /// Draws the folds this often and averages.
    #[must_use]
    pub fn repeats(mut self, repeats: usize) -> Self {
        self.repeats = repeats;
        self
    }

    /// The seed of the folds and of recalibrators that draw at random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The confidence of lower bounds, between 0 and 1.
    #[must_use]
    pub fn confidence(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// How often labels are drawn from the predictions for the p-value; 0 for no p-value. By default
    /// 999 times, and fewer, but at least 199, where rows × classes exceed 400,000.
    #[must_use]
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Where the test behind the p-value looks. With [`Test::Refit`] 99 drawings are the default.
    #[must_use]
    pub fn test(mut self, test: Test) -> Self {
        self.test = test;
        self
    }

    /// Adds the in-sample estimate, which errs upwards, beside the cross-fitted one, which errs
    /// downwards. It costs one more fit a problem.
    #[must_use]
    pub fn bracket(mut self, bracket: bool) -> Self {
        self.bracket = bracket;
        self
    }

    /// Adds a best guess of each error, with an interval on both sides: `auto`'s, of rows that do not belong
    /// together, and as long as rows × classes are no more than 4 million. It costs one more fit and those
    /// of some `isotonic` ones.
    ///
    /// ```
    /// use calipers::{Estimator, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 2_000, 0)?;
    /// let report = Estimator::new().metric("l1".parse()?).best(true).estimate(&predictions)?;
    /// // The truth is 0.137.
    /// let (low, high) = report.estimates[0].interval.unwrap();
    /// assert!((report.estimates[0].best.unwrap() - 0.137).abs() < 0.03 && low < 0.137 && high > 0.137);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    #[must_use]
    pub fn best(mut self, best: bool) -> Self {
        self.best = best;
        self
    }

    /// Adds upper confidence bounds, which hold if this does.
    ///
    /// ```
    /// use calipers::{Assumption, Estimator, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 2_000, 0)?;
    /// let estimator = Estimator::new().metric("l1".parse()?).assume(Assumption::Monotone);
    /// let l1 = estimator.estimate(&predictions)?.estimates.remove(0);
    /// // The truth is 0.137.
    /// assert!(l1.lower < 0.137 && l1.upper.unwrap() > 0.137);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    #[must_use]
    pub fn assume(mut self, assumption: Assumption) -> Self {
        self.assumption = Some(assumption);
        self
    }

    /// How the norm of a two-class error is taken.
    #[must_use]
    pub fn binary(mut self, binary: BinaryNorm) -> Self {
        self.binary = binary;
        self
    }

    /// Floors f and g in the `log` metrics.
    #[must_use]
    pub fn log_floor(mut self, floor: f64) -> Self {
        self.log_floor = Some(floor);
        self
    }

    /// How many threads to use; 0 for as many as there are cores.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// How many rows g learns from at the most; `usize::MAX` for all, however long it takes. By default
    /// [`usual_sample`](crate::usual_sample), or all where folds were given.
    ///
    /// ```
    /// use calipers::{Estimator, recalibrator, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 20_000, 0)?;
    /// let estimator = Estimator::new().recalibrator(recalibrator("isotonic")?);
    /// let report = estimator.sample(2_000).estimate(&predictions)?;
    /// assert_eq!((report.rows, report.sample), (20_000, Some(2_000)));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    #[must_use]
    pub fn sample(mut self, rows: usize) -> Self {
        self.sample = Some(rows);
        self
    }

    /// Watches the progress, and may stop it; where a handle was given to
    /// [`stop`](Self::stop), through that handle.
    #[must_use]
    pub fn watch(
        mut self,
        watcher: impl Fn(usize, usize) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// A handle by which the estimate can be stopped, also in the middle of a fit.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    pub(crate) fn check(&self, predictions: &Predictions<'_>) -> Result<()> {
        let setting = |name, reason: String| Err(Error::Setting { name, reason });
        if self.repeats == 0 {
            return setting("repeats", "0: at least 1 is needed".to_owned());
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return setting("confidence", format!("{} is not between 0 and 1", self.confidence));
        }
        if let Some(floor) = self.log_floor
            && !(0.0..1.0).contains(&floor)
        {
            return setting("log floor", format!("{floor} is not at least 0 and below 1"));
        }
        if self.sample == Some(0) {
            return setting("sample", "0 rows: g has to learn from some".to_owned());
        }
        let clusters = predictions.clusters();
        if clusters.is_some() && self.test == Test::Refit {
            return setting("test", "a refitted test takes rows for independent".to_owned());
        }
        if clusters.is_some() && self.sample.is_some_and(|rows| rows < predictions.rows()) {
            let reason = "rows that belong together cannot be learnt from in part".to_owned();
            return setting("sample", reason);
        }
        if self.assumption.is_some() {
            let part = predictions.rows() > self.sample_or(usize::MAX);
            let unbounded = [
                (predictions.weights().is_some(), "have weights"),
                (clusters.is_some(), "belong together"),
                (part, "are learnt from in part"),
            ];
            if let Some((_, what)) = unbounded.into_iter().find(|(so, _)| *so) {
                return setting("assume", format!("there is no upper bound where rows {what}"));
            }
        }
        self.folds.check(predictions.rows(), clusters, self.repeats)
    }

    /// Refuses to bound from above what is not all in memory.
    pub(crate) fn refuse_assumption(&self) -> Result<()> {
        if self.assumption.is_none() {
            return Ok(());
        }
        let reason = "there is no upper bound where rows are learnt from in part".to_owned();
        Err(Error::Setting { name: "assume", reason })
    }

    /// The metrics that were asked for, or those of so many classes.
    pub(crate) fn metrics_or_default(&self, classes: usize) -> Result<Vec<Metric>> {
        if self.metrics.is_empty() {
            Metric::defaults(classes).iter().map(|name| name.parse()).collect()
        } else {
            Ok(self.metrics.clone())
        }
    }

    /// The same settings for the rows of one group.
    pub(crate) fn within(&self, folds: Folds, confidence: f64, draws: usize) -> Self {
        // Without a word from the user a refitted test has its own default.
        let draws = self.draws.or((self.test == Test::Score).then_some(draws));
        Self { folds, confidence, draws, watcher: None, best: false, ..self.clone() }
    }

    /// The same settings for a g that sees features, and nothing but estimates.
    pub(super) fn informed(&self) -> Self {
        Self {
            recalibrator: informed(Arc::clone(&self.recalibrator)),
            draws: Some(0),
            bracket: false,
            best: false,
            assumption: None,
            watcher: None,
            ..self.clone()
        }
    }

    /// The same settings for other metrics.
    #[must_use]
    pub(crate) fn only(self, metrics: Vec<Metric>) -> Self {
        Self { metrics, ..self }
    }

    /// The same settings for these metrics of so many classes, too.
    pub(crate) fn with_metrics(
        &self,
        classes: usize,
        more: impl IntoIterator<Item = Metric>,
    ) -> Result<Self> {
        let mut metrics = self.metrics_or_default(classes)?;
        for metric in more {
            if metrics.iter().all(|already| already.to_string() != metric.to_string()) {
                metrics.push(metric);
            }
        }
        Ok(self.clone().only(metrics))
    }

    /// Whether to guess how large errors of these predictions are.
    pub(super) fn guesses(&self, predictions: &Predictions<'_>) -> bool {
        self.best
            && predictions.clusters().is_none()
            && is_default(self.learner())
            && is_affordable(predictions.rows(), predictions.classes())
    }

    /// What g is learnt with.
    pub(crate) fn learner(&self) -> &dyn Recalibrator {
        self.recalibrator.as_ref()
    }

    /// The seed of everything random, as it was [asked for](Self::seed).
    pub fn own_seed(&self) -> u64 {
        self.seed
    }

    /// Whoever is told of the progress.
    pub(super) fn watcher(&self) -> Option<&Watcher> {
        self.watcher.as_deref()
    }

    /// How many rows to learn from: as many as were asked for, or these.
    pub(crate) fn sample_or(&self, usual: usize) -> usize {
        self.sample.unwrap_or(usual)
    }

    /// What f and g are floored at in the `log` metrics.
    pub(crate) fn floor(&self) -> f64 {
        self.log_floor.unwrap_or(0.0)
    }

    /// By how much folds, which share rows, make a mean of these predictions' scores less sure. Folds of
    /// clusters are not of equal size, and how much is gained by drawing them again depends on the sizes:
    /// nothing is counted on.
    pub(crate) fn inflation(&self, predictions: &Predictions<'_>) -> Inflation {
        let Some(clusters) = predictions.clusters() else {
            return Inflation::of(&self.folds, self.repeats);
        };
        let ids = self.folds.assign(predictions.rows(), Some(clusters), self.seed, 0);
        Inflation::of(&Folds::Given { ids, count: self.folds.count() }, 1)
    }

    /// Does work on the threads that were asked for, under the handle that was given.
    pub(crate) fn pooled<R: Send>(&self, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        pooled(self.threads, self.stop.as_ref(), work)
    }
}

#[cfg(test)]
mod tests;
