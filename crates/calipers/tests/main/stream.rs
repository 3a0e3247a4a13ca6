//! A sample and the rest: bounds hold, means do not overstate, and the rest is worth what it should be.
use std::sync::Arc;

use calipers::{
    Estimator, Fitted, Identities, Plan, Predictions, Probabilities, Purpose, Recalibrator, Report,
    Result, Rows, Sample, Sampler, Simulation, recalibrator, simulate,
};
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common;

const METRICS: [&str; 3] = ["l1", "brier", "log"];

/// Rows of a stream, and of its sample.
const ROWS: usize = 4_000;
const SAMPLE: usize = 1_000;

/// Where predictions come from, and what labels are drawn from.
#[derive(Clone, Copy)]
enum Setting {
    /// One of the paper's.
    Paper(&'static str),
    /// Four distinct predictions, off by so much towards 1/2.
    Ties(f64),
    /// Predictions of which half are below 0.0125 and none above 0.2, the truth so many times as large.
    Skewed(f64),
}

/// What `Ties` predicts.
const FOUR: [f64; 4] = [0.1, 0.3, 0.6, 0.9];

impl Setting {
    fn name(self) -> String {
        match self {
            Self::Paper(name) => name.to_owned(),
            Self::Ties(by) => format!("ties, off by {by}"),
            Self::Skewed(times) => format!("skewed, {times} times"),
        }
    }

    fn draw(self, rows: usize, seed: u64) -> Predictions<'static> {
        let mut draws = ChaCha8Rng::seed_from_u64(seed);
        let f: Vec<f64> = match self {
            Self::Paper(name) => {
                return Simulation::named(name).unwrap().draw(rows, seed).unwrap();
            }
            Self::Ties(_) => (0..rows).map(|_| FOUR[draws.random_range(0..4)]).collect(),
            Self::Skewed(_) => (0..rows).map(|_| 0.2 * draws.random::<f64>().powi(4)).collect(),
        };
        let label = |&f: &f64| u32::from(draws.random::<f64>() < self.of_class_1(f));
        let labels: Vec<u32> = f.iter().map(label).collect();
        Predictions::binary(f, &labels).unwrap()
    }

    fn of_class_1(self, f: f64) -> f64 {
        match self {
            Self::Ties(by) => f + if f < 0.5 { by } else { -by },
            Self::Skewed(times) => times * f,
            Self::Paper(_) => f,
        }
    }

    fn truth(self, f: ArrayView1<'_, f64>) -> Vec<f64> {
        match self {
            Self::Paper(name) => Simulation::named(name).unwrap().truth(f),
            _ => vec![1.0 - self.of_class_1(f[1]), self.of_class_1(f[1])],
        }
    }

    /// The true errors, in the order of `METRICS`: means over 100,000 predictions, off by a few hundredths
    /// of what an estimate of 4,000 rows is off by.
    fn errors(self) -> [f64; 3] {
        let predictions = self.draw(100_000, 1 << 40);
        let rows = predictions.probs();
        let mut sums = [0.0; 3];
        for f in rows.rows() {
            let truth = self.truth(f);
            // Of two classes l1 and brier are those of class 1 alone.
            let share = if f.len() == 2 { 0.5 } else { 1.0 };
            for (&f, truth) in f.iter().zip(truth) {
                sums[0] += share * (f - truth).abs();
                sums[1] += share * (f - truth).powi(2);
                sums[2] += if truth > 0.0 { truth * (truth / f).ln() } else { 0.0 };
            }
        }
        sums.map(|sum| sum / rows.nrows() as f64)
    }
}

/// What a test asks for.
fn asked(learner: Arc<dyn Recalibrator>, seed: u64) -> Estimator {
    let metrics = METRICS.map(|name| name.parse().unwrap());
    Estimator::new().metrics(metrics).recalibrator(learner).draws(0).seed(seed).threads(1)
}

/// The report of a stream with a sample of so many rows, and that of the sample alone.
fn reports(asked: &Estimator, predictions: &Predictions<'_>, sample: usize) -> (Report, Report) {
    let f = Probabilities::new(predictions.probs().into_owned()).unwrap();
    let who = Identities::Numbered { part: 0, first: 0 };
    let rows = Rows::new(&f, predictions.labels(), who).unwrap();
    // Rows are drawn independently: any sample of them is as good as any other.
    let mut sampler = Sampler::new(sample, 0);
    sampler.add(&rows).unwrap();
    let classes: Vec<String> = (0..f.classes()).map(|class| class.to_string()).collect();
    let class_of: Vec<u32> = (0..f.classes() as u32).collect();
    let plan = Plan::fit(asked, sampler.finish().unwrap(), &class_of, &classes, &[]).unwrap();
    let mut tally = plan.tally();
    tally.add(&plan, &rows).unwrap();
    (plan.finish(&tally).unwrap(), plan.sample_report().clone())
}

/// The share of 95 % bounds above the truth is at most 5 %, and the mean estimate is at most the truth, each
/// up to three Monte-Carlo standard errors. Seeds are fixed.
fn check(setting: Setting, learner: &str, data_sets: u64) {
    let truths = setting.errors();
    let mut values = vec![Vec::new(); METRICS.len()];
    let mut above = [0u32; METRICS.len()];
    for seed in 0..data_sets {
        let asked = asked(recalibrator(learner).unwrap(), seed);
        let (report, _) = reports(&asked, &setting.draw(ROWS, seed), SAMPLE);
        for (place, one) in report.estimates.iter().enumerate() {
            values[place].push(one.value);
            // A bound of a calibrated model that is not 0 is above the truth.
            above[place] += u32::from(one.lower > truths[place]);
        }
    }
    let allowed = 0.05 + 3.0 * (0.05 * 0.95 / data_sets as f64).sqrt();
    for (place, metric) in METRICS.iter().enumerate() {
        let (mean, error) = common::mean_and_error(&values[place]);
        let (truth, share) = (truths[place], f64::from(above[place]) / data_sets as f64);
        let cell = format!("{}, {learner}, {metric}", setting.name());
        println!("{cell}: {share:.3} above, {mean:.5} ± {error:.5} of {truth:.5}");
        assert!(share <= allowed, "{cell}: {share} of the bounds are above the truth");
        assert!(mean <= truth + 3.0 * error, "{cell}: {mean} ± {error}, and the truth is {truth}");
    }
}

/// How many data sets: of some, ten times as many where time does not matter.
fn sets(some: u64) -> u64 {
    if common::is_long() { 10 * some } else { some }
}

#[test]
fn bounds_of_calibrated_streams_hold() {
    for learner in ["auto", "isotonic", "kernel"] {
        check(Setting::Paper("binary-calibrated"), learner, sets(200));
    }
    check(Setting::Ties(0.0), "auto", sets(200));
    check(Setting::Skewed(1.0), "auto", sets(200));
    check(Setting::Skewed(1.0), "isotonic", sets(200));
}

#[test]
fn bounds_of_miscalibrated_streams_hold() {
    for learner in ["auto", "isotonic"] {
        check(Setting::Paper("binary-overconfident"), learner, sets(200));
    }
    check(Setting::Paper("binary-shifted"), "kernel", sets(200));
    check(Setting::Ties(0.05), "auto", sets(200));
    check(Setting::Skewed(1.5), "isotonic", sets(200));
}

#[test]
fn bounds_of_streams_of_three_classes_hold() {
    for learner in ["isotonic", "logistic"] {
        check(Setting::Paper("multiclass-calibrated-3"), learner, sets(200));
        check(Setting::Paper("multiclass-overconfident-3"), learner, sets(200));
    }
    check(Setting::Paper("multiclass-calibrated-3"), "auto", sets(20));
}

/// With a quarter of the rows in the sample, the bound of all is √(1/16 + 9/16 · 1/6) = 0.395 times as far
/// from its estimate as that of the sample: the rest has three times the rows and needs no factor of 2.
#[test]
fn the_rest_tightens_the_bound_by_what_it_is_worth() {
    for (setting, learner) in [
        (Setting::Paper("binary-overconfident"), "auto"),
        (Setting::Paper("binary-overconfident"), "isotonic"),
        (Setting::Paper("multiclass-overconfident-3"), "logistic"),
    ] {
        let sum = |pairs: &[(f64, f64)]| {
            pairs.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        let distances: Vec<(f64, f64)> = (0..20)
            .map(|seed| {
                let asked = asked(recalibrator(learner).unwrap(), seed);
                let (all, sample) = reports(&asked, &setting.draw(ROWS, seed), SAMPLE);
                let distance =
                    |report: &Report| report.estimates[0].value - report.estimates[0].lower;
                (distance(&all), distance(&sample))
            })
            .collect();
        let (all, sample) = sum(&distances);
        // The scores of l1 have the same variance whichever g says on which side of f the truth is, so
        // that the ratio hardly depends on chance.
        let ratio = all / sample;
        println!("{}, {learner}: {ratio:.4}", setting.name());
        assert!((ratio - 0.3953).abs() < 0.01, "{}, {learner}: {ratio}", setting.name());
    }
}

/// g is above f everywhere, or below it: all that is learnt is the sign of Σ (y − f), the extreme in which
/// the sample's estimate has the longest tail.
struct OneSign(f64);

impl Recalibrator for OneSign {
    fn name(&self) -> String {
        "one sign".to_owned()
    }

    fn fit(&self, sample: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
        let observed: f64 = sample.labels().iter().map(|&label| f64::from(label)).sum();
        Ok(Box::new(Self((observed - sample.probs().column(1).sum()).signum())))
    }
}

impl Fitted for OneSign {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        _: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        for (f, mut g) in f.rows().into_iter().zip(g.rows_mut()) {
            g[1] = f[1] + 0.1 * self.0 * f[0] * f[1];
            g[0] = 1.0 - g[1];
        }
        Ok(())
    }
}

/// The share of 95 % bounds of l1 above 0, where 0 is the truth, by folds and by how many times the sample
/// the rest is: at most 5 % up to three Monte-Carlo standard errors. Seeds are fixed.
#[test]
fn one_sign_is_no_worse_than_the_bound_allows() {
    let (sample, data_sets) = (100, sets(800));
    let allowed = 0.05 + 3.0 * (0.05 * 0.95 / data_sets as f64).sqrt();
    for times in [3, 10] {
        for folds in [2, 5, 10] {
            let above = |seed: &u64| {
                let predictions =
                    simulate("binary-calibrated", sample * (1 + times), *seed).unwrap();
                let asked = asked(Arc::new(OneSign(0.0)), *seed).folds(folds);
                reports(&asked, &predictions, sample).0.estimates[0].lower > 0.0
            };
            let share = (0..data_sets).filter(above).count() as f64 / data_sets as f64;
            println!("one sign, {folds} folds, rest {times} times the sample: {share:.4}");
            assert!(share <= allowed, "{folds} folds, {times} times: {share}");
        }
    }
}
