//! The neighbours against other packages and slow twins, in `studies/oracles/neighbour_values.json`; and what
//! must hold whatever the rows.
use std::collections::BTreeMap;

use calipers::{Error, Measurement, Neighbour, Neighbours, Predictions, neighbours, simulate};
use ndarray::Array2;
use proptest::prelude::*;
use serde_json::Value;

use crate::common;

/// What the packages are to agree to, relative to what is larger than 1. Both sides add thousands of
/// terms in different orders.
const TOLERANCE: f64 = 1e-6;

fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => value.as_f64(),
    }
}

#[allow(clippy::float_cmp, reason = "infinities are equal")]
fn close(found: f64, expected: f64) -> bool {
    let near = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    found == expected || (expected.is_finite() && near)
}

/// What a field of the oracles is called here.
fn field(found: &Measurement, name: &str) -> Option<f64> {
    match name {
        "value" => found.value,
        "p_value" | "exact_p_value" => found.p_value,
        _ => found.detail(name),
    }
}

fn tiny(case: &Value) -> Predictions<'static> {
    let list = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let labels: Vec<i64> =
        case["labels"].as_array().unwrap().iter().map(|label| label.as_i64().unwrap()).collect();
    match case.get("ones") {
        Some(ones) => Predictions::binary(list(ones), &labels).unwrap(),
        None => {
            let rows: Vec<Vec<f64>> = case["probs"].as_array().unwrap().iter().map(list).collect();
            let shape = (rows.len(), rows[0].len());
            let probs = Array2::from_shape_vec(shape, rows.concat()).unwrap();
            Predictions::new(probs, &labels).unwrap()
        }
    }
}

/// Every entry of the oracles: equal where the package is right, and not where it is known to err.
#[test]
fn the_neighbours_agree_with_their_packages() {
    let path = common::root().join("studies/oracles/neighbour_values.json");
    let oracle: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut data: BTreeMap<String, Predictions<'static>> = BTreeMap::new();
    for case in oracle["cases"].as_array().unwrap() {
        data.insert(case["case"].as_str().unwrap().to_owned(), tiny(case));
    }
    let mut found: BTreeMap<(String, String), Measurement> = BTreeMap::new();
    let (mut agreeing, mut differing) = (0, 0);
    let mut faults = Vec::new();
    for entry in oracle["entries"].as_array().unwrap() {
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        let (case, measure, package) = (text("case"), text("measure"), text("package"));
        if entry.get("error").is_some() {
            continue;
        }
        let predictions = data.entry(case.clone()).or_insert_with(|| {
            let path = common::root().join(format!("studies/oracles/data/{case}.npz"));
            without_weights(&common::read_npz(&path).0)
        });
        let ours = found.entry((case.clone(), measure.clone())).or_insert_with(|| {
            let neighbour: Neighbour = measure.parse().unwrap();
            Neighbours::new().ask(neighbour).measure(predictions).unwrap().found.remove(0)
        });
        for (name, expected) in entry.as_object().unwrap() {
            if ["case", "measure", "package", "differs", "drawn"].contains(&name.as_str()) {
                continue;
            }
            let Some(expected) = number(expected) else {
                // What is not a number there is none here, and has a reason.
                if name == "value" && package == "twin" && ours.value.is_some() {
                    faults.push(format!("{case} {measure}: {ours:?}, expected none"));
                }
                continue;
            };
            let departs = entry["differs"].get(name).is_some();
            let Some(own) = field(ours, name) else {
                if name == "value" && !departs {
                    faults.push(format!("{case} {measure} {package}: none, expected {expected}"));
                }
                continue;
            };
            if name == "exact_p_value" {
                // 999 drawings against all labels there can be: four standard errors, and the one
                // that is added to both counts.
                let error = (expected * (1.0 - expected) / 999.0).sqrt();
                if (own - expected).abs() > 4.0 * error + 0.001 {
                    faults.push(format!("{case} {measure} p: {own}, expected {expected}"));
                }
                agreeing += 1;
            } else if departs {
                differing += 1;
                if close(own, expected) {
                    faults.push(format!("{case} {measure} {package} {name}: no departure, {own}"));
                }
            } else {
                agreeing += 1;
                if !close(own, expected) {
                    faults.push(format!("{case} {measure} {package} {name}: {own}, {expected}"));
                }
            }
        }
    }
    println!("{agreeing} fields agree, {differing} differ as described");
    assert!(agreeing > 1000 && differing > 50, "{agreeing} {differing}");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn without_weights(predictions: &Predictions<'_>) -> Predictions<'static> {
    let labels: Vec<i64> = predictions.labels().iter().map(|&label| i64::from(label)).collect();
    Predictions::new(predictions.probs().to_owned(), &labels).unwrap()
}

fn all_of(predictions: &Predictions<'_>) -> Vec<Measurement> {
    Neighbours::new().draws(99).measure(predictions).unwrap().found
}

/// 100 calibrated models: each test refuses about one in twenty at 5 %. Of 100 binomial draws, more
/// than 12 are refused once in 700.
#[test]
fn tests_refuse_calibrated_models_as_often_as_they_say() {
    for (setting, scope) in [("binary-calibrated", ""), ("multiclass-calibrated-3", "top-")] {
        for name in
            ["kuiper", "kolmogorov-smirnov", "hosmer-lemeshow", "spiegelhalter", "cox", "skce"]
        {
            let name: Neighbour = format!("{scope}{name}").parse().unwrap();
            let refused = (0..100u64)
                .filter(|&seed| {
                    let predictions = simulate(setting, 500, seed).unwrap();
                    let found = Neighbours::new().ask(name.clone()).draws(199).seed(seed);
                    found.measure(&predictions).unwrap().found[0].p_value.unwrap() <= 0.05
                })
                .count();
            assert!(refused <= 12, "{setting} {name}: {refused} of 100");
        }
    }
}

/// The test of whole vectors, whose kernel is of low rank: as above; and it finds an error.
#[test]
fn the_test_of_whole_vectors_has_its_level_and_power() {
    let refused = |setting: &str| {
        let found = |seed: u64| {
            let predictions = simulate(setting, 300, seed).unwrap();
            let asked = Neighbours::new().ask("skce".parse().unwrap()).draws(199).seed(seed);
            asked.measure(&predictions).unwrap().found[0].p_value.unwrap()
        };
        (0..100).filter(|&seed| found(seed) <= 0.05).count()
    };
    let calibrated = refused("multiclass-calibrated-10");
    assert!(calibrated <= 12, "{calibrated} of 100");
    let overconfident = refused("multiclass-overconfident-3");
    assert!(overconfident >= 95, "{overconfident} of 100");
}

/// The unbiased ones are unbiased: their mean over calibrated data sets is 0 within 3 standard errors.
#[test]
fn unbiased_measures_are_unbiased() {
    for (name, detail) in [("skce", None), ("debiased", Some("squared"))] {
        let values: Vec<f64> = (0..300u64)
            .map(|seed| {
                let predictions = simulate("binary-calibrated", 300, seed).unwrap();
                let asked = Neighbours::new().ask(name.parse().unwrap()).draws(0);
                let found = asked.measure(&predictions).unwrap().found.remove(0);
                detail.map_or(found.value, |detail| found.detail(detail)).unwrap()
            })
            .collect();
        let (mean, error) = common::mean_and_error(&values);
        assert!(mean.abs() <= 3.0 * error, "{name}: {mean} ± {error}");
    }
}

#[test]
fn threads_change_nothing() {
    for setting in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(setting, 3_000, 5).unwrap();
        let with = |threads| Neighbours::new().threads(threads).measure(&predictions).unwrap();
        assert_eq!(with(1), with(4), "{setting}");
    }
}

#[test]
fn what_costs_the_square_of_many_rows_must_be_asked_for() {
    let predictions = simulate("binary-calibrated", 20_001, 0).unwrap();
    let found = Neighbours::new().measure(&predictions).unwrap();
    assert_eq!(found.left_out, ["kernel"]);
    assert!(found.get("kernel").is_none() && found.get("skce").is_some());
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_reason() {
    let three = simulate("multiclass-calibrated-3", 50, 0).unwrap();
    let plain = Neighbours::new().ask("ece".parse().unwrap()).measure(&three);
    assert!(matches!(plain, Err(Error::Inapplicable { .. })), "{plain:?}");
    let weighted = simulate("binary-over", 3, 0).unwrap().with_weights(vec![1.0, 2.0, 1.0]);
    let weighted = Neighbours::new().measure(&weighted.unwrap());
    assert!(matches!(weighted, Err(Error::Setting { name: "weight", .. })), "{weighted:?}");
    for text in ["ece:bins=0", "ece:p=0.5", "ece:by=size", "marginal-cox", "eec", "kernel:p=inf"] {
        assert!(text.parse::<Neighbour>().is_err(), "{text}");
    }
    for info in neighbours() {
        for parameter in info.parameters.iter().filter(|one| one.default != "auto") {
            let text = format!("{}:{}={}", info.name, parameter.name, parameter.default);
            assert_eq!(text.parse::<Neighbour>().unwrap().to_string(), info.name, "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever the rows: no panic, every error finite or explained, and their order is nothing.
    #[test]
    fn any_rows_are_measured_in_any_order(
        rows in prop::collection::vec((prop::collection::vec(0u8..8, 3), 0usize..3), 1..40),
        classes in 2usize..4,
    ) {
        let probs = |order: &[usize]| {
            let mut table = Array2::zeros((rows.len(), classes));
            for (at, &row) in order.iter().enumerate() {
                let cells = &rows[row].0[..classes];
                let sum: u32 = cells.iter().map(|&cell| u32::from(cell)).sum();
                for (class, &cell) in cells.iter().enumerate() {
                    table[(at, class)] = match sum {
                        0 => 1.0 / classes as f64,
                        sum => f64::from(cell) / f64::from(sum),
                    };
                }
            }
            let label = |&row: &usize| (rows[row].1 % classes) as i64;
            let labels: Vec<i64> = order.iter().map(label).collect();
            Predictions::new(table, &labels).unwrap()
        };
        let forwards: Vec<usize> = (0..rows.len()).collect();
        let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
        let (found, turned) = (all_of(&probs(&forwards)), all_of(&probs(&backwards)));
        for (one, other) in found.iter().zip(&turned) {
            match (one.value, other.value) {
                (Some(a), Some(b)) => {
                    prop_assert!(!a.is_nan() && close(a, b), "{:?} {:?}", one, other);
                    prop_assert!(one.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), "{:?}", one);
                }
                (None, None) => prop_assert!(one.reason.is_some()),
                _ => prop_assert!(false, "{:?} {:?}", one, other),
            }
        }
    }
}
