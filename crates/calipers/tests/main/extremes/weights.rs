//! Weights that differ by more than a double can hold.

use calipers::{Folds, Predictions, simulate};

use crate::extremes::{asked, assert_near, assert_numbers, names};

/// A row of 1e300 among rows of 1e-300: nothing but that row counts, and nothing is left to learn from
/// where it is held out. Its g is then f, and its score 0.
#[test]
fn what_a_double_cannot_hold_beside_the_largest_counts_for_nothing() {
    let predictions = simulate("binary-overconfident", 60, 0).unwrap();
    let mut weights = vec![1e-300; 60];
    weights[17] = 1e300;
    let predictions = predictions.with_weights(weights).unwrap();
    for name in names() {
        let report = asked(name, &["l1", "brier", "log"]).estimate(&predictions).unwrap();
        assert_numbers(name, &report);
        for one in &report.estimates {
            assert_near(name, one.value, 0.0, 0.0);
        }
    }
}

/// The same ratio as far as it can be held: the light rows are then all that is learnt from where the
/// heavy one is held out, as if they had weights of 1. (Norms jump where g meets f, which rounding decides.)
#[test]
fn light_rows_are_learnt_from_where_the_heavy_one_is_held_out() {
    let plain = simulate("binary-overconfident", 61, 0).unwrap();
    let ids: Vec<i64> = (0..61).map(|row| if row == 17 { 0 } else { 1 + row % 3 }).collect();
    for light in [1e-10, 1e-160, 1e-300, 1e-320, 5e-324] {
        let weights = (0..61).map(|row| if row == 17 { 1.0 } else { light }).collect();
        let weighted = plain.clone().with_weights(weights).unwrap();
        for name in names() {
            let run = |predictions: &Predictions<'_>| {
                let asked = asked(name, &["brier", "log", "top-brier", "classwise-log"]);
                asked.fold_plan(Folds::from_ids(&ids).unwrap()).estimate(predictions).unwrap()
            };
            let (one, other) = (run(&plain), run(&weighted));
            assert_numbers(name, &other);
            for (one, other) in one.estimates.iter().zip(&other.estimates) {
                let what = format!("{name} {} {light:e}", one.metric);
                // The light rows' weights are equal, so that each is the mean: 1.
                assert_near(&what, other.scores[17], one.scores[17], 0.0);
                // The heavy row is all that counts, but for what the light ones add.
                let added = light * other.scores.iter().map(|score| score.abs()).sum::<f64>();
                assert_near(&what, other.value, other.scores[17], 2.0 * added + 1e-15);
            }
        }
    }
}

/// A group of light rows is measured as if the heavy rows were not there.
#[test]
fn a_group_of_light_rows_is_measured_by_itself() {
    let plain = simulate("binary-overconfident", 120, 3).unwrap();
    let groups: Vec<&str> = (0..120).map(|row| if row < 60 { "light" } else { "heavy" }).collect();
    for light in [1e-100, 1e-200, 1e-300] {
        let weights: Vec<f64> = (0..120).map(|row| if row < 60 { light } else { 1.0 }).collect();
        let run = |predictions: Predictions<'_>| {
            let asked = asked("isotonic", &["l1", "brier"]);
            asked.estimate(&predictions.with_groups(&groups).unwrap()).unwrap().groups.unwrap()
        };
        let (one, other) = (run(plain.clone()), run(plain.clone().with_weights(weights).unwrap()));
        let own = |found: &calipers::GroupErrors| found.groups[0].estimates.clone().unwrap();
        for (one, other) in own(&one).iter().zip(&own(&other)) {
            let what = format!("{} {light:e}", one.metric);
            // Equal weights are no weights, but for rounding.
            assert_near(&what, other.value, one.value, 1e-12);
            assert_near(&what, other.stderr, one.stderr, 1e-12);
            assert_near(&what, other.lower, one.lower, 1e-12);
        }
    }
}
