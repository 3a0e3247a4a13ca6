//! The stack as a whole.

use ndarray::{Array2, Axis};

use super::super::limits::Limits;
use super::{calibrated, drawn, weighted};
use crate::loss::Purpose;
use crate::recalibrate::{Fitted, ModelNotes, load_model, recalibrator, save_model};
use crate::{Predictions, Sample};

const PURPOSES: [Purpose; 3] = [Purpose::Direction, Purpose::Squared, Purpose::Log];

fn fit(predictions: &Predictions<'_>, seed: u64) -> Box<dyn Fitted> {
    recalibrator("stack").unwrap().fit(&Sample::from(predictions), seed).unwrap()
}

fn predict(fitted: &dyn Fitted, f: &Array2<f64>, purpose: Purpose) -> Array2<f64> {
    let mut g = Array2::zeros(f.dim());
    fitted.predict_into(f.view(), purpose, g.view_mut()).unwrap();
    g
}

fn gap(one: &Array2<f64>, other: &Array2<f64>) -> f64 {
    (one - other).mapv(f64::abs).sum() / one.nrows() as f64
}

fn mean_loss(g: &Array2<f64>, labels: &[u32], loss: impl Fn(f64, f64) -> f64) -> f64 {
    let square = |row: usize| g.row(row).iter().map(|p| p * p).sum::<f64>();
    let own = |row: usize| g[[row, labels[row] as usize]];
    (0..g.nrows()).map(|row| loss(own(row), square(row))).sum::<f64>() / g.nrows() as f64
}

/// Rows of no weight are as if they were not there, and only the ratios of weights matter.
#[test]
fn weights_that_say_the_same_give_the_same_bits() {
    let all = drawn(240, 4, 9);
    let kept: Vec<usize> = (0..240).filter(|row| row % 4 != 1).collect();
    let labels: Vec<u32> = kept.iter().map(|&row| all.labels()[row]).collect();
    let some = Predictions::new(all.probs().select(Axis(0), &kept), &labels).unwrap();
    let weights: Vec<f64> = (0..240).map(|row| if row % 4 == 1 { 0.0 } else { 0.5 }).collect();
    let f = all.probs().to_owned();
    let with = fit(&all.clone().with_weights(weights).unwrap(), 3);
    let without = fit(&some, 3);
    for purpose in PURPOSES {
        assert_eq!(predict(with.as_ref(), &f, purpose), predict(without.as_ref(), &f, purpose));
    }
}

/// Rows are drawn and dealt into bags, so that a weight of 3 is not quite three rows. But g goes where
/// the weight is: where two halves of the data contradict each other, it follows the heavier.
#[test]
fn weights_are_honoured() {
    let all = drawn(2000, 3, 2);
    // In the second half another class than the one that f means is observed.
    let labels: Vec<u32> =
        (0..2000).map(|row| (all.labels()[row] + u32::from(row >= 1000)) % 3).collect();
    let half = |first: f64, second: f64| {
        let weights = (0..2000).map(|row| if row < 1000 { first } else { second }).collect();
        Predictions::new(all.probs().to_owned(), &labels).unwrap().with_weights(weights).unwrap()
    };
    let alone = |rows: std::ops::Range<usize>| {
        let rows: Vec<usize> = rows.collect();
        let labels: Vec<u32> = rows.iter().map(|&row| labels[row]).collect();
        let probs = all.probs().select(Axis(0), &rows);
        fit(&Predictions::new(probs, &labels).unwrap(), 1)
    };
    let f = all.probs().to_owned();
    let g = |fitted: &dyn Fitted| predict(fitted, &f, Purpose::Squared);
    let (first, second) = (g(alone(0..1000).as_ref()), g(alone(1000..2000).as_ref()));
    let weighted = g(fit(&half(1.0, 1e-3), 1).as_ref());
    let (near, far) = (gap(&weighted, &first), gap(&weighted, &second));
    // One fit differs from the other by their chance alone.
    assert!(near < 0.2 * far, "{near} {far}");
}

/// Rows are hashed and features drawn by the order of the classes, so another order is another
/// draw: it changes no more than another seed does.
#[test]
fn another_order_of_classes_is_another_draw() {
    let original = weighted(600, 5, 6);
    let order = [4, 2, 0, 3, 1];
    let place = |label: &u32| order.iter().position(|class| *class == *label as usize).unwrap();
    let labels: Vec<usize> = original.labels().iter().map(place).collect();
    let f = original.probs().to_owned();
    let moved = f.select(Axis(1), &order);
    let permuted = Predictions::new(moved.clone(), &labels)
        .unwrap()
        .with_weights(original.weights().unwrap().to_vec())
        .unwrap();
    let seeds = 0..6;
    let originals: Vec<_> = seeds.clone().map(|seed| fit(&original, seed)).collect();
    let others: Vec<_> = seeds.map(|seed| fit(&permuted, seed)).collect();
    for purpose in PURPOSES {
        let each = originals.iter().map(|fitted| predict(fitted.as_ref(), &f, purpose));
        let predicted: Vec<Array2<f64>> = each.map(|g| g.select(Axis(1), &order)).collect();
        let by_seed = predicted
            .iter()
            .enumerate()
            .flat_map(|(number, one)| predicted[..number].iter().map(move |other| gap(one, other)));
        let by_seed = by_seed.sum::<f64>() / 15.0;
        let by_order = others.iter().flat_map(|other| {
            let other = predict(other.as_ref(), &moved, purpose);
            predicted.iter().map(move |one| gap(one, &other))
        });
        let by_order = by_order.sum::<f64>() / 36.0;
        // Means of a few draws that share theirs.
        assert!(by_seed > 0.0 && by_order < 1.4 * by_seed, "{by_order} {by_seed}");
    }
}

/// On rows that it has not seen, g is better than f and than a constant, by the loss that it is for.
#[test]
fn each_purpose_is_served() {
    for classes in [3, 10, 40] {
        let (known, other) = (drawn(1500, classes, 1), drawn(1500, classes, 2));
        let fitted = fit(&known, 0);
        let f = other.probs().to_owned();
        let log = |own: f64, _: f64| -own.ln();
        let brier = |own: f64, square: f64| square + 1.0 - 2.0 * own;
        let uniform = Array2::from_elem(f.dim(), 1.0 / classes as f64);
        let labels = other.labels();
        let g = predict(fitted.as_ref(), &f, Purpose::Log);
        for worse in [&f, &uniform] {
            assert!(mean_loss(&g, labels, log) < mean_loss(worse, labels, log), "{classes}");
        }
        let g = predict(fitted.as_ref(), &f, Purpose::Squared);
        for worse in [&f, &uniform] {
            assert!(mean_loss(&g, labels, brier) < mean_loss(worse, labels, brier), "{classes}");
        }
        // The direction is that of the squared error, but for its floor.
        let direction = predict(fitted.as_ref(), &f, Purpose::Direction);
        let (to, from) = (&direction - &f, &g - &f);
        let cosine = |a: &Array2<f64>, b: &Array2<f64>| (a * b).sum();
        let cosine = cosine(&to, &from) / (cosine(&to, &to) * cosine(&from, &from)).sqrt();
        assert!(cosine > 0.95, "{classes}: {cosine}");
    }
}

/// A fit says what it left out, and nothing if it left nothing out.
#[test]
fn limits_are_named_where_they_are_met() {
    let names = |rows, classes| fit(&drawn(rows, classes, 1), 0).approximations();
    assert_eq!(names(300, 3), [] as [String; 0]);
    let many_rows = ["kernels over 2,048 rows", "weights of the stack fitted to 2,048 rows"];
    assert_eq!(names(2049, 3), many_rows);
    assert_eq!(names(2048, 3), [] as [String; 0]);
    assert_eq!(names(40, 33), ["bags taken out of the scaling class by class"]);
    assert_eq!(names(40, 129)[1..], ["no trees and kernels beyond 128 classes"]);
    // Of a million rows of a thousand classes, fitted nowhere in a test.
    let found = Limits { rows: 1_000_000, classes: 1000 }.names();
    assert_eq!(found.first().unwrap(), "scaling fitted to 16,777 rows");
    assert_eq!(found[3], "weights of the stack fitted to 8,192 rows");
    assert_eq!(found.len(), 4);
    assert_eq!(Limits { rows: 10_500, classes: 100 }.names()[1], "trees grown on 10,485 rows");
}

/// Whatever there is to fit, every part gets a row, and none more than the scaling.
#[test]
fn limits_leave_a_row_to_every_part() {
    for rows in [1, 2, 2047, 100_000, 1 << 30] {
        for classes in [2, 3, 128, 129, 1 << 12, 1 << 25] {
            let limits = Limits { rows, classes };
            let scaling = limits.scaling();
            assert!((1..=rows).contains(&scaling));
            assert!(scaling == 1 || scaling * classes <= 1 << 24);
            for part in [limits.trees(), limits.support(), limits.scored()] {
                assert!((1..=scaling).contains(&part), "{limits:?}");
            }
        }
    }
}

/// What was saved and changed by hand is refused where it would not fit together.
#[test]
fn a_stack_that_was_tampered_with_is_refused() {
    let saved = save_model(fit(&drawn(60, 3, 0), 0).as_ref(), &ModelNotes::default()).unwrap();
    assert!(load_model(&saved).is_ok());
    let value: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let parameters = ["weights", "mixture", "members"];
    for name in parameters {
        assert!(value["parameters"].get(name).is_some(), "{name}");
    }
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = value.clone();
        change(&mut value["parameters"]);
        assert!(load_model(&value.to_string()).is_err(), "{value}");
    };
    refused(&|model| model["classes"] = 4.into());
    refused(&|model| model["members"]["limits"]["classes"] = 4.into());
    refused(&|model| model["weights"][0] = (-1.0).into());
    refused(&|model| model["weights"] = serde_json::json!([1.0]));
    refused(&|model| model["mixture"][0] = 2.0.into());
    refused(&|model| model["members"]["local"] = serde_json::Value::Null);
    refused(&|model| model["members"]["local"]["borders"][1] = serde_json::json!([0.5, 0.2]));
    refused(&|model| model["members"]["local"]["kernel"]["labels"][3] = 3.into());
    refused(&|model| model["members"]["local"]["kernel"]["rows"][0] = 1.5.into());
    refused(&|model| {
        model["members"]["local"]["forests"][0]["trees"][0]["splits"][0]["feature"] = 3.into()
    });
    refused(&|model| {
        model["members"]["local"]["forests"][0]["trees"][0]["factors"][0] = 0.0.into()
    });
    refused(&|model| {
        let trees = model["members"]["local"]["forests"][0]["trees"].as_array_mut().unwrap();
        trees.pop();
    });
}

/// Where there is nothing to be learnt of a hundred classes, hardly anything is lost.
#[test]
fn many_classes_that_are_calibrated_stay_so() {
    let fitted = fit(&calibrated(4_000, 100, 5), 0);
    let new = calibrated(2_000, 100, 6);
    let f = new.probs().to_owned();
    let g = predict(fitted.as_ref(), &f, Purpose::Log);
    let log = |own: f64, _: f64| -own.ln();
    let lost = mean_loss(&g, new.labels(), log) - mean_loss(&f, new.labels(), log);
    assert!(lost <= 0.004, "{lost}");
}

/// Applied to the very rows that it was fitted to, it does not hand their labels back.
#[test]
fn rows_do_not_see_their_own_labels() {
    let known = drawn(1_000, 10, 11);
    let fitted = fit(&known, 0);
    let loss = |predictions: &Predictions<'_>, purpose: Purpose| {
        let g = predict(fitted.as_ref(), &predictions.probs().to_owned(), purpose);
        mean_loss(&g, predictions.labels(), |own, _| -own.ln())
    };
    let new = loss(&drawn(1_000, 10, 12), Purpose::Use);
    // Who takes them for new ones, as an estimate would, sees what there is to be seen.
    let (used, seen) = (new - loss(&known, Purpose::Use), new - loss(&known, Purpose::Log));
    assert!(used < 0.1 && seen > 0.3, "{used} {seen}");
}

/// On both sides of the number of classes beyond which there are neither trees nor kernels: rows that were
/// not seen are predicted better than by f, for every purpose.
#[test]
fn many_classes_are_predicted_better_than_before() {
    for classes in [128, 129, 300] {
        let fitted = fit(&drawn(3_000, classes, 5), 0);
        let new = drawn(2_000, classes, 6);
        let f = new.probs().to_owned();
        let log_loss = |g: &Array2<f64>| {
            let rows = g.rows().into_iter().zip(new.labels());
            rows.map(|(row, &label)| -row[label as usize].ln()).sum::<f64>() / 2_000.0
        };
        for purpose in [Purpose::Squared, Purpose::Log, Purpose::Use] {
            let g = predict(fitted.as_ref(), &f, purpose);
            // Half of the labels are drawn from all classes: f pays 1.1 to 1.5 nats more than the truth.
            let gained = log_loss(&f) - log_loss(&g);
            assert!(gained > 0.5, "{classes} {purpose:?}: {gained}");
        }
    }
}
