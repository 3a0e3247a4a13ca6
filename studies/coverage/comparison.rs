//! How often `compare` says that more error is found in one of two models, and whether it is so.
//!
//! Draws data sets of two models whose true errors are known, compares them, and counts. One line of CSV
//! a cell (pair, rows, recalibrator, metric), as soon as the cell is done; a summary at the end.
//!
//! Usage: cargo run --release --example comparison -- [--data-sets N] [--pairs A,B] [--rows N,N]
//!        [--recalibrators A,B] > comparison.csv
//!
//! `--data-sets` is for up to 1,000 rows; more rows have half of them.
//!
//! Columns: `truth_…`, the models' true errors; `found_…`, the mean of what their g find on new labels of
//! the same rows; `t_test`, the share of data sets in which a paired t-test of the scores (with the
//! variance of shared folds) would call them different at 5 %; `claims`, that in which `compare` says that
//! more error is found in one; `uncovered_…`, that in which its 95 % interval misses the difference of what
//! is found, or of the true errors.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program for developers"
)]

mod pairs;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use calipers::{
    Brier, Error, Estimator, Fitted, Log, Lp, Predictions, ProperLoss, Purpose, Recalibrator,
    Result, Sample, Stop, recalibrator, with_pool,
};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use pairs::{Distortion, Kind, Pair, pairs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, StudentsT};

const METRICS: [&str; 4] = ["l1", "l2", "brier", "log"];
const FOLDS: usize = 5;
/// Draws from which true errors are computed.
const TRUTH_ROWS: usize = 50_000;

fn main() {
    let option = |name: &str, default: &str| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments.nth(1).unwrap_or_else(|| default.to_owned())
    };
    let data_sets: usize = option("--data-sets", "400").parse().unwrap();
    let wanted = option("--pairs", "");
    let (all_rows, learners) =
        (option("--rows", "100,300,1000,5000"), option("--recalibrators", "temperature,isotonic"));
    println!(
        "pair,kind,rows,recalibrator,metric,data_sets,truth_a,truth_b,found_a,found_b,t_test,claims,uncovered_found,uncovered_truth"
    );
    let mut lines: Vec<Line> = Vec::new();
    for pair in pairs() {
        if !wanted.is_empty() && wanted.split(',').all(|name| !label(&pair).contains(name)) {
            continue;
        }
        for (pair, metrics) in solved(&pair) {
            let truths = truths(&pair);
            for rows in all_rows.split(',').map(|rows| rows.parse().unwrap()) {
                for name in learners.split(',') {
                    let count = if rows > 1_000 { data_sets / 2 } else { data_sets };
                    let cell = Cell { pair, rows, name, metrics: &metrics };
                    for line in cell.run(count, truths) {
                        println!("{}", line.text);
                        lines.push(line);
                    }
                }
            }
        }
    }
    summary(&lines);
}

/// One line of the table.
struct Line {
    kind: Kind,
    claims: f64,
    t_test: f64,
    data_sets: f64,
    text: String,
}

fn summary(lines: &[Line]) {
    let level: Vec<&Line> = lines.iter().filter(|line| line.kind != Kind::Differ).collect();
    let worst = |title: &str, of: &dyn Fn(&Line) -> f64| {
        let excess = |line: &Line| (of(line) - 0.05) / (0.05 * 0.95 / line.data_sets).sqrt();
        let mut sorted = level.clone();
        sorted.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
        eprintln!("{title}: the cells furthest above 5 %, in Monte-Carlo standard errors:");
        for line in sorted.iter().take(8) {
            eprintln!("{:+.1}  {}", excess(line), line.text);
        }
    };
    worst("paired t-test", &|line| line.t_test);
    worst("compare", &|line| line.claims);
}

fn label(pair: &Pair) -> String {
    let kind = match pair.kind {
        Kind::Calibrated => "calibrated",
        Kind::Equal { .. } => "equal",
        Kind::Differ => "differ",
    };
    format!("{kind}-{}", pair.name())
}

/// The pair with its second error made equal to the first where that is asked for, for each metric
/// that needs another one.
fn solved(pair: &Pair) -> Vec<(Pair, Vec<usize>)> {
    if pair.kind != (Kind::Equal { solved: true }) {
        return vec![(*pair, (0..METRICS.len()).collect())];
    }
    let one = |metric: usize| {
        let target = truths(pair)[metric][0];
        let (mut low, mut high) = (0.0, 2.5);
        let mut found = *pair;
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            found.models[1] = pair.models[1].times(middle);
            *(if truths(&found)[metric][1] < target { &mut low } else { &mut high }) = middle;
        }
        found
    };
    // Of two classes l2 is l1.
    match pair.classes {
        2 => vec![(one(0), vec![0, 1]), (one(2), vec![2]), (one(3), vec![3])],
        _ => (0..METRICS.len()).map(|metric| (one(metric), vec![metric])).collect(),
    }
}

/// The true errors of both models, metric by metric.
fn truths(pair: &Pair) -> [[f64; 2]; 4] {
    let mut draws = ChaCha8Rng::seed_from_u64(u64::MAX);
    let (losses, mut sums) = (losses(), [[0.0; 2]; 4]);
    for _ in 0..TRUTH_ROWS {
        let drawn = pair.draw(&mut draws);
        for (model, known) in drawn.known.iter().enumerate() {
            if pair.models[model] == Distortion::None {
                continue;
            }
            let f = pair.models[model].of(known);
            let own = expected(&losses, &f, known, known);
            for (sum, own) in sums.iter_mut().zip(own) {
                sum[model] += own / TRUTH_ROWS as f64;
            }
        }
    }
    sums
}

/// What g finds of f on average over labels from a law, metric by metric.
fn expected(losses: &Losses, f: &[f64], g: &[f64], law: &[f64]) -> [f64; 4] {
    let mut scores = vec![0.0; f.len()];
    losses.each_ref().map(|loss| {
        loss.class_scores(f, g, &mut scores);
        scores.iter().zip(law).map(|(score, p)| score * p).sum()
    })
}

/// The losses of the metrics.
type Losses = [Box<dyn ProperLoss>; 4];

fn losses() -> Losses {
    [Box::new(Lp::new(1.0)), Box::new(Lp::new(2.0)), Box::new(Brier), Box::new(Log { floor: 0.0 })]
}

struct Cell<'a> {
    pair: Pair,
    rows: usize,
    name: &'a str,
    metrics: &'a [usize],
}

/// What one data set gave for one metric.
#[derive(Clone, Copy)]
struct Outcome {
    found: [f64; 2],
    t_test: bool,
    claims: bool,
    uncovered: [bool; 2],
}

impl Cell<'_> {
    /// All data sets, on all cores, one a thread; a line for each metric.
    fn run(&self, count: usize, truths: [[f64; 2]; 4]) -> Vec<Line> {
        let next = AtomicUsize::new(0);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let outcomes: Vec<Vec<Outcome>> = std::thread::scope(|scope| {
            let work = || {
                let mut own = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return own;
                    }
                    own.push(self.one(number as u64, truths));
                }
            };
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let n = outcomes.len() as f64;
        let line = |(place, &metric): (usize, &usize)| {
            let own = || outcomes.iter().map(|one| one[place]);
            let share =
                |test: &dyn Fn(&Outcome) -> bool| own().filter(|one| test(one)).count() as f64 / n;
            let found = |model: usize| own().map(|one| one.found[model]).sum::<f64>() / n;
            let (t_test, claims) = (share(&|one| one.t_test), share(&|one| one.claims));
            let (pair, kind) = (self.pair.name(), label(&self.pair));
            let kind = kind.split('-').next().unwrap_or_default();
            let text = format!(
                "{pair},{kind},{},{},{},{n},{:.5},{:.5},{:.5},{:.5},{t_test:.4},{claims:.4},{:.4},{:.4}",
                self.rows,
                self.name,
                METRICS[metric],
                truths[metric][0],
                truths[metric][1],
                found(0),
                found(1),
                share(&|one| one.uncovered[0]),
                share(&|one| one.uncovered[1]),
            );
            Line { kind: self.pair.kind, claims, t_test, data_sets: n, text }
        };
        self.metrics.iter().enumerate().map(line).collect()
    }

    fn one(&self, number: u64, truths: [[f64; 2]; 4]) -> Vec<Outcome> {
        let (models, labels) = self.draw(number);
        let watched = Arc::new(Watched::new(recalibrator(self.name).unwrap(), self.pair.models));
        let estimator = Estimator::new()
            .metrics(self.metrics.iter().map(|&metric| METRICS[metric].parse().unwrap()))
            .recalibrator(Arc::clone(&watched) as Arc<dyn Recalibrator>)
            .folds(FOLDS)
            .draws(0)
            .seed(number);
        let [a, b] = models.map(|probs| Predictions::new(probs, &labels).unwrap());
        let names: Vec<String> = (0..self.pair.classes).map(|class| class.to_string()).collect();
        let [a, b] = [a, b].map(|one| one.with_class_names(names.clone()).unwrap());
        let stop = Stop::new();
        let compared = with_pool(1, &stop, || estimator.compare(&[("a", &a), ("b", &b)])).unwrap();
        let sums = *watched.sums.lock().unwrap();
        let outcome = |(one, &metric): (&calipers::Difference, &usize)| {
            let found = [0, 1].map(|model| sums[model][metric] / self.rows as f64);
            let missed = |apart: f64| apart < one.interval.0 || apart > one.interval.1;
            let truth = truths[metric][0] - truths[metric][1];
            let scores =
                [0, 1].map(|model| &compared.reports[model].get(&one.metric).unwrap().scores);
            Outcome {
                found,
                t_test: t_test(scores[0], scores[1]),
                claims: one.is_clear(0.95),
                uncovered: [missed(found[0].max(0.0) - found[1].max(0.0)), missed(truth)],
            }
        };
        compared.differences.iter().zip(self.metrics).map(outcome).collect()
    }

    /// Both models' predictions, and the labels.
    fn draw(&self, seed: u64) -> ([Array2<f64>; 2], Vec<u32>) {
        let mut draws = ChaCha8Rng::seed_from_u64(seed);
        let shape = (self.rows, self.pair.classes);
        let (mut models, mut labels) = ([Array2::zeros(shape), Array2::zeros(shape)], Vec::new());
        for row in 0..self.rows {
            let drawn = self.pair.draw(&mut draws);
            for (model, probs) in models.iter_mut().enumerate() {
                let f = self.pair.models[model].of(&drawn.known[model]);
                probs.row_mut(row).iter_mut().zip(f).for_each(|(to, from)| *to = from);
            }
            let mut left = draws.random::<f64>();
            let class = drawn.law.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            labels.push(class.unwrap_or(0) as u32);
        }
        (models, labels)
    }
}

/// Whether a paired t-test, the variance of whose mean is that of five folds, finds a difference.
fn t_test(one: &[f64], other: &[f64]) -> bool {
    let n = one.len() as f64;
    let apart = || one.iter().zip(other).map(|(a, b)| a - b);
    let mean = apart().sum::<f64>() / n;
    let variance = apart().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let stderr = (2.0 * variance / n).sqrt();
    let t = StudentsT::new(0.0, 1.0, n - 1.0).unwrap();
    mean.abs() > t.inverse_cdf(0.975) * stderr
}

/// A recalibrator that writes down what its g find on average over labels, given what the predictions
/// were made of.
struct Watched {
    inner: Arc<dyn Recalibrator>,
    models: [Distortion; 2],
    fits: AtomicUsize,
    sums: Arc<Mutex<[[f64; 4]; 2]>>,
}

impl Watched {
    fn new(inner: Arc<dyn Recalibrator>, models: [Distortion; 2]) -> Self {
        Self { inner, models, fits: AtomicUsize::new(0), sums: Arc::default() }
    }
}

struct FittedWatched {
    inner: Box<dyn Fitted>,
    model: usize,
    distortion: Distortion,
    sums: Arc<Mutex<[[f64; 4]; 2]>>,
}

impl Recalibrator for Watched {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        // All folds of the first model, then a fit to all of its rows, come before those of the second.
        let number = self.fits.fetch_add(1, Ordering::Relaxed);
        let (model, held_out) = (number / (FOLDS + 1), number % (FOLDS + 1) < FOLDS);
        let (inner, sums) = (self.inner.fit(sample, seed)?, Arc::clone(&self.sums));
        let distortion = self.models[model];
        Ok(if held_out {
            Box::new(FittedWatched { inner, model, distortion, sums })
        } else {
            inner
        })
    }
}

impl Fitted for FittedWatched {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> std::result::Result<(), Error> {
        self.inner.predict_into(f, purpose, g.view_mut())?;
        let losses = losses();
        let served: Vec<bool> =
            losses.iter().map(|loss| self.serves(loss.purpose()) == purpose).collect();
        let mut sums = [0.0; 4];
        for (f, g) in f.rows().into_iter().zip(g.rows()) {
            let f = f.to_vec();
            let found = expected(&losses, &f, &g.to_vec(), &self.distortion.back(&f));
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
        let mut all = self.sums.lock().unwrap();
        let own = all[self.model].iter_mut().zip(sums).zip(served);
        own.filter(|(_, served)| *served).for_each(|((all, sum), _)| *all += sum);
        Ok(())
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        self.inner.serves(purpose)
    }
}
