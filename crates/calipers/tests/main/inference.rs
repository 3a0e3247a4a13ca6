//! Lower bounds, in-sample estimates, parts of losses, groups and comparisons, as a user sees them.
use calipers::{Error, Estimator, Folds, Metric, Predictions, Simulation, recalibrator, simulate};

fn metrics(names: &[&str]) -> Vec<Metric> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn estimator(names: &[&str], learner: &str) -> Estimator {
    Estimator::new().metrics(metrics(names)).recalibrator(recalibrator(learner).unwrap())
}

/// The share of data sets whose 95 % bound is above the truth: at most 5 % up to two Monte-Carlo
/// standard errors of 400 data sets, which are 2.2 points. `studies/coverage/coverage.rs` has every cell.
#[test]
fn bounds_are_above_the_truth_no_more_often_than_they_say() {
    let data_sets = 400;
    // (setting, the true l1, folds, repeats)
    let cells = [
        ("binary-calibrated", 0.0, 5, 1),
        ("binary-calibrated", 0.0, 2, 3),
        ("binary-calibrated", 0.0, 10, 1),
        ("binary-overconfident", 0.1373, 5, 1),
        ("multiclass-calibrated-3", 0.0, 5, 2),
    ];
    for (setting, truth, folds, repeats) in cells {
        for learner in ["isotonic", "logistic"] {
            let above = (0..data_sets)
                .filter(|&seed| {
                    let predictions = simulate(setting, 200, seed).unwrap();
                    let estimator = estimator(&["l1", "brier"], learner).draws(0).seed(seed);
                    let estimator = estimator.folds(folds).repeats(repeats).threads(1);
                    let report = estimator.estimate(&predictions).unwrap();
                    report.estimates[0].lower > truth
                        || (truth <= 0.0 && report.estimates[1].lower > 0.0)
                })
                .count();
            let share = above as f64 / data_sets as f64;
            assert!(share <= 0.072, "{setting}, {folds} x {repeats}, {learner}: {share}");
        }
    }
}

#[test]
fn a_large_error_is_bounded_well_above_zero() {
    let predictions = simulate("binary-overconfident", 5_000, 0).unwrap();
    let report =
        estimator(&["l1", "brier", "log", "top-l1"], "auto").estimate(&predictions).unwrap();
    for estimate in &report.estimates {
        assert!(estimate.lower > 0.5 * estimate.value, "{}: {}", estimate.metric, estimate.lower);
        assert!(estimate.lower < estimate.value);
        assert!((estimate.p_value.unwrap() - 0.001).abs() < 1e-12, "999 drawings");
    }
}

/// Rows drawn with the folds that repeats average over: the bound of five repeats is tighter than
/// that of one, by the closed form at least 8 % closer to the estimate.
#[test]
fn repeats_tighten_the_bound() {
    let predictions = simulate("binary-overconfident", 1_000, 3).unwrap();
    let distance = |repeats| {
        let report =
            estimator(&["l1"], "logistic").repeats(repeats).estimate(&predictions).unwrap();
        report.estimates[0].value - report.estimates[0].lower
    };
    assert!(distance(5) < 0.93 * distance(1), "{} {}", distance(5), distance(1));
}

#[test]
fn rare_labels_do_not_shrink_the_standard_error() {
    // One row of a hundred has the rare class, at a probability of 1 % each; the scores of 99 rows that
    // agree with f must not make the mean look certain.
    let f = vec![0.01; 200];
    let labels: Vec<u32> = vec![0; 200];
    let predictions = Predictions::binary(f, &labels).unwrap();
    let report = estimator(&["l1"], "constant").estimate(&predictions).unwrap();
    // √2 · √(f(1 − f)/n) = 0.00995.
    let l1 = &report.estimates[0];
    assert!((l1.stderr - (2.0 * 0.01 * 0.99 / 200.0f64).sqrt()).abs() < 1e-6, "{}", l1.stderr);
    assert!(l1.lower.abs() <= 0.0, "{}", l1.lower);
}

#[test]
fn the_in_sample_estimate_errs_upwards() {
    let (mut cross_fitted, mut in_sample) = (0.0, 0.0);
    for seed in 0..40 {
        let predictions = simulate("binary-calibrated", 200, seed).unwrap();
        let report =
            estimator(&["l1"], "isotonic").bracket(true).draws(0).estimate(&predictions).unwrap();
        assert_eq!(report.fits, 6);
        cross_fitted += report.estimates[0].value / 40.0;
        in_sample += report.estimates[0].in_sample.unwrap() / 40.0;
    }
    // The truth is 0: isotonic regression finds 0.05 in the labels it has seen and nothing beyond.
    assert!(cross_fitted < 0.02 && in_sample > 0.03, "{cross_fitted} {in_sample}");
}

/// The parts against sums by hand.
#[test]
fn the_parts_add_up_to_the_mean_loss() {
    for setting in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(setting, 400, 1).unwrap();
        let weights: Vec<f64> = (0..400).map(|row| 0.5 + f64::from(row % 3)).collect();
        let total: f64 = weights.iter().sum();
        let (mut brier, mut log) = (0.0, 0.0);
        let mut shares = vec![0.0; predictions.classes()];
        for (row, f) in predictions.probs().rows().into_iter().enumerate() {
            let label = predictions.labels()[row] as usize;
            let share = weights[row] / total;
            shares[label] += share;
            log -= share * f[label].ln();
            let squares = f.iter().enumerate().map(|(class, f)| {
                let observed = f64::from(u8::from(class == label));
                (f - observed).powi(2)
            });
            let squares: f64 = squares.sum();
            brier += share * if predictions.classes() == 2 { squares / 2.0 } else { squares };
        }
        let entropy: f64 = -shares.iter().map(|share| share * share.ln()).sum::<f64>();
        let report = estimator(&["brier", "log", "l1"], "logistic")
            .estimate(&predictions.with_weights(weights).unwrap())
            .unwrap();
        for (name, loss) in [("brier", brier), ("log", log)] {
            let estimate = report.get(name).unwrap();
            let parts = estimate.decomposition.unwrap();
            assert!((parts.loss - loss).abs() < 1e-12, "{name}");
            assert!((parts.miscalibration - estimate.value).abs() < 1e-15);
            let sum = parts.miscalibration - parts.discrimination + parts.uncertainty;
            assert!((sum - loss).abs() < 1e-12);
        }
        let uncertainty = report.get("log").unwrap().decomposition.unwrap().uncertainty;
        assert!((uncertainty - entropy).abs() < 1e-12);
        assert!(report.get("l1").unwrap().decomposition.is_none());
    }
}

/// Two groups whose errors cancel: nothing to see in the whole, everything in the groups.
#[test]
fn errors_that_cancel_between_groups_are_found_within_them() {
    let f: Vec<f64> = vec![0.5; 2_000];
    // 70 % in one group and 30 % in the other, f = 1/2 in both.
    let labels: Vec<u32> =
        (0..2_000).map(|row| u32::from(row % 10 < if row % 2 == 0 { 8 } else { 2 })).collect();
    let shares = |group: usize| {
        let own = (0..2_000).filter(|row| row % 2 == group);
        own.map(|row| f64::from(labels[row])).sum::<f64>() / 1_000.0
    };
    assert!((shares(0) - 0.8).abs() < 1e-12 && (shares(1) - 0.2).abs() < 1e-12);
    let names: Vec<&str> = (0..2_000).map(|row| ["even", "odd"][row % 2]).collect();
    let predictions = Predictions::binary(f, &labels).unwrap().with_groups(&names).unwrap();
    let report = estimator(&["l1"], "constant").estimate(&predictions).unwrap();
    assert!(report.estimates[0].lower.abs() <= 0.0);
    let groups = report.groups.as_ref().unwrap();
    assert!((groups.confidence - 0.975).abs() < 1e-12);
    for group in &groups.groups {
        let l1 = &group.estimates.as_ref().unwrap()[0];
        assert!((l1.value - 0.3).abs() < 1e-12 && l1.lower > 0.25, "{}: {}", group.name, l1.lower);
        // 999 drawings, two groups.
        assert!((l1.p_value.unwrap() - 0.002).abs() < 1e-12);
    }
    let aware = &groups.aware[0];
    assert!((aware.value - 0.3).abs() < 1e-12 && aware.lower > 0.26, "{}", aware.lower);
    let json = report.to_json();
    assert_eq!(json["groups"]["odd"]["n"], 1_000);
    assert!(json["group_aware"]["l1"]["lower"].as_f64().unwrap() > 0.26);
}

#[test]
fn groups_have_the_drawings_that_were_asked_for() {
    let predictions = simulate("binary-overconfident", 600, 0).unwrap();
    let names: Vec<&str> = (0..600).map(|row| ["a", "b"][row % 2]).collect();
    let predictions = predictions.with_groups(&names).unwrap();
    let p_values = |draws| {
        let report = estimator(&["l1"], "logistic").draws(draws).estimate(&predictions).unwrap();
        let groups = report.groups.unwrap().groups;
        groups.iter().map(|group| group.estimates.as_ref().unwrap()[0].p_value).collect::<Vec<_>>()
    };
    assert_eq!(p_values(0), [None, None]);
    // 49 drawings and two groups: 1/50 twice.
    assert_eq!(p_values(49), [Some(0.04), Some(0.04)]);
}

#[test]
fn groups_that_are_too_small_say_nothing() {
    let predictions = simulate("binary-overconfident", 300, 0).unwrap();
    let names: Vec<&str> = (0..300).map(|row| if row < 19 { "few" } else { "many" }).collect();
    let predictions = predictions.with_groups(&names).unwrap();
    for plan in [
        Folds::Shuffled(5),
        Folds::from_ids(&(0..300).map(|row| row / 30).collect::<Vec<_>>()).unwrap(),
    ] {
        let report = estimator(&["l1"], "logistic").fold_plan(plan).estimate(&predictions).unwrap();
        let groups = report.groups.unwrap();
        assert!(groups.groups[0].estimates.is_none() && groups.groups[0].rows == 19);
        assert!(groups.groups[1].estimates.is_some());
        // One group is tested: nothing to adjust for.
        assert!((groups.confidence - 0.95).abs() < 1e-12);
    }
    let alone = simulate("binary-overconfident", 10, 0).unwrap().with_groups(&["a"; 10]).unwrap();
    let report = estimator(&["l1"], "logistic").estimate(&alone).unwrap();
    assert!(report.groups.unwrap().aware.is_empty());
}

#[test]
fn a_model_does_not_differ_from_itself_and_a_right_one_is_better() {
    let setting = Simulation::named("binary-overconfident").unwrap();
    let raw = setting.draw(1_500, 0).unwrap();
    let right: Vec<f64> = raw.probs().rows().into_iter().map(|f| setting.truth(f)[1]).collect();
    let right = Predictions::binary(right, raw.labels()).unwrap();
    let comparison = estimator(&["l1", "brier"], "logistic")
        .compare(&[("raw", &raw), ("right", &right), ("again", &raw)])
        .unwrap();
    assert_eq!(comparison.differences.len(), 6);
    for one in &comparison.differences {
        let same = (one.first, one.second) == (0, 2);
        assert_eq!(one.is_clear(0.95), !same, "{one:?}");
        if same {
            assert!(one.value.abs() <= 0.0 && (one.p_value - 1.0).abs() < 1e-15);
        }
        assert!(one.interval.0 <= one.value && one.value <= one.interval.1);
    }
    assert_eq!(comparison.to_json()["differences"][1]["second"], "again");
}

/// Calibrated models do not differ: in 300 data sets 5 % of the differences may be clear, with a
/// standard error of 1.3 %.
#[test]
fn models_that_are_equally_good_are_rarely_said_to_differ() {
    let clear = (0..300)
        .filter(|&seed| {
            let one = simulate("binary-calibrated", 300, seed).unwrap();
            // The other model knows only half as much, and is as well calibrated.
            let other: Vec<f64> = one
                .probs()
                .column(1)
                .iter()
                .map(|p| if *p > 0.5 { 0.818_309_886 } else { 0.181_690_114 })
                .collect();
            let other = Predictions::binary(other, one.labels()).unwrap();
            let estimator = estimator(&["brier"], "logistic").draws(0).threads(1).seed(seed);
            let comparison = estimator.compare(&[("one", &one), ("other", &other)]).unwrap();
            comparison.differences[0].is_clear(0.95)
        })
        .count();
    assert!(clear <= 23, "{clear} of 300");
}

#[test]
fn models_of_other_rows_are_refused() {
    let one = Predictions::binary(&[0.2, 0.4, 0.6], &[0, 1, 1]).unwrap();
    let other = Predictions::binary(&[0.2, 0.4, 0.6], &[0, 0, 1]).unwrap();
    let longer = Predictions::binary(&[0.2, 0.4, 0.6, 0.7], &[0, 1, 1, 1]).unwrap();
    let weighted = one.clone().with_weights(vec![1.0, 2.0, 3.0]).unwrap();
    let refused = |models: &[(&str, &Predictions<'_>)]| {
        let error = Estimator::new().folds(2).compare(models).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "models", .. }));
        error.to_string()
    };
    assert_eq!(refused(&[]), "models: none: at least 2 are needed");
    assert_eq!(refused(&[("a", &one)]), "models: 1: at least 2 are needed");
    assert_eq!(
        refused(&[("a", &one), ("b", &other)]),
        "models: row 1: the label is \"1\" in a and \"0\" in b: they must be the same rows"
    );
    assert_eq!(
        refused(&[("a", &one), ("b", &longer)]),
        "models: a has 3 rows and b has 4: they must be the same rows"
    );
    assert_eq!(refused(&[("a", &one), ("b", &weighted)]), "models: the weights of a and b differ");
}

#[test]
fn rows_to_show_grow_as_the_limit_comes_near() {
    let predictions = simulate("binary-overconfident", 500, 0).unwrap();
    let report = estimator(&["l1"], "logistic").estimate(&predictions).unwrap();
    let l1 = &report.estimates[0];
    let needed =
        |share: f64| l1.rows_to_show(l1.lower + share * (l1.value - l1.lower), 0.95).unwrap();
    assert!(needed(0.1) > 500 && needed(0.5) > needed(0.1));
    // A tenth of the way is left: a hundred times the rows.
    assert!((45_000..=56_000).contains(&needed(0.9)), "{}", needed(0.9));
    assert!(l1.rows_to_show(l1.value + 0.01, 0.95).is_none());
}
