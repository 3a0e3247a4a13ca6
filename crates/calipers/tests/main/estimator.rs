//! The estimator as a user sees it: settings, threads, scores, infinities.
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calipers::{
    Distance, Error, Estimator, Fitted, Folds, Metric, Predictions, Purpose, Recalibrator, Result,
    Sample, recalibrator, recalibrators, simulate,
};
use ndarray::{ArrayView2, ArrayViewMut2, Axis};

fn metrics(names: &[&str]) -> Vec<Metric> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// The whole algorithm written out naively for one metric and one recalibrator.
#[test]
fn the_estimate_is_algorithm_one() {
    let predictions = simulate("binary-overconfident", 203, 4).unwrap();
    let ids: Vec<i64> = (0..203).map(|row| (row * row) % 3).collect();
    let report = Estimator::new()
        .metrics(metrics(&["l1", "brier"]))
        .recalibrator(recalibrator("quadratic").unwrap())
        .fold_plan(Folds::from_ids(&ids).unwrap())
        .estimate(&predictions)
        .unwrap();
    let mut by_hand = [0.0, 0.0];
    for fold in 0..3 {
        let side = |held: bool| -> Vec<usize> {
            (0..203).filter(|&row| (ids[row] == fold) == held).collect()
        };
        let pick = |rows: &[usize]| {
            let labels: Vec<u32> = rows.iter().map(|&row| predictions.labels()[row]).collect();
            Predictions::new(predictions.probs().select(Axis(0), rows), &labels).unwrap()
        };
        if side(true).is_empty() {
            continue;
        }
        let (training, held) = (pick(&side(false)), pick(&side(true)));
        let fitted = recalibrator("quadratic").unwrap().fit(&Sample::from(&training), 0).unwrap();
        let g = fitted.predict(held.probs().view()).unwrap();
        let share = held.rows() as f64 / 203.0;
        let n = held.rows() as f64;
        for row in 0..held.rows() {
            let (f, g, y) = (held.probs()[[row, 1]], g[[row, 1]], f64::from(held.labels()[row]));
            by_hand[0] += share * (g - f).signum() * (y - f) / n;
            by_hand[1] += share * ((f - y).powi(2) - (g - y).powi(2)) / n;
        }
    }
    // The fits see their rows in another order, and stop at a gradient of 1e-10.
    assert!((report.estimates[0].value - by_hand[0]).abs() < 1e-9);
    assert!((report.estimates[1].value - by_hand[1]).abs() < 1e-9);
}

#[test]
fn scores_average_to_the_value_and_repeats_average_scores() {
    let predictions = simulate("multiclass-overconfident-3", 300, 1).unwrap();
    let run = |repeats| {
        let metrics = metrics(&["l2", "top-l1", "classwise-l1"]);
        Estimator::new().metrics(metrics).repeats(repeats).estimate(&predictions).unwrap()
    };
    for estimate in run(3).estimates {
        let mean = estimate.scores.iter().sum::<f64>() / 300.0;
        assert!((estimate.value - mean).abs() < 1e-14, "{}", estimate.metric);
    }
    assert_ne!(run(1).estimates[0].value.to_bits(), run(3).estimates[0].value.to_bits());
}

#[test]
fn a_zero_on_the_observed_class_is_reported_as_infinite_with_its_count() {
    let mut probs: Vec<f64> = (0..40).map(|row| 0.1 + 0.02 * f64::from(row)).collect();
    let mut labels: Vec<u32> = (0..40).map(|row| u32::from(row % 3 == 0)).collect();
    (probs[5], labels[5]) = (0.0, 1);
    (probs[9], labels[9]) = (1.0, 0);
    (probs[11], labels[11]) = (1.0, 1);
    let predictions = Predictions::binary(&probs, &labels).unwrap();
    let estimator = Estimator::new()
        .metrics(metrics(&["log", "l1"]))
        .recalibrator(recalibrator("isotonic").unwrap());
    let report = estimator.estimate(&predictions).unwrap();
    let log = report.get("log").unwrap();
    assert!(log.value >= f64::INFINITY && log.infinite_rows == 2);
    let json = report.to_json();
    assert_eq!(json["metrics"]["log"]["value"], "inf");
    assert_eq!(json["metrics"]["log"]["infinite_rows"], 2);
    assert!(report.get("l1").unwrap().value.is_finite());
    let floored = estimator.log_floor(1e-12).estimate(&predictions).unwrap();
    assert!(floored.get("log").unwrap().value.is_finite());
}

#[test]
fn a_fold_that_holds_all_the_weight_leaves_nothing_to_learn() {
    let predictions = Predictions::binary(&[0.2, 0.4, 0.6, 0.8], &[0, 1, 0, 1]).unwrap();
    let predictions = predictions.with_weights(vec![1.0, 1.0, 0.0, 0.0]).unwrap();
    let plan = Folds::from_ids(&[0, 0, 1, 1]).unwrap();
    for info in recalibrators() {
        let report = Estimator::new()
            .recalibrator(recalibrator(info.name).unwrap())
            .fold_plan(plan.clone())
            .estimate(&predictions)
            .unwrap();
        for estimate in report.estimates {
            assert_eq!(estimate.value.to_bits(), 0f64.to_bits(), "{}", info.name);
        }
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let predictions = simulate("multiclass-calibrated-3", 20, 0).unwrap();
    let refused = |estimator: Estimator| estimator.estimate(&predictions).unwrap_err().to_string();
    assert_eq!(refused(Estimator::new().repeats(0)), "repeats: 0: at least 1 is needed");
    assert_eq!(refused(Estimator::new().folds(1)), "folds: 1: at least 2 folds are needed");
    assert_eq!(
        refused(Estimator::new().folds(21)),
        "20 rows are too few for 21 folds: every fold needs one"
    );
    assert_eq!(refused(Estimator::new().confidence(1.0)), "confidence: 1 is not between 0 and 1");
    assert_eq!(
        refused(Estimator::new().log_floor(-0.5)),
        "log floor: -0.5 is not at least 0 and below 1"
    );
    assert_eq!(
        refused(Estimator::new().metric("over-l1".parse().unwrap())),
        "metric over-l1: over- and under-confidence are defined for two classes, not 3; \
         top-over-l1 measures the most probable class"
    );
}

#[test]
fn the_watcher_sees_every_fit_and_can_stop() {
    let predictions = simulate("multiclass-calibrated-3", 200, 0).unwrap();
    let seen = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&seen);
    let estimator = Estimator::new().metrics(metrics(&["l1", "top-l1", "classwise-l1"])).repeats(2);
    let report = estimator
        .clone()
        .watch(move |_, total| {
            assert_eq!(total, 2 * 5 * (1 + 1 + 3));
            counter.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })
        .estimate(&predictions)
        .unwrap();
    assert_eq!((seen.load(Ordering::Relaxed), report.fits), (50, 50));
    let stopped =
        estimator.watch(
            |done, _| {
                if done >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
    assert_eq!(stopped.estimate(&predictions).unwrap_err(), Error::Stopped);
}

/// Gives g = f for norms, and a constant for everything else.
struct TwoFaced;

impl Recalibrator for TwoFaced {
    fn name(&self) -> String {
        "two-faced".to_owned()
    }

    fn fit(&self, _: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(TwoFaced))
    }
}

impl Fitted for TwoFaced {
    fn serves(&self, purpose: Purpose) -> Purpose {
        purpose
    }

    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        match purpose {
            Purpose::Direction => g.assign(&f),
            _ => g.fill(0.5),
        }
        Ok(())
    }

    fn converged(&self) -> bool {
        false
    }
}

#[test]
fn a_recalibrator_may_give_another_g_for_another_metric() {
    let predictions = simulate("binary-overconfident", 100, 0).unwrap();
    let report = Estimator::new().recalibrator(Arc::new(TwoFaced)).estimate(&predictions).unwrap();
    assert_eq!(report.get("l1").unwrap().value.to_bits(), 0f64.to_bits());
    assert!(report.get("brier").unwrap().value.abs() > 0.0);
    assert_eq!(report.unconverged_fits, 5);
}

/// Those of the fits of all folds and problems, each once.
#[test]
fn the_report_names_what_bounded_the_cost() {
    let predictions = simulate("multiclass-overconfident-3", 3000, 0).unwrap();
    let metrics = ["l2", "top-l1"].map(|metric| metric.parse().unwrap());
    let report = Estimator::new().metrics(metrics).estimate(&predictions).unwrap();
    let expected = [
        "kernels over 2,048 rows",
        "weights of the stack fitted to 2,048 rows",
        "like predictions in about 200 cells",
    ];
    assert_eq!(report.approximations, expected);
    assert_eq!(report.to_json()["approximations"], serde_json::json!(expected));
    let isotonic = Estimator::new().recalibrator(recalibrator("isotonic").unwrap());
    let json = isotonic.estimate(&predictions).unwrap().to_json();
    assert!(json.get("approximations").is_none());
}

/// The sum of the absolute differences, for so many rows at once.
#[derive(Debug)]
struct Blocks(usize);

impl Distance for Blocks {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        f.iter().zip(z).map(|(f, z)| (z - f).abs()).sum()
    }
    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        for class in 0..f.len() {
            out[class] = (z[class] - f[class]).signum();
        }
    }
    fn block(&self) -> usize {
        self.0
    }
}

#[test]
fn a_distance_may_see_many_rows_at_once() {
    let predictions = simulate("multiclass-overconfident-3", 200, 0).unwrap();
    let scores = |block: usize| {
        let report = Estimator::new()
            .metric(Metric::distance("mine", Blocks(block)))
            .recalibrator(recalibrator("isotonic").unwrap())
            .repeats(2)
            .estimate(&predictions)
            .unwrap();
        report.estimates[0].scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>()
    };
    // Blocks that divide the folds of 40 rows, that do not, and that hold them whole.
    for block in [2, 8, 7, 40, 1000] {
        assert_eq!(scores(block), scores(1), "{block}");
    }
}

#[test]
fn json_has_the_shape_that_was_promised() {
    let predictions = simulate("binary-calibrated", 50, 0).unwrap();
    let predictions = predictions.with_class_names(["no", "yes"]).unwrap();
    let json = Estimator::new().seed(9).estimate(&predictions).unwrap().to_json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    let expected = [
        "n",
        "classes",
        "recalibrator",
        "folds",
        "repeats",
        "seed",
        "confidence",
        "renormalised_rows",
        "unconverged_fits",
        "metrics",
    ];
    assert_eq!(keys, expected);
    assert_eq!(json["classes"], serde_json::json!(["no", "yes"]));
    let l1: Vec<&String> = json["metrics"]["l1"].as_object().unwrap().keys().collect();
    assert_eq!(l1, ["value", "stderr", "lower", "p_value", "draws"]);
}
