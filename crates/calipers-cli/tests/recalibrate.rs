//! Fitting a recalibrator to a file and applying it to others.

use std::fs;

use serde_json::Value;
use zip::CompressionMethod;

use crate::common::npy::{archive, array};
use crate::common::{Place, delimited, rows};

/// A model fitted to the common rows.
fn fitted(place: &Place, options: &[&str]) -> Value {
    place.write("table.csv", delimited(",", "\n"));
    let fit = ["recalibrate", "fit", "table.csv", "-o", "model.json"];
    let ran = place.run(&[&fit[..], options].concat());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{ran:?}");
    serde_json::from_str(&fs::read_to_string(place.path("model.json")).unwrap()).unwrap()
}

/// The cells of a CSV text, without the header.
fn cells(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip(1);
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn the_library_reads_the_model_and_agrees_with_the_file() {
    let place = Place::new();
    for name in ["temperature", "auto", "isotonic"] {
        let saved = fitted(&place, &["--recalibrator", name]);
        assert_eq!(saved["classes"], serde_json::json!(["0", "1", "2"]));
        assert_eq!(saved["columns"], serde_json::json!(["p_0", "p_1", "p_2"]));
        let model = calipers::load_model(&saved.to_string()).unwrap();
        let f: Vec<f64> = rows().into_iter().flat_map(|(_, f)| f).collect();
        let g =
            model.fitted.predict(ndarray::ArrayView2::from_shape((60, 3), &f).unwrap()).unwrap();
        let ran = place.run(&["recalibrate", "apply", "model.json", "table.csv", "-o", "-"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        for ((cells, g), (label, _)) in cells(&ran.stdout).iter().zip(g.rows()).zip(rows()) {
            assert_eq!(cells[0], label.to_string());
            for (cell, expected) in cells[1..].iter().zip(g) {
                assert_eq!(cell.parse::<f64>().unwrap().to_bits(), expected.to_bits(), "{name}");
            }
        }
    }
}

#[test]
fn whatever_else_a_file_holds_stays_in_its_place() {
    let place = Place::new();
    fitted(&place, &["--recalibrator", "identity"]);
    let text = "id,p_2,note,p_0,when,p_1,gap,code\n\
                7,0.5,\"a, b\",0.25,2026-01-31,0.25,1.5,007\n\
                8,0.25,,0.25,2026-02-01,0.5,,008\n";
    place.write("mixed.csv", text);
    let apply = |from: &str, to: &str| {
        let ran = place.run(&["recalibrate", "apply", "model.json", from, "-o", to]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{from} to {to}");
        ran.stdout
    };
    // The columns are another order than the model's: they are found by their names.
    assert_eq!(apply("mixed.csv", "-"), text);
    let formats: &[&str] =
        if cfg!(feature = "parquet") { &["parquet", "arrow", "feather", "tsv"] } else { &["tsv"] };
    for format in formats {
        let other = format!("other.{format}");
        apply("mixed.csv", &other);
        assert_eq!(apply(&other, "-"), text, "{format}");
    }
}

#[test]
fn the_names_of_classes_in_an_archive_are_those_of_columns_in_a_table() {
    let place = Place::new();
    let numbers = |numbers: &[f64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    let probs = numbers(&[0.75, 0.25, 0.5, 0.5, 0.25, 0.75]);
    let arrays = [
        ("probs", array("'<f8'", "(3, 2)", &probs)),
        ("labels", array("'<f8'", "(3,)", &numbers(&[0.0, 1.0, 1.0]))),
        ("classes", array("'|S3'", "(2,)", b"no\0yes")),
    ];
    place.write("table.npz", archive(&arrays, CompressionMethod::Stored));
    let model = ["recalibrate", "fit", "table.npz", "-o", "m.json", "--recalibrator", "identity"];
    assert_eq!(place.run(&model).status, 0);
    let apply =
        |target: &str| place.run(&["recalibrate", "apply", "m.json", "table.npz", "-o", target]);
    let ran = apply("-");
    assert_eq!((ran.status, ran.stdout.lines().next()), (0, Some("p_no,p_yes,labels")));
    let note = "note: left out, without a row for each prediction: classes\n";
    assert!(ran.stderr.ends_with(note), "{}", ran.stderr);
    let ran = apply("again.npz");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(!ran.stderr.contains("left out"));
    let options = ["--metric", "l1", "--folds", "2"];
    assert_eq!(place.estimate("again.npz", &options), place.estimate("table.npz", &options));
}

#[test]
fn archives_hold_a_matrix_and_text() {
    let place = Place::new();
    fitted(&place, &["--recalibrator", "temperature"]);
    let named: String = delimited(",", "\n")
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{line},{}\n", if at == 0 { "site" } else { "köln" }))
        .collect();
    place.write("named.csv", named);
    let apply = |from: &str, to: &str| {
        let ran = place.run(&["recalibrate", "apply", "model.json", from, "-o", to]);
        assert_eq!(ran.status, 0, "{ran:?}");
        ran
    };
    apply("named.csv", "once.npz");
    let estimate = place.estimate("once.npz", &["--group", "site", "--folds", "3"]);
    assert_eq!(estimate["n"], 60);
    assert_eq!(estimate["groups"]["köln"]["n"], 60);
    // The columns of a matrix have no names: they are taken in order.
    apply("once.npz", "twice.npz");
    apply("named.csv", "once.csv");
    apply("once.csv", "twice.csv");
    let values = |file: &str| place.estimate(file, &["--folds", "3"])["metrics"].clone();
    assert_eq!(values("twice.npz"), values("twice.csv"));
    assert_ne!(values("once.csv"), values("twice.csv"));
}

#[test]
fn logits_become_probabilities_and_say_so() {
    let place = Place::new();
    let mut text = "y,logit_no,logit_yes\n".to_owned();
    for (row, (_, f)) in rows().into_iter().enumerate() {
        let label = if row % 3 == 0 { "no" } else { "yes" };
        text.push_str(&format!("{label},{},{}\n", f[0].ln(), f[1].ln()));
    }
    place.write("logits.csv", text);
    let columns = ["--logits", "logit_no,logit_yes", "--recalibrator", "affine"];
    let fit = ["recalibrate", "fit", "logits.csv", "-o", "model.json"];
    assert_eq!(place.run(&[&fit[..], &columns].concat()).status, 0);
    let ran = place.run(&["recalibrate", "apply", "model.json", "logits.csv", "-o", "-"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("y,p_no,p_yes\n"), "{}", ran.stdout);
    for cells in cells(&ran.stdout) {
        let sum: f64 = cells[1..].iter().map(|cell| cell.parse::<f64>().unwrap()).sum();
        // Two doubles that were rounded apart.
        assert!((sum - 1.0).abs() < 1e-15, "{cells:?}");
    }
}

#[test]
fn a_single_column_is_that_of_the_second_class() {
    let place = Place::new();
    let mut text = "label,p\n".to_owned();
    for (row, (_, f)) in rows().into_iter().enumerate() {
        text.push_str(&format!("{},{}\n", usize::from(row % 3 > 0), f[0]));
    }
    place.write("one.csv", text);
    let fit = ["recalibrate", "fit", "one.csv", "-o", "model.json", "--recalibrator", "constant"];
    assert_eq!(place.run(&fit).status, 0);
    let ran = place.run(&["recalibrate", "apply", "model.json", "one.csv", "-o", "-"]);
    assert_eq!(ran.status, 0);
    for cells in cells(&ran.stdout) {
        assert!((cells[1].parse::<f64>().unwrap() - 2.0 / 3.0).abs() < 0.02, "{cells:?}");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let place = Place::new();
    let saved = fitted(&place, &["--recalibrator", "temperature"]);
    place.write("two.csv", "p_0,p_1\n0.5,0.5\n");
    place.write("others.csv", "p_cat,p_dog,p_fox\n0.5,0.25,0.25\n");
    place.write("bad.csv", "p_0,p_1,p_2\n0.5,0.25,0.25\n0.5,x,0.25\n");
    place.write("sum.csv", "p_0,p_1,p_2\n0.5,0.25,0.5\n");
    place.write("empty.csv", "p_0,p_1,p_2\n");
    place.write("bare.json", calipers_text(&saved));
    place.write("broken.json", "{\"calipers\": 1");
    let before = place.names();
    for (model, file, message) in [
        ("model.json", "two.csv", "the classes 0, 1, 2, but there are 2 columns of predictions"),
        ("model.json", "others.csv", "but the columns are of cat, dog, fox"),
        ("model.json", "bad.csv", "line 3, column p_1: probability \"x\" is not a number"),
        ("model.json", "sum.csv", "line 2: the probabilities sum to 1.25"),
        ("model.json", "empty.csv", "there are no rows"),
        ("model.json", "absent.csv", "no such file"),
        ("absent.json", "table.csv", "absent.json: cannot be read: no such file"),
        ("broken.json", "table.csv", "broken.json: "),
        ("bare.json", "table.csv", "does not say what its classes are called"),
    ] {
        let ran = place.run(&["recalibrate", "apply", model, file, "-o", "out.csv"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{model} {file}");
        assert!(ran.stderr.contains(message), "{model} {file}: {}", ran.stderr);
    }
    let ran = place.run(&["recalibrate", "fit", "table.csv", "-o", "m.json", "--group", "p_0"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("one model is fitted to all rows"), "{}", ran.stderr);
    assert_eq!(place.names(), before);
}

/// A model as the library writes it: without names.
fn calipers_text(saved: &Value) -> String {
    let mut bare = saved.clone();
    for key in ["classes", "columns", "logits"] {
        bare.as_object_mut().unwrap().remove(key);
    }
    bare.to_string()
}

/// Rows of one prediction, of which it is the site that decides; its names look like numbers.
fn known(rows: usize) -> String {
    let mut text = "label,p_1,site,age\n".to_owned();
    for row in 0..rows {
        let (site, draw) = (row * 7 % 3, row * 37 % 100);
        let label = u8::from(draw < [20, 50, 80][site]);
        let site = if site == 2 { "x".to_owned() } else { site.to_string() };
        text.push_str(&format!("{label},0.5,{site},{}\n", 20 + row * 13 % 60));
    }
    text
}

/// A model asks for its features by their names, whichever way a file holds them.
#[test]
fn a_model_that_sees_features_asks_for_them() {
    let place = Place::new();
    place.write("known.csv", known(600));
    let fit = ["recalibrate", "fit", "known.csv", "--features", "site,age", "-o", "model.json"];
    let ran = place.run(&[&fit[..], &["--recalibrator", "logistic"]].concat());
    let note = "note: the model sees features beside the predictions: site, age\n";
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.ends_with(note), "{ran:?}");
    let apply = |name: &str, text: &str| {
        place.write(name, text);
        place.run(&["recalibrate", "apply", "model.json", name, "-o", "-"])
    };
    let one = |line: &str| {
        let ran = apply("new.csv", &format!("age,p_1,site\n{line}\n"));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, note), "{ran:?}");
        cells(&ran.stdout)[0][1].parse::<f64>().unwrap()
    };
    // One row looks like numbers, where they were categories; the true shares are 0.2, 0.5 and 0.8.
    let [low, middle, high] = ["40,0.5,0", "40,0.5,1", "40,0.5,x"].map(one);
    assert!((0.15..0.3).contains(&low) && (0.7..0.85).contains(&high), "{low} {high}");
    assert!((0.4..0.6).contains(&middle), "{middle}");
    // What was never seen, or is missing everywhere, is a row like any other.
    assert!((0.0..=1.0).contains(&one("40,0.5,elsewhere")) && (0.0..=1.0).contains(&one(",0.5,")));
    let refused = |text: &str, said: &str| {
        let ran = apply("new.csv", text);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
    };
    refused(
        "p_1,site\n0.5,1\n",
        "error: new.csv: there is no column \"age\", which is a feature of the model\n\
         hint: the features of the model are site, age\n",
    );
    refused(
        "p_1,site,age\n0.5,1,40\n0.5,1,old\n",
        "error: new.csv, line 3, column age: feature \"old\" is not a number\n",
    );
}

/// A file after the other gives what all of them give at once.
#[test]
fn features_are_read_of_many_files() {
    let place = Place::new();
    let text = known(600);
    place.write("known.csv", &text);
    let fit = ["recalibrate", "fit", "known.csv", "--features", "*", "-o", "model.json"];
    assert_eq!(place.run(&[&fit[..], &["--recalibrator", "logistic"]].concat()).status, 0);
    let lines: Vec<&str> = text.lines().collect();
    for (name, part) in [("a.csv", &lines[1..200]), ("b.csv", &lines[200..])] {
        place.write(name, format!("{}\n{}\n", lines[0], part.join("\n")));
    }
    let apply = |files: &[&str]| {
        let ran =
            place.run(&[&["recalibrate", "apply", "model.json"], files, &["-o", "-"]].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.stdout
    };
    assert_eq!(apply(&["a.csv", "b.csv"]), apply(&["known.csv"]));
}

#[test]
fn codes_of_a_dataset_are_written_as_the_names_that_they_stand_for() {
    let place = Place::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../calipers-files/tests/dataset");
    let shard = format!("{folder}/data-00000-of-00002.arrow");
    let fit = ["recalibrate", "fit", folder, "-o", "model.json", "--recalibrator", "identity"];
    assert_eq!(place.run(&fit).status, 0);
    let saved: Value =
        serde_json::from_str(&fs::read_to_string(place.path("model.json")).unwrap()).unwrap();
    assert_eq!(saved["classes"], serde_json::json!(["spam", "ham"]));
    let apply = |from: &str| {
        let ran = place.run(&["recalibrate", "apply", "model.json", from, "-o", "-"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.stdout
    };
    let (all, one) = (apply(folder), apply(&shard));
    assert!(all.starts_with(&one) && all.lines().count() == 7, "{all}");
    assert!(all.lines().skip(1).all(|line| line.contains("ham") || line.contains("spam")), "{all}");
}

#[test]
fn a_file_may_have_fewer_options_than_the_model() {
    let place = Place::new();
    fitted(&place, &["--recalibrator", "identity"]);
    place.write("short.jsonl", "{\"probs\": [0.25, 0.75]}\n{\"probs\": [0.5, 0.5]}\n");
    let ran = place.run(&["recalibrate", "apply", "model.json", "short.jsonl", "-o", "-"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "p_0,p_1,p_2\n0.25,0.75,0.0\n0.5,0.5,0.0\n"),
        "{ran:?}"
    );
}
