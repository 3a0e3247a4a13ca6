use ndarray::{Array2, array};
use proptest::prelude::*;

use super::*;
use crate::{Predictions, simulate};

/// Every recalibrator, with its defaults and with other parameters where it takes any.
const NAMES: [&str; 29] = [
    "auto",
    "bayes",
    "stack",
    "boost",
    "boost:trees=3,depth=2,inner=2",
    "boost-leafwise",
    "boost-leafwise:trees=5,leaves=4,rows=2",
    "boost-cold",
    "boost-leafwise-cold",
    "temperature",
    "affine",
    "quadratic",
    "beta",
    "vector",
    "svs",
    "matrix",
    "sms",
    "logistic",
    "isotonic",
    "kernel",
    "kernel:bandwidth=0.02",
    "partition",
    "partition:cells=3",
    "bins-width",
    "bins-mass",
    "bins-mass:bins=4",
    "identity",
    "constant",
    "toy",
];

fn fit(name: &str, predictions: &Predictions<'_>) -> Box<dyn Fitted> {
    recalibrator(name).unwrap().fit(&Sample::from(predictions), 7).unwrap()
}

fn assert_on_simplex(name: &str, g: &Array2<f64>) {
    for row in g.rows() {
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{name}: {row}");
        assert!((row.sum() - 1.0).abs() < 1e-12, "{name}: {row}");
    }
}

#[test]
fn every_name_in_the_table_is_tested_here() {
    for info in recalibrators() {
        assert!(NAMES.contains(&info.name), "{}", info.name);
        assert_eq!(recalibrator(info.name).unwrap().name(), info.name);
    }
    for name in NAMES {
        assert_eq!(recalibrator(name).unwrap().name(), name);
    }
}

#[test]
fn stated_defaults_are_the_defaults() {
    for info in recalibrators() {
        for parameter in info.parameters {
            // Some are words: they say how the default is found.
            let Ok(number) = parameter.default.parse::<f64>() else { continue };
            let text = format!("{}:{}={number}", info.name, parameter.name);
            assert_eq!(recalibrator(&text).unwrap().name(), info.name, "{text}");
        }
    }
}

#[test]
fn wrong_names_and_parameters_are_refused_with_what_is_right() {
    let refused = |text: &str| recalibrator(text).err().unwrap().to_string();
    assert!(refused("isotnic").contains("the names are auto, bayes, stack"));
    assert!(refused("kernel:bandwith=1").contains("it has bandwidth"));
    assert!(refused("kernel:bandwidth=-1").contains("expected a number from 1e-6"));
    assert!(refused("kernel:bandwidth").contains("is not key=value"));
    assert!(refused("kernel:bandwidth=1,bandwidth=2").contains("given twice"));
    assert!(refused("isotonic:bins=3").contains("it takes no parameters"));
    assert!(refused("bins-width:bins=0").contains("whole number from 1"));
    assert!(refused("bins-width:bins=2.5").contains("whole number from 1"));
    assert!(refused("boost:depth=11").contains("a whole number from 1 to 10"));
    assert!(refused("boost:rate=0").contains("a number from 1e-6 to 1"));
    assert!(refused("boost:leaves=9").contains("it has trees, depth, rate, l2, noise"));
}

#[test]
fn the_least_data_there_can_be_is_enough() {
    let cases = [
        ("one class observed", array![[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]], vec![1, 1, 1]),
        ("one distinct prediction", array![[0.3, 0.7], [0.3, 0.7], [0.3, 0.7]], vec![0, 1, 1]),
        ("one row", array![[0.2, 0.3, 0.5]], vec![2]),
        ("certain and wrong", array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], vec![1, 0, 1]),
        ("certain and right", array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], vec![0, 1, 0]),
        (
            "a class never observed",
            array![[0.2, 0.0, 0.8], [0.5, 0.0, 0.5], [0.9, 0.0, 0.1], [0.3, 0.3, 0.4]],
            vec![2, 0, 0, 2],
        ),
    ];
    for (what, probs, labels) in cases {
        let classes = probs.ncols();
        let predictions = Predictions::new(probs, &labels).unwrap();
        let mut elsewhere = Array2::zeros((classes + 1, classes));
        for class in 0..classes {
            elsewhere[[class, class]] = 1.0;
        }
        elsewhere.row_mut(classes).fill(1.0 / classes as f64);
        for name in NAMES {
            let fitted = fit(name, &predictions);
            assert_on_simplex(
                &format!("{name}, {what}"),
                &fitted.predict(predictions.probs().view()).unwrap(),
            );
            assert_on_simplex(
                &format!("{name}, {what}"),
                &fitted.predict(elsewhere.view()).unwrap(),
            );
        }
    }
}

#[test]
fn a_thousand_classes_are_fitted() {
    let classes = 1000;
    let probs = Array2::from_shape_fn((60, classes), |(row, class)| {
        1.0 + ((row * 31 + class * 17) % 97) as f64 + if class == row { 3000.0 } else { 0.0 }
    });
    let sums = probs.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    let labels: Vec<usize> = (0..60).map(|row| if row % 3 == 0 { row + 1 } else { row }).collect();
    let predictions = Predictions::new(probs / sums, &labels).unwrap();
    for name in NAMES {
        // A million slopes with hardly a penalty, or hundreds of trees of a million numbers a
        // level: total, but minutes of work.
        if ["matrix", "boost", "boost-cold", "boost-leafwise-cold"].contains(&name) {
            continue;
        }
        assert_on_simplex(
            name,
            &fit(name, &predictions).predict(predictions.probs().view()).unwrap(),
        );
    }
}

#[test]
fn a_model_that_was_tampered_with_is_refused() {
    let refused = |text: &str| load_model(text).err().unwrap().to_string();
    assert!(refused("{").starts_with("saved model:"));
    assert!(refused("{}").contains("expected \"calipers\": 1"));
    assert!(
        refused(r#"{"calipers":1,"model":"oracle","parameters":{}}"#).contains("unknown model")
    );
    let parameters =
        r#"{"curves":[{"positions":[0.5,0.2],"levels":[0.1,0.9]}],"training_rows":5.0}"#;
    let unsorted = format!(r#"{{"calipers":1,"model":"isotonic","parameters":{parameters}}}"#);
    assert!(refused(&unsorted).contains("do not fit together"));
    let parameters = r#"{"shape":"full","slopes":[1.0],"intercepts":[0.0,0.0]}"#;
    let short = format!(r#"{{"calipers":1,"model":"log-linear","parameters":{parameters}}}"#);
    assert!(refused(&short).starts_with("saved model:"));
}

#[test]
fn a_model_that_would_leave_the_simplex_is_refused() {
    // From scratch, so many rows are worth a tree.
    let three = simulate("multiclass-overconfident-3", 300, 0).unwrap();
    let two = simulate("binary-overconfident", 60, 0).unwrap();
    // Paths to a number that is in every model of that name, and one that is too much for it.
    for (name, predictions, path, value) in [
        ("constant", &three, "/frequencies/0", 0.9),
        ("partition", &three, "/frequencies/0/1", 0.999),
        ("kernel", &three, "/neighbours/space/weights/0", -1.0),
        ("kernel", &three, "/neighbours/space/weights/0", 1e300),
        ("kernel", &three, "/neighbours/space/bandwidth", 1e-300),
        ("kernel", &two, "/neighbours/line/masses/0/1", 1e300),
        ("temperature", &two, "/inverse_temperature", 1e308),
        ("vector", &three, "/slopes/0", 1e308),
        ("quadratic", &two, "/curves/0/coefficients/1", 1e308),
        ("bayes", &two, "/curves/0/shifts/0", -1e308),
        ("stack", &three, "/weights/0", 1e308),
        ("stack", &three, "/members/local/kernel/rows/0", 1.0),
        ("stack", &three, "/members/local/forests/0/trees/0/factors/0", 1e38),
        ("boost-cold:trees=1", &three, "/forests/0/factors/0", 1e300),
        ("boost-cold:trees=1", &three, "/forests/0/trees/0/at", u64::MAX as f64),
        ("boost-leafwise-cold:trees=1", &three, "/forests/0/factors/0", 1e-300),
    ] {
        let saved = save_model(fit(name, predictions).as_ref(), &ModelNotes::default()).unwrap();
        assert!(load_model(&saved).is_ok(), "{name}");
        let mut saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
        let place = saved.pointer_mut(&format!("/parameters{path}"));
        let place = place.unwrap_or_else(|| panic!("there is no {path} in {name}"));
        *place = if place.is_u64() { (value as u64).into() } else { value.into() };
        assert!(load_model(&saved.to_string()).is_err(), "{name} {path}");
    }
}

#[test]
fn a_model_of_other_classes_is_refused() {
    let fitted = fit("vector", &simulate("multiclass-calibrated-3", 50, 0).unwrap());
    let error = fitted.predict(array![[0.5, 0.5]].view()).unwrap_err();
    assert_eq!(error.to_string(), "classes of the model: expected 3, found 2");
}

#[test]
fn predictions_are_written_to_any_layout() {
    use ndarray::ShapeBuilder;
    let predictions = simulate("multiclass-overconfident-3", 60, 0).unwrap();
    for name in NAMES {
        let fitted = fit(name, &predictions);
        let mut columns = Array2::zeros((60, 3).f());
        fitted
            .predict_into(predictions.probs().view(), Purpose::default(), columns.view_mut())
            .unwrap();
        assert_eq!(columns, fitted.predict(predictions.probs().view()).unwrap(), "{name}");
        let mut short = Array2::zeros((59, 3));
        let purpose = Purpose::default();
        assert!(
            fitted.predict_into(predictions.probs().view(), purpose, short.view_mut()).is_err()
        );
    }
}

#[test]
fn a_kernel_too_narrow_to_number_its_cells_is_refused() {
    let kernel = fit("kernel", &simulate("binary-shifted", 300, 0).unwrap());
    let saved = save_model(kernel.as_ref(), &ModelNotes::default());
    let narrow = saved.unwrap().replace("\"bandwidth\":0.1", "\"bandwidth\":1e-300");
    assert!(narrow.contains("1e-300"));
    assert!(load_model(&narrow).err().unwrap().to_string().contains("do not fit together"));
}

#[test]
fn fits_of_ordinary_data_converge() {
    for setting in ["binary-overconfident", "multiclass-overconfident-10"] {
        let predictions = simulate(setting, 600, 5).unwrap();
        for name in NAMES {
            assert!(fit(name, &predictions).converged(), "{name} {setting}");
        }
    }
}

/// Isotonic regression by its min-max formula: slow, obvious.
fn isotonic_by_formula(rows: &[(f64, f64, f64)], at: usize) -> f64 {
    let mean = |from: usize, to: usize| {
        let (sum, weight) = rows
            .iter()
            .filter(|row| row.0 >= rows[from].0 && row.0 <= rows[to].0)
            .fold((0.0, 0.0), |(sum, weight), row| (sum + row.1 * row.2, weight + row.2));
        sum / weight
    };
    (0..=at)
        .map(|from| (at..rows.len()).map(|to| mean(from, to)).fold(f64::INFINITY, f64::min))
        .fold(f64::NEG_INFINITY, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Pooling adjacent violators against the min-max formula, with ties and weights.
    #[test]
    fn isotonic_is_the_minmax_formula(
        raw in prop::collection::vec((0u8..12, any::<bool>(), 1u8..5), 2..25)
    ) {
        let mut rows: Vec<(f64, f64, f64)> = raw
            .iter()
            .map(|(p, y, w)| (f64::from(*p) / 11.0, f64::from(u8::from(*y)), f64::from(*w)))
            .collect();
        let labels: Vec<usize> = rows.iter().map(|row| row.1 as usize).collect();
        let probs: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let predictions = Predictions::binary(&probs, &labels).unwrap()
            .with_weights(rows.iter().map(|row| row.2).collect()).unwrap();
        let sample = Sample::from(&predictions);
        let g = fit("isotonic", &predictions).predict(predictions.probs().view()).unwrap();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let share = 1.0 / (sample.effective_rows() + 1.0);
        for (row, p) in probs.iter().enumerate() {
            let at = rows.iter().position(|other| other.0 >= *p).unwrap();
            let level = isotonic_by_formula(&rows, at);
            let expected = level + (0.5 - level) * share;
            prop_assert!((g[[row, 1]] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn bins_keep_ties_together_and_one_belongs_to_the_last() {
    let probs = [0.0, 0.1, 0.1, 0.1, 0.1, 0.5, 0.9, 1.0];
    let labels = [0, 0, 1, 0, 1, 1, 1, 0];
    let predictions = Predictions::binary(&probs, &labels).unwrap();
    let unmix = |g: f64| g + (g - 0.5) / 8.0;
    let mass = fit("bins-mass:bins=4", &predictions).predict(predictions.probs().view()).unwrap();
    // Quarters would end after 2, 4 and 6 rows; the tie at 0.1 spans the first two.
    let expected = [0.4, 0.4, 0.4, 0.4, 0.4, 1.0, 0.5, 0.5];
    for (row, expected) in expected.iter().enumerate() {
        assert!(
            (unmix(mass[[row, 1]]) - expected).abs() < 1e-12,
            "{row}: {}",
            unmix(mass[[row, 1]])
        );
    }
    let width = fit("bins-width:bins=2", &predictions).predict(predictions.probs().view()).unwrap();
    // 0.5 begins the second half; 1.0 belongs to it.
    assert!((unmix(width[[0, 1]]) - 0.4).abs() < 1e-12);
    assert!((unmix(width[[5, 1]]) - 2.0 / 3.0).abs() < 1e-12);
    assert!((unmix(width[[7, 1]]) - 2.0 / 3.0).abs() < 1e-12);
}

/// Predictions are written to memory that somebody else has used: nothing of it may be left.
#[test]
fn what_was_there_before_does_not_show_in_predictions() {
    for setting in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(setting, 150, 2).unwrap();
        let f = predictions.probs();
        for info in recalibrators() {
            let fitted = recalibrator(info.name).unwrap().fit(&Sample::from(&predictions), 0);
            let fitted = fitted.unwrap();
            for purpose in [Purpose::Direction, Purpose::Squared, Purpose::Log, Purpose::Use] {
                let [clean, used] = [0.0, f64::NAN].map(|before| {
                    let mut g = ndarray::Array2::from_elem(f.dim(), before);
                    fitted.predict_into(f.view(), purpose, g.view_mut()).unwrap();
                    g.mapv(f64::to_bits)
                });
                assert_eq!(clean, used, "{} {setting} {purpose:?}", info.name);
            }
        }
    }
}
