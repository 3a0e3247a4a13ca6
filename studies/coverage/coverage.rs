//! How often lower bounds are above the truth, how tight they are, and how often tests reject.
//!
//! Draws data sets whose calibration error is known, estimates each, and counts. One line of CSV a
//! cell (setting, rows, recalibrator, metric), as soon as the cell is done; a summary at the end.
//!
//! Usage: cargo run --release --example coverage -- [--repeats N] [--settings A,B] [--rows N,N]
//!        [--recalibrators A,B] [--folds K] [--fold-repeats R] > coverage.csv
//!
//! `--repeats` is for the cheap cells; dear ones (`boost`, and ten classes with 5,000 rows) have a
//! fifth of them. A recalibrator named `shrunk-…` is drawn 95 % towards f. The setting `rare` has
//! calibrated predictions from Beta(0.5, 100).
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program for developers"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calipers::{
    Error, Estimator, Fitted, Predictions, Purpose, Recalibrator, Result, Sample, Simulation, Stop,
    recalibrator, with_pool,
};
use ndarray::{ArrayView2, ArrayViewMut2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

const METRICS: [&str; 5] = ["l1", "l2", "brier", "log", "top-l1"];
const SETTINGS: &str = "binary-calibrated,rare,binary-overconfident,binary-underconfident,binary-shifted,\
                        multiclass-calibrated-3,multiclass-overconfident-3,multiclass-underconfident-3,\
                        multiclass-calibrated-10,multiclass-overconfident-10,multiclass-underconfident-10";
/// Draws from which the true errors are computed.
const TRUTH_ROWS: usize = 400_000;
/// Bins of the classical test, and its resamples.
const BINS: usize = 15;
const RESAMPLES: usize = 199;

fn main() {
    let option = |name: &str, default: &str| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments.nth(1).unwrap_or_else(|| default.to_owned())
    };
    let repeats: usize = option("--repeats", "1000").parse().unwrap();
    let folds: usize = option("--folds", "5").parse().unwrap();
    let fold_repeats: usize = option("--fold-repeats", "1").parse().unwrap();
    let recalibrators =
        option("--recalibrators", "logistic,isotonic,shrunk-logistic,shrunk-isotonic,boost,auto");
    println!(
        "setting,rows,recalibrator,folds,fold_repeats,metric,data_sets,truth,mean,above,lower_over_truth,\
         detected,z_rejects,test_rejects,binned_rejects"
    );
    let mut worst: Vec<(f64, String)> = Vec::new();
    for setting in option("--settings", SETTINGS).split(',') {
        let truths = truths(setting);
        for rows in option("--rows", "200,1000,5000").split(',') {
            let rows: usize = rows.parse().unwrap();
            for name in recalibrators.split(',') {
                let dear = name == "boost" || (rows > 1_000 && classes(setting) == 10);
                let count = if dear { repeats.div_ceil(5) } else { repeats };
                let cell = Cell { setting, rows, name, folds, fold_repeats };
                let found = cell.run(count);
                for (number, metric) in METRICS.iter().enumerate() {
                    let line = summary(&cell, metric, number, truths[number], &found);
                    println!("{}", line.1);
                    worst.push((line.0, line.1));
                }
            }
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    eprintln!("the ten cells furthest above 5 %, in Monte-Carlo standard errors:");
    worst.iter().take(10).for_each(|(excess, line)| eprintln!("{excess:+.1}  {line}"));
}

fn classes(setting: &str) -> usize {
    Simulation::named(setting).map_or(2, |simulation| simulation.classes)
}

struct Cell<'a> {
    setting: &'a str,
    rows: usize,
    name: &'a str,
    folds: usize,
    fold_repeats: usize,
}

/// What one data set gave for one metric.
#[derive(Clone, Copy)]
struct Outcome {
    value: f64,
    lower: f64,
    z_rejects: bool,
    test_rejects: bool,
    binned_rejects: Option<bool>,
}

impl Cell<'_> {
    /// All data sets, on all cores, one a thread.
    fn run(&self, count: usize) -> Vec<Vec<Outcome>> {
        let next = AtomicUsize::new(0);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut found: Vec<(usize, Vec<Outcome>)> = std::thread::scope(|scope| {
            let work = || {
                let mut own = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return own;
                    }
                    own.push((number, self.one(number as u64)));
                }
            };
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, outcomes)| outcomes).collect()
    }

    fn one(&self, number: u64) -> Vec<Outcome> {
        let predictions = draw(self.setting, self.rows, number);
        let stop = Stop::new();
        let estimator = Estimator::new()
            .metrics(METRICS.map(|metric| metric.parse().unwrap()))
            .recalibrator(learner(self.name))
            .folds(self.folds)
            .repeats(self.fold_repeats)
            .draws(199)
            .seed(number);
        let report = with_pool(1, &stop, || estimator.estimate(&predictions)).unwrap();
        // The classical test does not depend on the recalibrator: once is enough.
        let binned =
            (self.name == "logistic" && number < 200).then(|| binned_rejects(&predictions, number));
        let outcome = |one: &calipers::Estimate| {
            let n = one.scores.len() as f64;
            let mean = one.scores.iter().sum::<f64>() / n;
            let variance = one.scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
            Outcome {
                value: one.value,
                lower: one.lower,
                z_rejects: mean > 1.644_853_6 * (variance / n).sqrt(),
                test_rejects: one.p_value.unwrap() <= 0.05,
                binned_rejects: binned,
            }
        };
        report.estimates.iter().map(outcome).collect()
    }
}

fn summary(
    cell: &Cell<'_>,
    metric: &str,
    number: usize,
    truth: f64,
    found: &[Vec<Outcome>],
) -> (f64, String) {
    let n = found.len() as f64;
    let own = || found.iter().map(|outcomes| outcomes[number]);
    let share = |test: &dyn Fn(&Outcome) -> bool| own().filter(|one| test(one)).count() as f64 / n;
    let above = share(&|one| one.lower > truth);
    let mean = own().map(|one| one.value).sum::<f64>() / n;
    let mut lower: Vec<f64> = own().map(|one| one.lower).collect();
    lower.sort_by(f64::total_cmp);
    let median = lower[lower.len() / 2];
    let tight = if truth > 0.0 { format!("{:.3}", median / truth) } else { String::new() };
    let binned: Vec<bool> = own().filter_map(|one| one.binned_rejects).collect();
    let binned = if binned.is_empty() {
        String::new()
    } else {
        format!(
            "{:.3}",
            binned.iter().filter(|rejects| **rejects).count() as f64 / binned.len() as f64
        )
    };
    let excess = (above - 0.05) / (0.05 * 0.95 / n).sqrt();
    let line = format!(
        "{},{},{},{},{},{metric},{n},{truth:.5},{mean:.5},{above:.4},{tight},{:.3},{:.3},{:.3},{binned}",
        cell.setting,
        cell.rows,
        cell.name,
        cell.folds,
        cell.fold_repeats,
        share(&|one| one.lower > 0.0),
        share(&|one| one.z_rejects),
        share(&|one| one.test_rejects),
    );
    (excess, line)
}

fn draw(setting: &str, rows: usize, seed: u64) -> Predictions<'static> {
    if setting != "rare" {
        return Simulation::named(setting).unwrap().draw(rows, seed).unwrap();
    }
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    let (a, b) = (Gamma::new(0.5, 1.0).unwrap(), Gamma::new(100.0, 1.0).unwrap());
    let f: Vec<f64> = (0..rows)
        .map(|_| {
            let (a, b): (f64, f64) = (a.sample(&mut draws), b.sample(&mut draws));
            a / (a + b)
        })
        .collect();
    let labels: Vec<u32> = f.iter().map(|&f| u32::from(draws.random::<f64>() < f)).collect();
    Predictions::binary(f, &labels).unwrap()
}

/// The true errors, in the order of the metrics.
fn truths(setting: &str) -> [f64; 5] {
    if setting == "rare" || setting.contains("-calibrated") {
        return [0.0; 5];
    }
    let simulation = Simulation::named(setting).unwrap();
    let drawn = simulation.draw(TRUTH_ROWS, u64::MAX - 1).unwrap();
    let two = simulation.classes == 2;
    let mut sums = [0.0; 4];
    let mut top: Vec<(f64, f64)> = Vec::with_capacity(TRUTH_ROWS);
    for f in drawn.probs().rows() {
        let truth = simulation.truth(f);
        let gaps = || f.iter().zip(&truth).map(|(f, c)| (f - c).abs());
        let squares: f64 = gaps().map(|gap| gap * gap).sum();
        let absolute: f64 = gaps().sum();
        // Of two classes the scalar.
        sums[0] += if two { absolute / 2.0 } else { absolute };
        sums[1] += if two { absolute / 2.0 } else { squares.sqrt() };
        sums[2] += if two { squares / 2.0 } else { squares };
        sums[3] += f
            .iter()
            .zip(&truth)
            .filter(|(_, c)| **c > 0.0)
            .map(|(f, c)| c * (c / f).ln())
            .sum::<f64>();
        let best = (0..truth.len()).max_by(|a, b| f[*a].total_cmp(&f[*b])).unwrap();
        top.push((f[best], truth[best]));
    }
    // E[truth | confidence] by fine bins: there is no noise of labels in it.
    top.sort_by(|a, b| a.0.total_cmp(&b.0));
    let bins = top.chunks(TRUTH_ROWS / 400);
    let top: f64 = bins.map(|bin| bin.iter().map(|(f, c)| f - c).sum::<f64>().abs()).sum();
    let mean = |sum: f64| sum / TRUTH_ROWS as f64;
    [mean(sums[0]), mean(sums[1]), mean(sums[2]), mean(sums[3]), mean(top)]
}

fn learner(name: &str) -> Arc<dyn Recalibrator> {
    match name.strip_prefix("shrunk-") {
        None => recalibrator(name).unwrap(),
        Some(inner) => Arc::new(Shrunk(recalibrator(inner).unwrap())),
    }
}

/// A recalibrator drawn 95 % of the way back to f.
struct Shrunk(Arc<dyn Recalibrator>);

struct FittedShrunk(Box<dyn Fitted>);

impl Recalibrator for Shrunk {
    fn name(&self) -> String {
        format!("shrunk-{}", self.0.name())
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(FittedShrunk(self.0.fit(sample, seed)?)))
    }
}

impl Fitted for FittedShrunk {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> std::result::Result<(), Error> {
        self.0.predict_into(f, purpose, g.view_mut())?;
        g.zip_mut_with(&f, |g, f| *g = 0.05 * *g + 0.95 * f);
        Ok(())
    }
}

/// The classical way: binned ECE, of class 1 of two or of the top class, against its distribution when
/// labels are drawn from the predictions.
fn binned_rejects(predictions: &Predictions<'_>, seed: u64) -> bool {
    let mut draws = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let probs = predictions.probs();
    let followed = |f: ndarray::ArrayView1<'_, f64>| {
        if f.len() == 2 {
            return 1;
        }
        (0..f.len()).max_by(|a, b| f[*a].total_cmp(&f[*b])).unwrap()
    };
    let classes: Vec<usize> = probs.rows().into_iter().map(followed).collect();
    let confidence: Vec<f64> =
        classes.iter().enumerate().map(|(row, &class)| probs[[row, class]]).collect();
    let ece = |hits: &dyn Fn(usize) -> bool| {
        let mut bins = [0.0f64; BINS];
        for (row, f) in confidence.iter().enumerate() {
            let hit = f64::from(u8::from(hits(row)));
            bins[((f * BINS as f64) as usize).min(BINS - 1)] += f - hit;
        }
        bins.iter().map(|gap| gap.abs()).sum::<f64>()
    };
    let observed = ece(&|row| predictions.labels()[row] as usize == classes[row]);
    let reached = (0..RESAMPLES)
        .filter(|_| {
            let hits: Vec<bool> = confidence.iter().map(|f| draws.random::<f64>() < *f).collect();
            ece(&|row| hits[row]) >= observed
        })
        .count();
    (1 + reached) as f64 <= 0.05 * (RESAMPLES + 1) as f64
}
