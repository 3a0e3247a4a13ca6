//! What CatBoost and LightGBM grow on the same rows: see `studies/oracles/boost.py`.

use serde_json::Value;

use super::BinnedRows;
use crate::numeric::borders;

/// Every file, with its name.
pub(super) fn problems() -> Vec<(String, Value)> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/oracles/boost_values");
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), serde_json::from_str(&text).unwrap())
    };
    folder.read_dir().unwrap().map(|file| read(file.unwrap().path())).collect()
}

pub(super) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Numbers that were single precision when they were written.
fn singles(value: &Value) -> Vec<f64> {
    numbers(value).into_iter().map(|number| f64::from(number as f32)).collect()
}

pub(super) fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(singles).collect()
}

/// The rows of a problem between some borders, started at given scores.
pub(super) fn rows_of(
    problem: &Value,
    key: &str,
    scores: &dyn Fn(usize) -> Vec<f64>,
) -> BinnedRows {
    let (x, borders) = (table(&problem["x"]), table(&problem[key]));
    let bins = x.iter().flat_map(|row| {
        row.iter().zip(&borders).map(|(value, borders)| borders::bin(borders, *value))
    });
    BinnedRows {
        features: borders.len(),
        classes: borders.len(),
        bins: bins.collect(),
        borders: borders.iter().map(Vec::len).collect(),
        labels: numbers(&problem["labels"]).into_iter().map(|label| label as u32).collect(),
        weights: match &problem["weights"] {
            Value::Null => vec![1.0; x.len()],
            weights => singles(weights),
        },
        probs: (0..x.len()).flat_map(|row| softmax(&scores(row))).collect(),
    }
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    scores.iter().map(|score| (score - most).exp() / sum).collect()
}
