//! Every recalibrator and metric against the independent values of `studies/oracles/`: scikit-learn,
//! SciPy and NumPy on real predictions with ties, zeros, weights and a class never observed.
use calipers::{Estimator, Metric, recalibrator};
use serde_json::Value;

use crate::common;

/// Ours and the oracle's optimum each have a gradient below 1e-9; scores of norms jump where g
/// crosses f, but no row of these files lies that close to a crossing.
const TOLERANCE: f64 = 1e-6;

#[test]
fn estimates_agree_with_the_oracles() {
    let (mut compared, mut largest) = (0, 0.0f64);
    let mut faults = Vec::new();
    let files = common::files(&common::root().join("studies/oracles/values"), "json");
    assert!(files.len() >= 6, "{} files", files.len());
    for path in files {
        let oracle: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let file = path.file_stem().unwrap().to_str().unwrap();
        let data = common::root().join(format!("studies/oracles/data/{file}.npz"));
        let (predictions, folds) = common::read_npz(&data);
        for (name, values) in oracle["values"].as_object().unwrap() {
            let values = values.as_object().unwrap();
            let metrics: Vec<Metric> = values.keys().map(|name| name.parse().unwrap()).collect();
            let report = Estimator::new()
                .metrics(metrics)
                .recalibrator(recalibrator(name).unwrap())
                .fold_plan(folds.clone().unwrap())
                .log_floor(oracle["log_floor"].as_f64().unwrap())
                .estimate(&predictions)
                .unwrap();
            assert_eq!(report.unconverged_fits, 0, "{file} {name}");
            for (estimate, (metric, expected)) in report.estimates.iter().zip(values) {
                let expected = expected.as_f64().unwrap();
                compared += 1;
                largest = largest.max((estimate.value - expected).abs());
                if (estimate.value - expected).abs() > TOLERANCE {
                    faults.push(format!("{file} {name} {metric}: {} {expected}", estimate.value));
                }
            }
        }
    }
    println!("{compared} values compared; the largest difference is {largest:e}");
    assert!(faults.is_empty(), "{} of {compared}:\n{}", faults.len(), faults.join("\n"));
}
