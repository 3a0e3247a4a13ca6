//! The paper's Algorithm 1: fit on all folds but one, score the one, average.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::folds::Folds;
use crate::loss::{ProperLoss, Purpose};
use crate::metric::{BinaryNorm, Metric, Scope};
use crate::predictions::Predictions;
use crate::problem::Problem;
use crate::recalibrate::{Fitted, Recalibrator, default_recalibrator};
use crate::report::{Estimate, Report};

/// Called after each fit with the number done and the number to do; `Break` stops the estimate.
pub type Watcher = dyn Fn(usize, usize) -> ControlFlow<()> + Send + Sync;

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
    folds: Folds,
    repeats: usize,
    seed: u64,
    confidence: f64,
    binary: BinaryNorm,
    log_floor: Option<f64>,
    threads: usize,
    watcher: Option<Arc<Watcher>>,
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
            binary: BinaryNorm::default(),
            log_floor: None,
            threads: 0,
            watcher: None,
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

    /// Watches the progress, and may stop it.
    pub fn watch(
        mut self,
        watcher: impl Fn(usize, usize) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// Estimates every metric.
    ///
    /// # Errors
    /// Settings that make no sense, fewer rows than folds, a metric that these predictions do not
    /// have, a recalibrator from outside that failed, or [`Error::Stopped`] by the watcher.
    pub fn estimate(&self, predictions: &Predictions) -> Result<Report> {
        self.check(predictions)?;
        let metrics = self.metrics_or_default()?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| Error::Setting { name: "threads", reason: error.to_string() })?;
        pool.install(|| self.run(predictions, &metrics))
    }

    fn check(&self, predictions: &Predictions) -> Result<()> {
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
            Ok(vec![Metric::lp(1.0)?, Metric::lp(2.0)?, Metric::brier(), Metric::log()])
        } else {
            Ok(self.metrics.clone())
        }
    }

    fn run(&self, predictions: &Predictions, metrics: &[Metric]) -> Result<Report> {
        let classes = predictions.classes();
        let floor = self.log_floor.unwrap_or(0.0);
        let mut tracks = metrics
            .iter()
            .map(|metric| {
                Track::new(metric, metric.loss(classes, floor)?, predictions, self.binary)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut scopes: Vec<Scope> = Vec::new();
        for metric in metrics {
            if !scopes.contains(&metric.scope()) {
                scopes.push(metric.scope());
            }
        }
        let problems: usize = scopes.iter().map(|&s| Problem::count(s, predictions)).sum();
        let fits = problems * self.repeats * self.folds.count();
        let clock = Clock::new(fits, self.watcher.as_deref());
        let mut unconverged = 0;
        for repeat in 0..self.repeats {
            let folds = self.folds.assign(predictions.rows(), self.seed, repeat);
            for &scope in &scopes {
                let count = Problem::count(scope, predictions);
                let share = 1.0 / (count * self.repeats) as f64;
                for number in 0..count {
                    let problem = Problem::new(predictions, scope, number);
                    let seed = derive_seed(self.seed, &[repeat as u64, number as u64]);
                    let mut mine: Vec<&mut Track> =
                        tracks.iter_mut().filter(|track| track.scope == scope).collect();
                    unconverged +=
                        self.cross_fit(&problem, &folds, seed, share, &mut mine, &clock)?;
                }
            }
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
            estimates: tracks
                .into_iter()
                .map(|track| track.finish(predictions.weights()))
                .collect(),
        })
    }

    /// Fits and scores every fold of one problem; returns how many fits did not converge.
    fn cross_fit(
        &self,
        problem: &Problem<'_>,
        folds: &[u32],
        seed: u64,
        share: f64,
        tracks: &mut [&mut Track],
        clock: &Clock<'_>,
    ) -> Result<usize> {
        let losses: Vec<&dyn ProperLoss> = tracks.iter().map(|track| track.loss.as_ref()).collect();
        let results: Vec<Result<FoldScores>> = (0..self.folds.count() as u32)
            .into_par_iter()
            .map(|fold| {
                clock.check()?;
                let seed = derive_seed(seed, &[u64::from(fold)]);
                let scores = self.score_fold(problem, folds, fold, seed, &losses)?;
                clock.tick()?;
                Ok(scores)
            })
            .collect();
        let mut unconverged = 0;
        for fold in results {
            let fold = fold?;
            unconverged += usize::from(!fold.converged);
            for (track, scores) in tracks.iter_mut().zip(fold.scores) {
                track.add(&fold.rows, &scores, share);
            }
        }
        Ok(unconverged)
    }

    fn score_fold(
        &self,
        problem: &Problem<'_>,
        folds: &[u32],
        fold: u32,
        seed: u64,
        losses: &[&dyn ProperLoss],
    ) -> Result<FoldScores> {
        // Where every training row has weight 0 there is nothing to learn: g stays at f.
        let fitted = problem
            .training(folds, fold)
            .map(|sample| self.recalibrator.fit(&sample, seed))
            .transpose()?;
        let (rows, f) = problem.held_out(folds, fold);
        let mut served: Vec<(Purpose, Array2<f64>)> = Vec::new();
        let mut scores = Vec::with_capacity(losses.len());
        for loss in losses {
            let Some(fitted) = fitted.as_deref() else {
                scores.push(vec![0.0; rows.len()]);
                continue;
            };
            let purpose = fitted.serves(loss.purpose());
            let position = match served.iter().position(|(already, _)| *already == purpose) {
                Some(position) => position,
                None => {
                    served.push((purpose, predict(fitted, f.view(), purpose)?));
                    served.len() - 1
                }
            };
            scores.push(score_rows(problem, &rows, f.view(), served[position].1.view(), *loss));
        }
        Ok(FoldScores { rows, scores, converged: fitted.is_none_or(|fitted| fitted.converged()) })
    }
}

/// The scores of one fold: for each metric, one a held-out row.
struct FoldScores {
    rows: Vec<u32>,
    scores: Vec<Vec<f64>>,
    converged: bool,
}

fn predict(fitted: &dyn Fitted, f: ArrayView2<'_, f64>, purpose: Purpose) -> Result<Array2<f64>> {
    let mut g = Array2::zeros(f.dim());
    fitted.predict_into(f, purpose, g.view_mut())?;
    Ok(g)
}

fn score_rows(
    problem: &Problem<'_>,
    rows: &[u32],
    f: ArrayView2<'_, f64>,
    g: ArrayView2<'_, f64>,
    loss: &dyn ProperLoss,
) -> Vec<f64> {
    let classes = problem.classes();
    let f = f.as_slice().unwrap_or_default().chunks_exact(classes);
    let g = g.as_slice().unwrap_or_default().chunks_exact(classes);
    let pairs = f.zip(g).zip(rows);
    pairs.map(|((f, g), &row)| loss.score(f, g, problem.label(row as usize))).collect()
}

/// The scores of one metric as they come in.
struct Track {
    name: String,
    scope: Scope,
    loss: Box<dyn ProperLoss>,
    factor: f64,
    scores: Vec<f64>,
}

impl Track {
    fn new(
        metric: &Metric,
        loss: Box<dyn ProperLoss>,
        predictions: &Predictions,
        binary: BinaryNorm,
    ) -> Result<Self> {
        let whole_pair = metric.scope() == Scope::Canonical && predictions.classes() == 2;
        let factor = match binary {
            BinaryNorm::Vector if whole_pair => metric.vector_factor(),
            _ => 1.0,
        };
        let scores = vec![0.0; predictions.rows()];
        Ok(Self { name: metric.to_string(), scope: metric.scope(), loss, factor, scores })
    }

    /// Adds a share of the scores. An infinite improvement is a fact that no other fold, class or
    /// repeat can take back, so +∞ wins over −∞.
    fn add(&mut self, rows: &[u32], scores: &[f64], share: f64) {
        for (&row, &score) in rows.iter().zip(scores) {
            let total = &mut self.scores[row as usize];
            let part = score * self.factor * share;
            *total = if *total >= f64::INFINITY || part >= f64::INFINITY {
                f64::INFINITY
            } else {
                *total + part
            };
        }
    }

    fn finish(self, weights: Option<&[f64]>) -> Estimate {
        let mean = crate::mean::weighted_mean(&self.scores, weights);
        Estimate {
            metric: self.name,
            value: mean.value,
            stderr: mean.stderr,
            lower: None,
            p_value: None,
            infinite_rows: mean.infinite,
            scores: self.scores,
        }
    }
}

/// Counts fits, tells the watcher, and remembers that it wants to stop.
struct Clock<'a> {
    done: AtomicUsize,
    total: usize,
    stopped: AtomicBool,
    watcher: Option<&'a Watcher>,
}

impl<'a> Clock<'a> {
    fn new(total: usize, watcher: Option<&'a Watcher>) -> Self {
        Self { done: AtomicUsize::new(0), total, stopped: AtomicBool::new(false), watcher }
    }

    fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    fn tick(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(watcher) = self.watcher
            && watcher(done, self.total).is_break()
        {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.check()
    }
}

/// A seed of its own for each place in the computation (splitmix64 over the path to it).
fn derive_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(seed, |state, step| {
        let mut z = state.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
