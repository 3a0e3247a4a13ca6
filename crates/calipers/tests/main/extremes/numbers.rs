//! Numbers at the ends of what a format holds.

use calipers::{Predictions, SUM_TOLERANCE, simulate};
use ndarray::{Array2, array};

use crate::extremes::{SLOW, assert_near, assert_numbers, estimate, names};

/// As a format with so many significant bits and such a least exponent keeps it.
fn kept(value: f64, bits: i32, least: i32) -> f64 {
    let unit = 2f64.powi((value.log2().floor() as i32).max(least) + 1 - bits);
    (value / unit).round_ties_even() * unit
}

/// float16 and bfloat16: every row is taken, and the number of those that were
/// divided by their sums is reported.
#[test]
fn half_precision_is_taken_and_said() {
    for setting in ["multiclass-overconfident-3", "multiclass-overconfident-10"] {
        let exact = simulate(setting, 2_000, 0).unwrap();
        let found = estimate("isotonic", &["l1", "brier"], &exact);
        for (bits, least) in [(11, -14), (8, -126)] {
            let rounded = exact.probs().mapv(|p| kept(p, bits, least));
            let off = |row: &ndarray::ArrayView1<'_, f64>| (row.sum() - 1.0).abs();
            let most = rounded.rows().into_iter().map(|row| off(&row)).fold(0.0, f64::max);
            assert!(most <= SUM_TOLERANCE, "{setting} {bits} bits: {most}");
            let predictions = Predictions::new(rounded, exact.labels()).unwrap();
            assert!(predictions.renormalised_rows() > 1_000, "{setting} {bits} bits");
            let report = estimate("isotonic", &["l1", "brier"], &predictions);
            assert_eq!(report.renormalised_rows, predictions.renormalised_rows());
            // f moves by 2⁻⁸ of itself at most, and l1 by no more than f does, but that a g which
            // meets f may turn round there: a score of at most 2 in few of the rows.
            let gap = report.estimates[0].value - found.estimates[0].value;
            assert!(gap.abs() < 0.02, "{setting} {bits} bits: {gap}");
        }
    }
}

#[test]
fn sums_that_no_rounding_explains_are_refused_with_a_way_out() {
    let error = Predictions::new(array![[0.33, 0.33, 0.33]], &[0]).unwrap_err().to_string();
    assert!(
        error.contains("sum to 0.99") && error.contains("divide each row by its sum"),
        "{error}"
    );
    assert!(error.contains("logits"), "{error}");
}

/// An ulp above 1 leaves nothing for the other classes, and not less than nothing.
#[test]
fn one_and_an_ulp_is_one() {
    let over = 1.0f64.next_up();
    let table = array![[over, 0.0, 0.0], [0.0, over, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, over]];
    let labels = [0, 1, 2, 1];
    let owned = Predictions::new(table.clone(), &labels).unwrap();
    assert!(owned.probs().iter().all(|p| (0.0..=1.0).contains(p)));
    for predictions in [owned, Predictions::borrowed(table.view(), &labels).unwrap()] {
        assert!(predictions.probs().iter().all(|p| (0.0..=1.0).contains(p)));
        for name in names() {
            let metrics = ["l1", "log", "top-l1", "top-log", "classwise-brier", "classwise-log"];
            let asked = crate::extremes::asked(name, &metrics).folds(2);
            assert_numbers(name, &asked.estimate(&predictions).unwrap());
        }
    }
    let column = Predictions::binary(vec![over, 0.0], &[1, 0]).unwrap();
    assert!(column.probs().iter().all(|p| (0.0..=1.0).contains(p)));
}

/// Scores of rows next to a vertex, by hand: `constant` with g known, f as small as numbers get.
#[test]
fn tiny_probabilities_keep_their_logarithm() {
    for tiny in [1e-300, 1e-310, 5e-324] {
        let mut probs = vec![0.5; 40];
        probs[7] = tiny;
        let mut labels = vec![0u32; 40];
        labels.iter_mut().step_by(2).for_each(|label| *label = 1);
        labels[7] = 1;
        let predictions = Predictions::binary(probs, &labels).unwrap();
        let report =
            crate::extremes::asked("constant", &["log"]).folds(40).estimate(&predictions).unwrap();
        // 20 of the other 39 are of class 1, mixed with a fortieth of the uniform.
        let frequency = 20.0 / 39.0;
        let g: f64 = frequency + (0.5 - frequency) / 40.0;
        let log = report.get("log").unwrap();
        assert_near("score", log.scores[7], g.ln() - tiny.ln(), 1e-10);
        assert_eq!(log.infinite_rows, 0);
    }
}

/// Logits so far apart that the probabilities are exactly 0 and 1: certain and right scores nothing,
/// whatever g, since Y = f leaves no norm anything to gain.
#[test]
fn logits_far_apart_make_certain_predictions() {
    for size in [1e4, 1e5, 1e300, 1e308, f64::MAX] {
        let labels: Vec<u32> = (0..60).map(|row| row % 3).collect();
        let logits = Array2::from_shape_fn((60, 3), |(row, class)| {
            if labels[row] as usize == class { size } else { -size }
        });
        let predictions = Predictions::from_logits(logits.view(), &labels).unwrap();
        assert!(
            predictions.probs().iter().all(|&p| p.to_bits() == 0 || p.to_bits() == 1f64.to_bits())
        );
        for name in names().filter(|name| !SLOW.contains(name)) {
            let report = estimate(name, &["l1", "l2", "linf", "log", "top-l1"], &predictions);
            assert_numbers(name, &report);
            for metric in ["l1", "l2", "linf", "top-l1"] {
                let found = report.get(metric).unwrap().value;
                assert_near(&format!("{name} {metric} at {size:e}"), found, 0.0, 1e-15);
            }
        }
        // Wrong every time: the distance of two vertices, 2 in `l1`.
        let wrong: Vec<u32> = labels.iter().map(|label| (label + 1) % 3).collect();
        let wrong = Predictions::from_logits(logits.view(), &wrong).unwrap();
        let report = estimate("isotonic", &["l1", "log"], &wrong);
        assert!(report.estimates[0].value > 1.9, "{}", report.estimates[0].value);
        assert_eq!(report.get("log").unwrap().infinite_rows, 60);
    }
    // Moderate differences keep their tail, as far as doubles go.
    let far = Predictions::from_logits(array![[700.0, 0.0], [0.0, 744.0]].view(), &[0, 1]).unwrap();
    assert_near("tail", far.probs()[[0, 1]] / (-700f64).exp(), 1.0, 1e-12);
    assert!(far.probs()[[1, 0]] > 0.0);
}
