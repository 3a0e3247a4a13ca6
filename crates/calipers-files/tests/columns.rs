//! What the columns mean: labels of every kind, single columns, logits, weights, folds and groups.

use std::cell::RefCell;

use calipers_files::{Columns, load, predictions};
use serde_json::Value;
use zip::CompressionMethod;

use crate::common::npy::{archive, array};
use crate::common::{Place, delimited, report, rows};

/// The rows of two classes, with the label as `name` writes it.
fn two(header: &str, name: impl Fn(i64) -> String) -> String {
    let mut text = format!("{header}\n");
    for (label, f) in rows() {
        text.push_str(&format!("{},{},{}\n", name(label.min(1)), f[0], 1.0 - f[0]));
    }
    text
}

fn metrics(place: &Place, text: &str, columns: &Columns) -> Value {
    report(place.write("table.csv", text), columns, &[])["metrics"].clone()
}

#[test]
fn labels_are_names_integers_floats_or_truths() {
    let place = Place::new();
    let plain = metrics(&place, &two("label,p_0,p_1", |label| label.to_string()), &Columns::new());
    for (header, words) in [
        ("label,p_0,p_1", ["0.0", "1.0"]),
        ("label,p_0,p_1", ["false", "true"]),
        ("Label,p_0,p_1", ["False", "True"]),
        ("label,p_no,p_yes", ["no", "yes"]),
        ("label,no,yes", ["no", "yes"]),
        ("label,prob_no,prob_yes", ["0", "1"]),
        ("y,p.NA,p.EU", ["NA", "EU"]),
        ("TARGET,a,b", ["0", "1"]),
        ("label,p_10,p_20", ["10", "20"]),
        ("label,p_1,p_0", ["1", "0"]),
        ("label,\"p_a, b\",p_c", ["\"a, b\"", "c"]),
    ] {
        let text = two(header, |label| words[label as usize].to_owned());
        assert_eq!(metrics(&place, &text, &Columns::new()), plain, "{header} {words:?}");
    }
}

#[test]
fn class_names_are_the_columns() {
    let place = Place::new();
    let text = two("label,prob_no,prob_yes", |label| label.to_string());
    let report = report(place.write("table.csv", text), &Columns::new(), &[]);
    assert_eq!(report["classes"], serde_json::json!(["no", "yes"]));
}

#[test]
fn a_single_column_is_the_second_class() {
    let place = Place::new();
    let plain = metrics(&place, &two("label,p_0,p_1", |label| label.to_string()), &Columns::new());
    for words in [["0", "1"], ["no", "yes"], ["-1", "1"], ["false", "true"]] {
        let text = two("label,other,score", |label| words[label as usize].to_owned());
        assert_eq!(metrics(&place, &text, &Columns::new().probs(["score"])), plain, "{words:?}");
    }
    // Of any other two somebody has to say it.
    let text = two("label,other,score", |label| ["9", "10"][label as usize].to_owned());
    let asked = Columns::new().probs(["score"]).positive("10");
    assert_eq!(metrics(&place, &text, &asked), plain);
    // Named after a class, it is that class's probability.
    let text = two("label,p_yes,p_no", |label| ["yes", "no"][label as usize].to_owned());
    assert_eq!(metrics(&place, &text, &Columns::new().probs(["p_no"])), plain);
}

#[test]
fn logits_are_turned_into_probabilities() {
    let place = Place::new();
    let mut pairs = "label,a,b\n".to_owned();
    let mut single = "label,logit\n".to_owned();
    for (label, f) in rows() {
        let logit = (f[0] / (1.0 - f[0])).ln();
        pairs.push_str(&format!("{},{},{}\n", label.min(1), -logit / 2.0, logit / 2.0));
        single.push_str(&format!("{},{logit}\n", label.min(1)));
    }
    let plain = two("label,p_1,p_0", |label| label.to_string());
    let expected = metrics(&place, &plain, &Columns::new().probs(["p_1"]));
    // Through logarithm and exponential, the last digits differ.
    let close = |found: &Value| {
        let value = |metrics: &Value| metrics["brier"]["value"].as_f64().unwrap();
        (value(found) - value(&expected)).abs() < 1e-6
    };
    assert!(close(&metrics(&place, &pairs, &Columns::new().logits(["a", "b"]))));
    assert!(close(&metrics(&place, &single, &Columns::new().logits(["logit"]))));
}

/// The table with more columns, each made from the row's number.
fn wider(columns: &[(&str, &dyn Fn(usize) -> String)]) -> String {
    let mut text = String::new();
    for (line, row) in delimited(",", "\n").lines().zip(0usize..) {
        text.push_str(line);
        for (name, cell) in columns {
            let cell = if row == 0 { (*name).to_owned() } else { cell(row - 1) };
            text.push_str(&format!(",{cell}"));
        }
        text.push('\n');
    }
    text
}

#[test]
fn weights_count_rows() {
    let place = Place::new();
    let brier = |text: String, columns: &Columns| {
        report(place.write("table.csv", text), columns, &["brier"])["metrics"].clone()
    };
    let plain = brier(delimited(",", "\n"), &Columns::new());
    let weighted = Columns::new().weight("w");
    let equal = wider(&[("w", &|_| "2.5".to_owned())]);
    assert_eq!(brier(equal, &weighted), plain);
    let uneven = wider(&[("w", &|row| (row % 3).to_string())]);
    assert_ne!(brier(uneven, &weighted), plain);
}

#[test]
fn folds_can_be_given_as_numbers_or_words() {
    let place = Place::new();
    let numbers = wider(&[("part", &|row| (row % 4 + 7).to_string())]);
    let words = wider(&[("part", &|row| format!("part {}", row % 4))]);
    let folded = Columns::new().fold("part");
    let report = |text: &str| report(place.write("table.csv", text), &folded, &[]);
    assert_eq!(report(&numbers)["folds"], 4);
    assert_eq!(report(&numbers), report(&words));
}

#[test]
fn groups_leave_the_estimate_as_it_is() {
    let place = Place::new();
    let text = wider(&[("site", &|row| format!("site {}", row % 4))]);
    let plain = metrics(&place, &delimited(",", "\n"), &Columns::new());
    assert_eq!(metrics(&place, &text, &Columns::new().group("site")), plain);
}

#[test]
fn features_are_named_or_all_that_is_left() {
    let place = Place::new();
    let text = wider(&[
        ("age", &|row| (20 + row % 50).to_string()),
        ("region", &|row| if row % 3 == 0 { String::new() } else { format!("region {}", row % 4) }),
        ("w", &|row| (1 + row % 3).to_string()),
        ("constant", &|_| "same".to_owned()),
    ]);
    let file = place.write("table.csv", text);
    let names = |columns: &Columns| {
        let loaded = load(&file, columns, &|_| {}).unwrap();
        let features = loaded.predictions.features().unwrap();
        features.names().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&Columns::new().features(["region", "age"])), ["region", "age"]);
    assert_eq!(names(&Columns::new().features(["*"]).weight("w")), ["age", "region", "constant"]);
    let said = RefCell::new(Vec::new());
    let all = Columns::new().label("label").probs(["p_0", "p_1", "p_2"]).features(["*"]);
    load(&file, &all, &|line| said.borrow_mut().push(line.to_owned())).unwrap();
    assert_eq!(
        said.into_inner(),
        [
            "p_0 -> P(0), p_1 -> P(1), p_2 -> P(2); labels: label; features: age, region, w, constant"
        ]
    );
    let refused = |columns: Columns| load(&file, &columns, &|_| {}).unwrap_err().to_string();
    assert!(refused(Columns::new().features(["agee"])).contains("there is no column \"agee\""));
    for twice in [["age", "age"], ["age", "label"]] {
        assert!(refused(Columns::new().features(twice)).contains("is asked for twice"));
    }
    let both = Columns::new().probs(["p_0", "p_1", "p_2"]).features(["p_0"]);
    assert!(refused(both).contains("column \"p_0\" is asked for twice"));
    // What is a feature by its name is not taken for a probability, whatever it holds.
    let binary = place.write("binary.csv", "y,p,smokes\n0,0.25,0\n1,0.75,1\n0,0.5,1\n");
    let loaded = load(binary, &Columns::new().features(["smokes"]), &|_| {}).unwrap();
    assert_eq!(loaded.scores, ["p"]);
}

/// The arrays of an archive that are neither matrices nor of another length are features, if all are.
#[test]
fn an_archive_has_features() {
    let place = Place::new();
    let numbers = |numbers: &[f64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    let four = |values: [f64; 4]| array("'<f8'", "(4,)", &numbers(&values));
    let pairs = array("'<f8'", "(4, 2)", &numbers(&[0.75, 0.25, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5]));
    let arrays = [
        ("probs", pairs.clone()),
        ("labels", four([0.0, 1.0, 1.0, 0.0])),
        ("age", four([31.0, f64::NAN, 62.0, 44.0])),
        ("weights", four([1.0, 2.0, 1.0, 1.0])),
        ("embedding", pairs),
        ("short", array("'<f8'", "(1,)", &numbers(&[1.0]))),
    ];
    let file = place.write("all.npz", archive(&arrays, CompressionMethod::Stored));
    for columns in [Columns::new().features(["*"]), Columns::new().features(["age"])] {
        let loaded = load(&file, &columns, &|_| {}).unwrap();
        assert!(loaded.predictions.features().unwrap().names().eq(["age"]));
    }
    let refused = |name: &str| load(&file, &Columns::new().features([name]), &|_| {}).unwrap_err();
    let matrix = refused("embedding");
    assert!(matrix.message().ends_with("a feature cannot be a matrix of 2 columns"), "{matrix}");
    assert!(refused("short").message().ends_with("labels has 4 rows, but short has 1"));
}

#[test]
fn columns_of_certain_names_are_never_guessed_to_be_probabilities() {
    let place = Place::new();
    let zero: &dyn Fn(usize) -> String = &|_| "0".to_owned();
    let names = ["weight", "Sample_Weight", "fold", "fold_id", "group", "ID", "index", "", "word"];
    let mut columns: Vec<(&str, &dyn Fn(usize) -> String)> =
        names.iter().map(|&name| (name, zero)).collect();
    columns[8].1 = &|_| "x".to_owned();
    let file = place.write("table.csv", wider(&columns));
    let said = RefCell::new(Vec::new());
    load(file, &Columns::new(), &|line| said.borrow_mut().push(line.to_owned())).unwrap();
    assert_eq!(
        said.into_inner(),
        [
            "p_0 -> P(0), p_1 -> P(1), p_2 -> P(2); labels: label; ignored: weight, Sample_Weight, fold, \
          fold_id, group, ID, index, (unnamed), word"
        ]
    );
}

#[test]
fn nothing_is_said_where_nothing_is_guessed() {
    let place = Place::new();
    let file = place.write("table.csv", delimited(",", "\n"));
    let named = Columns::new().label("label").probs(["p_0", "p_1", "p_2"]);
    load(file, &named, &|line| panic!("{line}")).unwrap();
}

#[test]
fn lines_are_physical_lines() {
    let place = Place::new();
    let text = "label,p_0,p_1,note\r\n0,0.5,0.5,\"two\r\nlines\"\r\n\r\n1,0.5,0.4,x\r\n";
    let file = place.write("table.csv", text);
    let error = predictions(file).unwrap_err();
    let words = "table.csv, line 5: the probabilities sum to 0.9,";
    assert!(error.message().contains(words), "{error}");
}
