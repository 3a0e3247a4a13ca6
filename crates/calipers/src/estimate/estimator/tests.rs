use ndarray::{ArrayView2, ArrayViewMut2};

use super::*;
use crate::data::{Sample, simulate};
use crate::figure::Mover;
use crate::loss::{Distance, Purpose, Scope};
use crate::recalibrate::{Fitted, recalibrator};

/// Predicts how often each class was seen in training, whatever f says: simple enough to be written
/// out by hand.
struct Frequencies {
    converges: bool,
}

struct Seen {
    frequencies: Vec<f64>,
    converged: bool,
}

impl Recalibrator for Frequencies {
    fn name(&self) -> String {
        "frequencies".to_owned()
    }

    fn fit(&self, sample: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
        let frequencies = frequencies(sample.labels(), sample.classes());
        Ok(Box::new(Seen { frequencies, converged: self.converges }))
    }
}

impl Fitted for Seen {
    fn predict_into(
        &self,
        _: ArrayView2<'_, f64>,
        _: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        g.assign(&ndarray::aview1(&self.frequencies));
        Ok(())
    }

    fn converged(&self) -> bool {
        self.converged
    }

    fn approximations(&self) -> Vec<String> {
        vec!["f was ignored".to_owned(), format!("{} classes", self.frequencies.len())]
    }
}

fn frequencies(labels: &[u32], classes: usize) -> Vec<f64> {
    let seen = |class| labels.iter().filter(|&&label| label as usize == class).count();
    (0..classes).map(|class| seen(class) as f64 / labels.len() as f64).collect()
}

const ROWS: usize = 23;
const FOLDS: usize = 4;
const SEED: u64 = 11;

fn data() -> Predictions<'static> {
    simulate("multiclass-overconfident-3", ROWS, 5).unwrap()
}

fn estimator(names: &[&str], repeats: usize) -> Estimator {
    Estimator::new()
        .metrics(names.iter().map(|name| name.parse().unwrap()))
        .recalibrator(Arc::new(Frequencies { converges: false }))
        .folds(FOLDS)
        .repeats(repeats)
        .seed(SEED)
        .draws(0)
        .threads(1)
}

/// ‖f − Y‖² − ‖g − Y‖² of each row, with g from the rows of other folds, or from all; of two classes
/// the second alone.
fn brier_by_hand(f: &[Vec<f64>], labels: &[u32], folds: Option<&[u32]>) -> Vec<f64> {
    let classes = f[0].len();
    let score = |row: usize| {
        let apart = |other: &usize| folds.is_none_or(|folds| folds[*other] != folds[row]);
        let training: Vec<u32> =
            (0..labels.len()).filter(apart).map(|other| labels[other]).collect();
        let g = frequencies(&training, classes);
        let observed = |class| f64::from(u8::from(labels[row] as usize == class));
        let gain = |class: usize| {
            (f[row][class] - observed(class)).powi(2) - (g[class] - observed(class)).powi(2)
        };
        if classes == 2 { gain(1) } else { (0..classes).map(gain).sum() }
    };
    (0..labels.len()).map(score).collect()
}

/// The problems of a scope: predictions and labels.
fn problems(predictions: &Predictions<'_>, scope: Scope) -> Vec<(Vec<Vec<f64>>, Vec<u32>)> {
    let f: Vec<Vec<f64>> = predictions.probs().rows().into_iter().map(|row| row.to_vec()).collect();
    let one_class = |class_of: &dyn Fn(usize) -> usize| {
        let pairs = (0..ROWS).map(|row| vec![1.0 - f[row][class_of(row)], f[row][class_of(row)]]);
        let hits = (0..ROWS).map(|row| predictions.labels()[row] as usize == class_of(row));
        (pairs.collect(), hits.map(u32::from).collect())
    };
    match scope {
        Scope::Canonical => vec![(f.clone(), predictions.labels().to_vec())],
        Scope::Top => {
            let larger = |row: usize, a: &usize, b: &usize| f[row][*a].total_cmp(&f[row][*b]);
            vec![one_class(&|row| (0..3).max_by(|a, b| larger(row, a, b)).unwrap())]
        }
        Scope::Classwise => (0..3).map(|class| one_class(&|_| class)).collect(),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Algorithm 1 written out for every scope, with folds drawn once and several times. Sums of tens of
/// numbers below 2 are exact to 1e-14.
#[test]
fn every_scope_is_algorithm_one_averaged_over_its_problems_and_repeats() {
    let predictions = data();
    for repeats in [1, 3] {
        let report = estimator(&["brier", "top-brier", "classwise-brier"], repeats)
            .bracket(true)
            .estimate(&predictions)
            .unwrap();
        for (estimate, scope) in
            report.estimates.iter().zip([Scope::Canonical, Scope::Top, Scope::Classwise])
        {
            let problems = problems(&predictions, scope);
            let mut scores = vec![0.0; ROWS];
            let mut in_sample = 0.0;
            for (f, labels) in &problems {
                for repeat in 0..repeats {
                    let folds = Folds::Shuffled(FOLDS).assign(ROWS, None, SEED, repeat);
                    let own = brier_by_hand(f, labels, Some(&folds));
                    let share = (problems.len() * repeats) as f64;
                    scores.iter_mut().zip(own).for_each(|(score, own)| *score += own / share);
                }
                in_sample += mean(&brier_by_hand(f, labels, None)) / problems.len() as f64;
            }
            for (found, by_hand) in estimate.scores.iter().zip(&scores) {
                assert!((found - by_hand).abs() < 1e-14, "{scope:?}: {found} {by_hand}");
            }
            assert!((estimate.value - mean(&scores)).abs() < 1e-14, "{scope:?}");
            let found = estimate.in_sample.unwrap();
            assert!((found - in_sample).abs() < 1e-14, "{scope:?}: {found} {in_sample}");
        }
    }
}

#[test]
fn fits_are_counted_and_so_are_those_that_did_not_converge() {
    let predictions = data();
    // One problem of the whole vector, one of the top class, one a class.
    let problems = 1 + 1 + 3;
    for (bracket, of_each) in [(false, 3 * FOLDS), (true, 3 * FOLDS + 1)] {
        let asked = estimator(&["l1", "brier", "top-l1", "classwise-l1"], 3).bracket(bracket);
        let report = asked.estimate(&predictions).unwrap();
        assert_eq!(report.fits, problems * of_each);
        assert_eq!(report.unconverged_fits, report.fits);
        assert_eq!(report.get("l1").unwrap().in_sample.is_some(), bracket);
        let converging = asked.recalibrator(Arc::new(Frequencies { converges: true }));
        assert_eq!(converging.estimate(&predictions).unwrap().unconverged_fits, 0);
    }
}

#[test]
fn approximations_are_named_once_each() {
    let report = estimator(&["l1", "top-l1", "classwise-l1"], 2).estimate(&data()).unwrap();
    assert_eq!(report.approximations, ["f was ignored", "3 classes", "2 classes"]);
}

/// The figures look at g of the whole vector, for the squared error, whatever else is estimated.
#[test]
fn an_onlooker_sees_the_held_out_g_of_the_whole_vector() {
    let predictions = data();
    let mut mover = Mover::new(3);
    let report = estimator(&["top-l1", "l1", "classwise-l1"], 1)
        .estimate_observed(&predictions, &mut mover)
        .unwrap();
    assert_eq!(report.estimates.len(), 3);
    let folds = Folds::Shuffled(FOLDS).assign(ROWS, None, SEED, 0);
    let mut expected = [0.0; 3];
    for row in 0..ROWS {
        let others = (0..ROWS).filter(|&other| folds[other] != folds[row]);
        let training: Vec<u32> = others.map(|other| predictions.labels()[other]).collect();
        let g = frequencies(&training, 3);
        expected.iter_mut().zip(g).for_each(|(sum, g)| *sum += g / ROWS as f64);
    }
    let seen = mover.finish().unwrap().mean_g;
    for (seen, expected) in seen.iter().zip(expected) {
        assert!((seen - expected).abs() < 1e-14, "{seen} {expected}");
    }
}

#[test]
fn settings_are_kept_beside_each_other() {
    let asked = Estimator::new()
        .metric("brier".parse().unwrap())
        .metrics(["log", "l3"].map(|name| name.parse().unwrap()))
        .recalibrator(recalibrator("isotonic").unwrap())
        .folds(7)
        .repeats(6)
        .seed(5)
        .confidence(0.8)
        .draws(40)
        .test(Test::Refit)
        .bracket(true)
        .binary(BinaryNorm::Vector)
        .log_floor(0.25)
        .threads(3)
        .watch(|_, _| ControlFlow::Continue(()))
        .stop(Stop::new());
    let names: Vec<String> = asked.metrics.iter().map(Metric::to_string).collect();
    assert_eq!(names, ["brier", "log", "l3"]);
    assert_eq!((asked.learner().name(), asked.own_seed()), ("isotonic".to_owned(), 5));
    assert_eq!((&asked.folds, asked.repeats, asked.threads), (&Folds::Shuffled(7), 6, 3));
    assert_eq!(asked.confidence.to_bits(), 0.8f64.to_bits());
    assert_eq!((asked.draws, asked.test), (Some(40), Test::Refit));
    assert_eq!((asked.bracket, asked.binary), (true, BinaryNorm::Vector));
    assert_eq!(asked.log_floor.map(f64::to_bits), Some(0.25f64.to_bits()));
    assert!(asked.watcher.is_some() && asked.stop.is_some());

    // A group has folds, a confidence and drawings of its own, and reports no progress of its own.
    let group = asked.within(Folds::Shuffled(2), 0.99, 500);
    assert_eq!((&group.folds, group.draws), (&Folds::Shuffled(2), Some(40)));
    assert_eq!(group.confidence.to_bits(), 0.99f64.to_bits());
    assert!(group.watcher.is_none() && group.stop.is_some());
    assert_eq!((group.metrics.len(), group.repeats, group.seed), (3, 6, 5));

    let other = asked.only(vec!["brier".parse().unwrap()]);
    assert_eq!((other.metrics.len(), other.repeats, other.seed), (1, 6, 5));
}

#[test]
fn a_group_draws_as_often_as_was_asked_or_as_its_test_does() {
    let draws = |estimator: Estimator| estimator.within(Folds::Shuffled(2), 0.9, 500).draws;
    assert_eq!(draws(Estimator::new()), Some(500));
    assert_eq!(draws(Estimator::new().test(Test::Refit)), None);
    assert_eq!(draws(Estimator::new().test(Test::Refit).draws(9)), Some(9));
}

#[test]
fn further_metrics_are_added_to_those_asked_for_each_once() {
    let names = |estimator: Estimator| -> Vec<String> {
        estimator.metrics.iter().map(Metric::to_string).collect()
    };
    let more = || ["l1", "top-l1", "top-l1"].map(|name| name.parse().unwrap());
    let by_default = Estimator::new().seed(3).with_metrics(3, more()).unwrap();
    assert_eq!(by_default.own_seed(), 3);
    assert_eq!(names(by_default), ["l1", "l2", "brier", "log", "top-l1"]);
    let of_two = Estimator::new().with_metrics(2, more()).unwrap();
    assert_eq!(names(of_two), ["l1", "brier", "log", "top-l1"]);
    let own = Estimator::new().metric("brier".parse().unwrap()).with_metrics(2, more()).unwrap();
    assert_eq!(names(own), ["brier", "l1", "top-l1"]);
}

/// Somebody's own distance, under the name of another.
#[derive(Debug)]
struct Squares;

impl Distance for Squares {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        f.iter().zip(z).map(|(f, z)| (z - f).powi(2)).sum()
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(f.iter().zip(z)).for_each(|(out, (f, z))| *out = 2.0 * (z - f));
    }
}

/// A metric has the parts of the loss that it is, not of the one that it is named after.
#[test]
fn a_distance_that_is_named_log_has_no_parts_of_the_log_loss() {
    let own = estimator(&["log"], 1).metric(Metric::distance("log", Squares));
    let report = own.estimate(&data()).unwrap();
    assert!(report.estimates[0].decomposition.is_some());
    assert_eq!(report.estimates[1].metric, "log");
    assert!(report.estimates[1].decomposition.is_none());
}

/// Everything strictly between the limits will do, and nothing else, NaN included.
#[test]
fn settings_are_checked_at_their_limits() {
    let predictions = data();
    let accepted = |estimator: Estimator| estimator.check(&predictions).is_ok();
    assert!(accepted(Estimator::new()));
    assert!(accepted(Estimator::new().repeats(1)) && !accepted(Estimator::new().repeats(0)));
    for (confidence, good) in [
        (-0.5, false),
        (0.0, false),
        (1e-9, true),
        (0.5, true),
        (1.0 - 1e-9, true),
        (1.0, false),
        (1.5, false),
        (f64::NAN, false),
    ] {
        assert_eq!(accepted(Estimator::new().confidence(confidence)), good, "{confidence}");
    }
    for (floor, good) in [(-1e-9, false), (0.0, true), (0.5, true), (1.0, false), (f64::NAN, false)]
    {
        assert_eq!(accepted(Estimator::new().log_floor(floor)), good, "{floor}");
    }
    assert!(accepted(Estimator::new().folds(ROWS)) && !accepted(Estimator::new().folds(ROWS + 1)));
}
