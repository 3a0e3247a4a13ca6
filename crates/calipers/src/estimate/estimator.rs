//! The paper's Algorithm 1: fit on all folds but one, score the one, average.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use super::bound::Inflation;
use super::cross_fit::CrossFit;
use super::decompose::decompose;
use super::problem::Problem;
use super::report::Report;
use super::score_test::{PValues, Test};
use super::track::{Found, Track};
use crate::data::{Folds, Predictions};
use crate::error::{Error, Result};
use crate::figure::Mover;
use crate::loss::{BinaryNorm, Metric, Purpose, Scope};
use crate::numeric::random::derive_seed;
use crate::recalibrate::{Recalibrator, default_recalibrator};
use crate::run::{Clock, Stop, Watcher, with_pool};

/// Estimates calibration errors by cross-validation.
///
/// One fit a fold serves all metrics of a scope. The result is the same to the last bit for any
/// number of threads. Cost: folds × repeats fits on n(1 − 1/folds) rows, for each of: the whole
/// vector, the top class if a `top-` metric is asked for, every class if a `classwise-` one is.
///
/// Defaults: `l1`, `l2`, `brier` and `log`; recalibrator `auto`; 5 shuffled folds; 1 repeat;
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
    draws: Option<usize>,
    test: Test,
    bracket: bool,
    binary: BinaryNorm,
    log_floor: Option<f64>,
    threads: usize,
    watcher: Option<Arc<Watcher>>,
    stop: Option<Stop>,
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
            binary: BinaryNorm::default(),
            log_floor: None,
            threads: 0,
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

    /// Adds a metric. Without any, `l1`, `l2`, `brier` and `log` are estimated.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metrics.push(metric);
        self
    }

    /// Adds several metrics.
    pub fn metrics(mut self, metrics: impl IntoIterator<Item = Metric>) -> Self {
        self.metrics.extend(metrics);
        self
    }

    /// Chooses the recalibrator g; [`recalibrator`](crate::recalibrator) makes one from its name.
    pub fn recalibrator(mut self, recalibrator: Arc<dyn Recalibrator>) -> Self {
        self.recalibrator = recalibrator;
        self
    }

    /// This many shuffled folds.
    pub fn folds(self, count: usize) -> Self {
        self.fold_plan(Folds::Shuffled(count))
    }

    /// Folds of either kind.
    pub fn fold_plan(mut self, folds: Folds) -> Self {
        self.folds = folds;
        self
    }

    /// Draws the folds this often and averages.
    pub fn repeats(mut self, repeats: usize) -> Self {
        self.repeats = repeats;
        self
    }

    /// The seed of the folds and of recalibrators that draw at random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The confidence of lower bounds, between 0 and 1.
    pub fn confidence(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// How often labels are drawn from the predictions for the p-value; 0 for no p-value. By default
    /// 999 times, and fewer, but at least 99, where rows × classes exceed 50,000.
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Where the test behind the p-value looks. With [`Test::Refit`] 99 drawings are the default.
    pub fn test(mut self, test: Test) -> Self {
        self.test = test;
        self
    }

    /// Adds the in-sample estimate, which errs upwards, beside the cross-fitted one, which errs
    /// downwards. It costs one more fit a problem.
    pub fn bracket(mut self, bracket: bool) -> Self {
        self.bracket = bracket;
        self
    }

    /// How the norm of a two-class error is taken.
    pub fn binary(mut self, binary: BinaryNorm) -> Self {
        self.binary = binary;
        self
    }

    /// Floors f and g in the `log` metrics.
    pub fn log_floor(mut self, floor: f64) -> Self {
        self.log_floor = Some(floor);
        self
    }

    /// How many threads to use; 0 for as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Watches the progress, and may stop it; where a handle was given to
    /// [`stop`](Self::stop), through that handle.
    pub fn watch(
        mut self,
        watcher: impl Fn(usize, usize) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// A handle by which the estimate can be stopped, also in the middle of a fit.
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Estimates every metric.
    ///
    /// # Errors
    /// Settings that make no sense, fewer rows than folds, a metric that these predictions do not
    /// have, a recalibrator from outside that failed, or [`Error::Stopped`] by the watcher or the
    /// handle.
    pub fn estimate(&self, predictions: &Predictions<'_>) -> Result<Report> {
        // Settings that make no sense are refused before any thread is started.
        self.check(predictions)?;
        // Without a handle of the user's, the watcher's word is for this estimate alone.
        let stop = self.stop.clone().unwrap_or_default();
        with_pool(self.threads, &stop, || self.run(predictions, &stop, None))
    }

    /// Estimates every metric on the threads that call it: those of
    /// [`with_pool`](crate::with_pool), under the handle of which it stops.
    ///
    /// The number of [`threads`](Self::threads) is the pool's. Outside such a pool it uses the one
    /// that rayon shares among all of a process.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    ///
    /// ```
    /// use calipers::{Estimator, Stop, simulate, with_pool};
    ///
    /// let stop = Stop::new();
    /// let estimator = Estimator::new().stop(stop.clone());
    /// let report = with_pool(2, &stop, || {
    ///     // The predictions are made by one of the pool's threads, too.
    ///     estimator.estimate_in_pool(&simulate("binary-overconfident", 500, 0)?)
    /// })?;
    /// assert_eq!(report.rows, 500);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn estimate_in_pool(&self, predictions: &Predictions<'_>) -> Result<Report> {
        self.estimate_observed(predictions, None)
    }

    fn check(&self, predictions: &Predictions<'_>) -> Result<()> {
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
        self.folds.check(predictions.rows(), self.repeats)
    }

    fn metrics_or_default(&self) -> Result<Vec<Metric>> {
        if self.metrics.is_empty() {
            Metric::DEFAULTS.iter().map(|name| name.parse()).collect()
        } else {
            Ok(self.metrics.clone())
        }
    }

    /// The same settings for the rows of one group.
    pub(crate) fn within(&self, folds: Folds, confidence: f64, draws: usize) -> Self {
        // Without a word from the user a refitted test has its own default.
        let draws = self.draws.or((self.test == Test::Score).then_some(draws));
        Self { folds, confidence, draws, watcher: None, ..self.clone() }
    }

    /// The same settings for other metrics.
    pub(crate) fn only(self, metrics: Vec<Metric>) -> Self {
        Self { metrics, ..self }
    }

    /// The same settings for these metrics, too.
    pub(crate) fn with_metrics(&self, more: impl IntoIterator<Item = Metric>) -> Result<Self> {
        let mut metrics = self.metrics_or_default()?;
        for metric in more {
            if metrics.iter().all(|already| already.to_string() != metric.to_string()) {
                metrics.push(metric);
            }
        }
        Ok(self.clone().only(metrics))
    }

    /// What g is learnt with.
    pub(crate) fn learner(&self) -> &dyn Recalibrator {
        self.recalibrator.as_ref()
    }

    /// The seed of everything random.
    pub(crate) fn own_seed(&self) -> u64 {
        self.seed
    }

    /// Does work on the threads that were asked for, under the handle that was given.
    pub(crate) fn pooled<R: Send>(&self, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        let stop = self.stop.clone().unwrap_or_default();
        with_pool(self.threads, &stop, work)
    }

    /// As [`estimate_in_pool`](Self::estimate_in_pool), while somebody looks on at the held-out g of
    /// the whole vector.
    pub(crate) fn estimate_observed(
        &self,
        predictions: &Predictions<'_>,
        mover: Option<&mut Mover>,
    ) -> Result<Report> {
        self.check(predictions)?;
        let stop = self.stop.clone().unwrap_or_default();
        self.run(predictions, &stop, mover)
    }

    fn run(
        &self,
        predictions: &Predictions<'_>,
        stop: &Stop,
        mover: Option<&mut Mover>,
    ) -> Result<Report> {
        let mut report = self.whole_observed(predictions, stop, mover)?;
        if let Some(groups) = predictions.groups() {
            report.groups = Some(self.groups(predictions, groups, stop)?);
        }
        Ok(report)
    }

    /// Estimates all rows as one group.
    pub(crate) fn whole(&self, predictions: &Predictions<'_>, stop: &Stop) -> Result<Report> {
        self.whole_observed(predictions, stop, None)
    }

    fn whole_observed(
        &self,
        predictions: &Predictions<'_>,
        stop: &Stop,
        mut mover: Option<&mut Mover>,
    ) -> Result<Report> {
        let metrics = &self.metrics_or_default()?;
        let floor = self.log_floor.unwrap_or(0.0);
        let tracks = || -> Result<Vec<Track>> {
            let track = |metric| Track::new(metric, predictions, self.binary, floor);
            metrics.iter().map(track).collect()
        };
        let mut cross_fitted = tracks()?;
        let mut in_sample = if self.bracket { Some(tracks()?) } else { None };
        let mut scopes: Vec<Scope> = Vec::new();
        for metric in metrics {
            if !scopes.contains(&metric.scope()) {
                scopes.push(metric.scope());
            }
        }
        let problems: usize = scopes.iter().map(|&s| Problem::count(s, predictions)).sum();
        let fits = problems * (self.repeats * self.folds.count() + usize::from(self.bracket));
        let recalibrator = self.recalibrator.as_ref();
        let clock = Clock::new(fits, self.watcher.as_deref(), stop);
        let weights = predictions.weights();
        let mut unconverged = 0;
        let mut p_values = PValues::new(self.test, recalibrator, self.draws, self.seed);
        let mut approximations: Vec<String> = Vec::new();
        for repeat in 0..self.repeats {
            let folds = self.folds.assign(predictions.rows(), self.seed, repeat);
            for &scope in &scopes {
                let count = Problem::count(scope, predictions);
                for number in 0..count {
                    let problem = Problem::new(predictions, scope, number);
                    p_values.see(scope, &problem)?;
                    let seed = derive_seed(self.seed, &[repeat as u64, number as u64]);
                    let fits = CrossFit { problem: &problem, recalibrator, seed, clock: &clock };
                    let mine = of_scope(&mut cross_fitted, scope);
                    let mut purposes: Vec<Purpose> =
                        mine.iter().map(|track| track.purpose()).collect();
                    let looked_at = mover.as_deref_mut().filter(|_| scope == Scope::Canonical);
                    if looked_at.is_some() {
                        purposes.push(Purpose::Squared);
                    }
                    let held_out = fits.run(&folds, self.folds.count(), &purposes)?;
                    unconverged += held_out.iter().filter(|fold| !fold.converged).count();
                    for name in held_out.iter().flat_map(|fold| &fold.approximations) {
                        if !approximations.contains(name) {
                            approximations.push(name.clone());
                        }
                    }
                    let share = 1.0 / count as f64;
                    let part = 1.0 / self.repeats as f64;
                    let (folds, held_out) = (folds.as_slice(), held_out.as_slice());
                    let found = Found { problem: &problem, folds, held_out, share, repeat: part };
                    if let Some(mover) = looked_at {
                        mover.add(&found, mine.len());
                    }
                    add(mine, &found);
                    if let Some(tracks) = in_sample.as_mut().filter(|_| repeat == 0) {
                        let (folds, held_out) =
                            (vec![0; problem.rows()], fits.in_sample(&purposes)?);
                        unconverged += usize::from(!held_out.converged);
                        let (folds, held_out) = (folds.as_slice(), std::slice::from_ref(&held_out));
                        add(
                            of_scope(tracks, scope),
                            &Found { folds, held_out, repeat: 1.0, ..found },
                        );
                    }
                }
                let mine = of_scope(&mut cross_fitted, scope);
                mine.into_par_iter().for_each(|track| track.end_repeat(weights));
            }
        }
        let inflation = Inflation::of(&self.folds, self.repeats);
        let mut estimates = Vec::with_capacity(metrics.len());
        for (number, (metric, track)) in metrics.iter().zip(cross_fitted).enumerate() {
            let factor = track.factor();
            let mut estimate = track.finish(weights, &inflation, self.confidence);
            estimate.p_value = p_values.of(metric.scope(), predictions)?;
            estimate.in_sample = in_sample.as_ref().map(|tracks| tracks[number].value(weights));
            estimate.decomposition = decompose(metric, predictions, factor, floor, estimate.value);
            estimates.push(estimate);
        }
        Ok(Report {
            rows: predictions.rows(),
            classes: predictions.class_names().to_vec(),
            recalibrator: self.recalibrator.name(),
            folds: self.folds.count(),
            repeats: self.repeats,
            seed: self.seed,
            confidence: self.confidence,
            renormalised_rows: predictions.renormalised_rows(),
            fits,
            unconverged_fits: unconverged,
            approximations,
            estimates,
            groups: None,
        })
    }
}

fn of_scope(tracks: &mut [Track], scope: Scope) -> Vec<&mut Track> {
    tracks.iter_mut().filter(|track| track.scope() == scope).collect()
}

fn add(tracks: Vec<&mut Track>, found: &Found<'_>) {
    tracks.into_par_iter().enumerate().for_each(|(number, track)| track.add(found, number));
}

#[cfg(test)]
mod tests;
