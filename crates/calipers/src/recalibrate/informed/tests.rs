use std::sync::Arc;

use ndarray::Array2;

use super::*;
use crate::data::{FeatureRows, Features, Predictions, Values};
use crate::numeric::random::derive_seed;
use crate::recalibrate::{ModelNotes, load_model, recalibrator, save_model};

/// A number in [0, 1) for each row and purpose.
fn draw(row: usize, stream: u64) -> f64 {
    (derive_seed(stream, &[row as u64]) >> 11) as f64 / (1u64 << 53) as f64
}

/// Calibrated on the whole; `x` above a half, or missing, and eight levels of thirty decide which way it is off.
fn hidden(rows: usize) -> Predictions<'static> {
    let f: Vec<f64> = (0..rows).map(|row| 0.2 + 0.6 * draw(row, 0)).collect();
    let missing = |row: usize| draw(row, 4) < 0.2;
    let x: Vec<f64> =
        (0..rows).map(|row| if missing(row) { f64::NAN } else { draw(row, 1) }).collect();
    let level = |row: usize| (draw(row, 2) * 30.0) as usize;
    let labels: Vec<usize> = (0..rows)
        .map(|row| {
            let up = if missing(row) || x[row] > 0.5 { 0.15 } else { -0.15 };
            let more = if level(row) < 8 { 0.2 } else { 0.0 };
            usize::from(draw(row, 3) < f[row] + up + more)
        })
        .collect();
    let levels: Vec<_> = (0..rows).map(|row| Some(format!("level {}", level(row)))).collect();
    let few: Vec<_> = (0..rows).map(|row| Some(["a", "b", "c"][level(row) % 3])).collect();
    let features = Features::new()
        .number("x", x)
        .and_then(|all| all.category("many", &levels))
        .and_then(|all| all.category("few", &few))
        .unwrap();
    Predictions::binary(f, &labels).unwrap().with_features(features).unwrap()
}

fn given(fitted: &dyn Fitted, predictions: &Predictions<'_>) -> Array2<f64> {
    let features = FeatureRows::all(Arc::clone(predictions.features().unwrap()));
    let f = predictions.probs();
    fitted.predict_given(f.view(), &features, &[Purpose::Use]).unwrap().remove(0)
}

/// Both kinds of trees, and any g beneath them, find what f cannot show.
#[test]
fn what_features_know_is_found() {
    let predictions = hidden(4_000);
    let sample = Sample::from(&predictions);
    for name in ["auto", "boost-leafwise", "isotonic"] {
        let fitted = informed(recalibrator(name).unwrap()).fit(&sample, 1).unwrap();
        let (f, g) = (predictions.probs(), given(fitted.as_ref(), &predictions));
        let Values::Numbers(x) = &predictions.features().unwrap().columns()[0].values else {
            panic!()
        };
        let mean = |wanted: &dyn Fn(f64) -> bool| {
            let rows: Vec<usize> = (0..x.len()).filter(|&row| wanted(x[row])).collect();
            rows.iter().map(|&row| g[[row, 1]] - f[[row, 1]]).sum::<f64>() / rows.len() as f64
        };
        // ±0.15, of which shrinkage may keep a third, and a quarter of the rows with 0.2 more.
        assert!((0.12..0.26).contains(&mean(&|x| x > 0.5)), "{name}: {}", mean(&|x| x > 0.5));
        assert!((-0.17..-0.04).contains(&mean(&|x| x < 0.5)), "{name}");
        assert!((0.10..0.26).contains(&mean(&f64::is_nan)), "{name}: {}", mean(&f64::is_nan));
        assert!(g.rows().into_iter().all(|g| (g.sum() - 1.0).abs() < 1e-12), "{name}");
    }
}

/// Where features know nothing, g is that of f alone, to the bit.
#[test]
fn features_that_know_nothing_change_nothing() {
    let rows = 800;
    let f: Vec<f64> = (0..rows).map(|row| 0.1 + 0.8 * draw(row, 0)).collect();
    let labels: Vec<usize> = (0..rows).map(|row| usize::from(draw(row, 1) < f[row])).collect();
    let mut features = Features::new();
    for stream in 2..12 {
        let noise = (0..rows).map(|row| draw(row, stream)).collect();
        features = features.number(format!("noise {stream}"), noise).unwrap();
    }
    let predictions = Predictions::binary(f, &labels).unwrap();
    let alone = recalibrator("auto").unwrap().fit(&Sample::from(&predictions), 3).unwrap();
    let predictions = predictions.with_features(features).unwrap();
    let fitted =
        informed(recalibrator("auto").unwrap()).fit(&Sample::from(&predictions), 3).unwrap();
    assert_eq!(
        given(fitted.as_ref(), &predictions),
        alone.predict(predictions.probs().view()).unwrap()
    );
}

/// Saved and loaded, it gives the same bits; to other features it says what is wrong.
#[test]
fn it_is_saved_and_asks_for_its_features() {
    let predictions = hidden(1_500);
    for name in ["auto", "boost-leafwise"] {
        let fitted =
            informed(recalibrator(name).unwrap()).fit(&Sample::from(&predictions), 0).unwrap();
        let text = save_model(fitted.as_ref(), &ModelNotes::default()).unwrap();
        let again = load_model(&text).unwrap().fitted;
        assert_eq!(again.features(), ["x", "many", "few"]);
        assert_eq!(given(again.as_ref(), &predictions), given(fitted.as_ref(), &predictions));
        let refused = |features: Features| {
            let f = Array2::from_elem((1, 2), 0.5);
            let features = FeatureRows::all(Arc::new(features));
            again.predict_given(f.view(), &features, &[Purpose::Use]).unwrap_err().to_string()
        };
        let none = Features::new().number("x", vec![1.0]).unwrap();
        assert_eq!(refused(none), "feature many: it was learnt from, and is not there");
        let swapped = Features::new().category("x", &[Some("1")]).unwrap();
        assert_eq!(refused(swapped), "feature x: it was a number, and is a category here");
        for (from, to) in [("\"strength\":", "\"strength\":-"), ("\"classes\":2", "\"classes\":3")]
        {
            assert!(text.contains(from), "{from}");
            assert!(load_model(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}

/// Levels that were never seen, and tables in another order of levels, are taken by their names.
#[test]
fn categories_are_known_by_their_names() {
    let predictions = hidden(3_000);
    let fitted =
        informed(recalibrator("auto").unwrap()).fit(&Sample::from(&predictions), 0).unwrap();
    let ask = |many: &str| {
        let features = Features::new()
            .number("x", vec![0.9])
            .and_then(|all| all.category("many", &[Some(many)]))
            .and_then(|all| all.category("few", &[Some("b")]))
            .unwrap();
        let f = Array2::from_elem((1, 2), 0.5);
        let features = FeatureRows::all(Arc::new(features));
        fitted.predict_given(f.view(), &features, &[Purpose::Use]).unwrap()[0][[0, 1]]
    };
    let known = ask("level 7");
    assert!(known > ask("level 20") + 0.05 && ask("never seen") < known);
    // The same row as part of the table that was learnt from.
    let g = given(fitted.as_ref(), &predictions);
    assert!(g.iter().all(|g| (0.0..=1.0).contains(g)));
}

/// One row, one class, constant and wholly missing features: a point of the simplex, never a panic.
#[test]
fn anything_can_be_learnt_from() {
    for rows in [1, 2, 3, 7] {
        let f = Array2::from_shape_fn(
            (rows, 3),
            |(row, class)| if class == row % 3 { 0.5 } else { 0.25 },
        );
        let features = Features::new()
            .number("constant", vec![1.0; rows])
            .and_then(|all| all.number("missing", vec![f64::NAN; rows]))
            .and_then(|all| all.category("nothing", &vec![None::<&str>; rows]))
            .unwrap();
        let predictions =
            Predictions::new(f, &vec![1; rows]).unwrap().with_features(features).unwrap();
        for name in ["auto", "boost", "boost-leafwise", "identity"] {
            let fitted =
                informed(recalibrator(name).unwrap()).fit(&Sample::from(&predictions), 0).unwrap();
            let g = given(fitted.as_ref(), &predictions);
            assert!(g.rows().into_iter().all(|g| (g.sum() - 1.0).abs() < 1e-9), "{name} {rows}");
        }
    }
}
