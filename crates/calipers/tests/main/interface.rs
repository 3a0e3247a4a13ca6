//! Parts of the interface that other packages of the workspace stand on, each beside what it must equal.
use calipers::labels::{ClassColumns, Label, read};
use calipers::{
    Error, Estimator, Figure, Mark, Metric, Neighbour, Neighbours, Predictions, Role, Simulation,
    Stop, Test, View, recalibrator, simulate, with_pool,
};
use ndarray::{Array2, array};

/// The height of g in a figure, and where.
fn truth(figure: &Figure) -> (Vec<f64>, Vec<f64>) {
    match &figure.layer(Role::Truth).unwrap().mark {
        Mark::Line { x, y } => (x.clone(), y.clone()),
        other => panic!("g is a line, not {other:?}"),
    }
}

#[test]
fn an_error_knows_its_row_and_column() {
    let of = |probs: Array2<f64>| {
        let error = Predictions::new(probs, &[0, 1]).unwrap_err();
        (error.row(), error.column())
    };
    assert_eq!(of(array![[0.5, 0.5], [1.5, -0.5]]), (Some(1), Some(0)));
    assert_eq!(of(array![[0.5, f64::NAN], [0.5, 0.5]]), (Some(0), Some(1)));
    assert_eq!(of(array![[0.5, 0.5], [0.5, 0.4]]), (Some(1), None));
    assert_eq!(of(array![[1.0], [1.0]]), (None, None));
    let two = || array![[0.5, 0.5], [0.2, 0.8]];
    assert_eq!(Predictions::new(two(), &[0, 2]).unwrap_err().row(), Some(1));
    let weighted = Predictions::new(two(), &[0, 1]).unwrap().with_weights(vec![1.0, -1.0]);
    assert_eq!(weighted.unwrap_err().row(), Some(1));
    let logits = array![[0.0, 1.0], [0.0, f64::NAN]];
    let error = Predictions::from_logits(logits.view(), &[0, 1]).unwrap_err();
    assert_eq!((error.row(), error.column()), (Some(1), Some(1)));
    let words = |words: &[&str]| -> Vec<Label> {
        words.iter().enumerate().map(|(row, word)| Label::word(word, 10 + row)).collect()
    };
    let names = ["cat".to_owned(), "dog".to_owned()];
    let unknown = read(&words(&["cat", "bird"]), &ClassColumns::Named(&names)).unwrap_err();
    let only = read(&words(&["cat"]), &ClassColumns::One(Some("p"))).unwrap_err();
    let third = read(&words(&["cat", "dog", "bird"]), &ClassColumns::One(Some("p"))).unwrap_err();
    assert_eq!([unknown, only, third].map(|error| error.row()), [Some(11), Some(10), Some(12)]);
}

#[test]
fn numbers_come_before_words_where_labels_are_sorted() {
    let labels = ["b", "10", "9", "a"].map(|text| Label::word(text, 0));
    let reading = read(&labels, &ClassColumns::Unnamed(4)).unwrap();
    assert_eq!(reading.classes, ["9", "10", "a", "b"]);
    assert_eq!(reading.codes, [3, 1, 0, 2]);
}

#[test]
fn names_that_clash_or_mean_nothing_are_refused_by_name() {
    let predictions = Predictions::binary(vec![0.2, 0.7], &[0, 1]).unwrap();
    let clash = predictions.with_class_names(["cat", "cat"]).unwrap_err();
    assert_eq!(clash.to_string(), "classes 0 and 1 are both named \"cat\"");
    let nothing = simulate("binary-odd", 10, 0).unwrap_err().to_string();
    assert!(nothing.contains("binary-odd") && nothing.contains("binary-over"), "{nothing}");
}

#[test]
fn metrics_that_are_built_are_those_that_are_named() {
    let metric = |name: &str| name.parse::<Metric>().unwrap();
    assert_eq!(metric("linf").over().top().to_string(), "top-over-linf");
    assert_eq!(metric("top-l1.5").classwise().under().to_string(), "classwise-under-l1.5");
    for p in ["0.5", "nan", "inf "] {
        let error = format!("l{p}").parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains("l<p> (any p >= 1"), "{error}");
    }
}

#[test]
fn a_sketch_shows_the_g_that_was_asked_for() {
    let predictions = simulate("binary-over", 600, 3).unwrap();
    let sketch = |name: &str| {
        let estimator = Estimator::new().recalibrator(recalibrator(name).unwrap());
        estimator.sketch(&predictions, View::of(&predictions)).unwrap()
    };
    let (x, g) = truth(&sketch("identity"));
    assert!(x.len() > 10 && x.is_sorted());
    // g = f, up to a rounding of 1 − (1 − f).
    assert!(x.iter().zip(&g).all(|(x, g)| (x - g).abs() <= 1e-15));
    let constant = sketch("constant");
    let ones = predictions.labels().iter().filter(|&&label| label == 1).count() as f64;
    // The frequency, with one more row that is half of each class; rounded a few times.
    let expected = (ones + 0.5) / 601.0;
    assert!(truth(&constant).1.iter().all(|g| (g - expected).abs() <= 1e-15));
    assert!(constant.layer(Role::Band).is_none() && constant.layer(Role::Density).is_some());
    let nowhere = Estimator::new().sketch(&predictions, View::Class(2)).unwrap_err();
    assert!(matches!(nowhere, Error::Setting { .. }), "{nowhere}");
}

#[test]
fn a_test_that_fits_again_refuses_what_is_wrong_and_draws_as_often_as_it_is_told() {
    let p_value = |setting: &str| {
        let estimator =
            Estimator::new().metric("brier".parse().unwrap()).test(Test::Refit).draws(19);
        let estimator = estimator.recalibrator(recalibrator("affine").unwrap()).seed(1);
        let report = estimator.estimate(&simulate(setting, 300, 5).unwrap()).unwrap();
        report.estimates[0].p_value.unwrap()
    };
    let (right, wrong) = (p_value("binary-calibrated"), p_value("binary-overconfident"));
    // Of 19 drawings and the data, so many twentieths; the data are the oddest of all.
    assert!((wrong - 0.05).abs() < 1e-12, "{wrong}");
    assert!((right * 20.0 - (right * 20.0).round()).abs() < 1e-9 && right > 0.05, "{right}");
}

#[test]
fn a_comparison_on_the_callers_threads_is_the_same() {
    let raw = simulate("binary-over", 400, 0).unwrap();
    let flat = Predictions::binary(vec![0.5; 400], raw.labels()).unwrap();
    let models = [("raw", &raw), ("flat", &flat)];
    let estimator = Estimator::new().recalibrator(recalibrator("affine").unwrap());
    let own = estimator.compare(&models).unwrap();
    let callers = with_pool(2, &Stop::new(), || estimator.compare(&models)).unwrap();
    assert_eq!(own.to_json().to_string(), callers.to_json().to_string());
}

#[test]
fn neighbours_say_in_json_what_they_say() {
    let predictions = simulate("multiclass-overconfident-3", 300, 2).unwrap();
    let names = ["top-ece", "marginal-ece:p=inf", "top-spiegelhalter"];
    let asked: Vec<Neighbour> = names.iter().map(|name| name.parse().unwrap()).collect();
    assert_eq!(format!("{:?}", asked[1]), "Neighbour(marginal-ece:p=inf)");
    assert_eq!(asked[1].info().name, "ece");
    let found = Neighbours::new().ask_all(asked).seed(7).measure(&predictions).unwrap();
    let json = found.to_json();
    assert_eq!((&json["n"], &json["seed"]), (&300.into(), &7.into()));
    for name in names {
        let one = found.get(name).unwrap();
        let written = &json["measures"][name];
        assert_eq!(written["value"].as_f64(), one.value, "{name}");
        assert_eq!(written["p_value"].as_f64(), one.p_value, "{name}");
        assert!(one.details.iter().all(|(key, value)| written[key].as_f64() == Some(*value)));
    }
    assert!(found.get("top-spiegelhalter").unwrap().p_value.is_some());

    // The largest gap of any bin of any class is that of the class that has it.
    let of_class = |class: usize| {
        let labels: Vec<usize> = predictions
            .labels()
            .iter()
            .map(|&label| usize::from(label as usize == class))
            .collect();
        let alone =
            Predictions::binary(predictions.probs().column(class).to_vec(), &labels).unwrap();
        let neighbour = "ece:p=inf".parse().unwrap();
        Neighbours::new().ask(neighbour).measure(&alone).unwrap().found[0].value.unwrap()
    };
    let largest = (0..3).map(of_class).fold(0.0, f64::max);
    let marginal = found.get("marginal-ece:p=inf").unwrap().value.unwrap();
    // The same bins; the probabilities of the other class are rounded once more.
    assert!((marginal - largest).abs() <= 1e-12, "{marginal} {largest}");

    let stop = Stop::new();
    stop.stop();
    let stopped = Neighbours::new().stop(stop).measure(&predictions);
    assert_eq!(stopped.unwrap_err(), Error::Stopped);
}

#[test]
fn both_kinds_of_confidence_meet_in_one_setting() {
    let both = Simulation::all().iter().find(|setting| setting.name == "binary-both").unwrap();
    let odds = |p: f64| (p / (1.0 - p)).ln();
    for (u, slope) in [(0.2, 0.4), (0.49, 0.4), (0.5, 4.0), (0.8, 4.0)] {
        let found = both.truth(array![1.0 - u, u].view());
        // The logistic map is a line in the log-odds; both logarithms are of numbers near 1.
        assert!((odds(found[1]) - slope * odds(u)).abs() < 1e-12, "{u}: {found:?}");
        assert!((found[0] + found[1] - 1.0).abs() <= 1e-15);
    }
}
