//! Several models in one file, and the leaderboard of them.

use serde_json::Value;

use crate::common::{Place, Ran};

/// Two models of one table: in files of their own, in columns, and in rows of which the second model's come
/// in another order.
fn place() -> Place {
    let place = Place::new();
    let mut files = ["label,p_no,p_yes\n".to_owned(), "label,p_no,p_yes\n".to_owned()];
    let mut wide = "id,label,p_old_no,p_old_yes,p_new_no,p_new_yes\n".to_owned();
    let mut long = "model,id,label,p_no,p_yes\n".to_owned();
    let mut second = String::new();
    for row in 0..400_u32 {
        let p = f64::from(row * 37 % 400 + 1) / 402.0;
        let label = if f64::from(row * 101 % 400) / 400.0 < p { "yes" } else { "no" };
        let far = if p > 0.5 { 0.5 + 0.5 * p } else { 0.5 * p };
        for (file, p) in files.iter_mut().zip([far, p]) {
            file.push_str(&format!("{label},{},{p}\n", 1.0 - p));
        }
        wide.push_str(&format!("{row},{label},{},{far},{},{p}\n", 1.0 - far, 1.0 - p));
        long.push_str(&format!("old,{row},{label},{},{far}\n", 1.0 - far));
        second = format!("new,{row},{label},{},{p}\n", 1.0 - p) + &second;
    }
    place.write("old.csv", &files[0]);
    place.write("new.csv", &files[1]);
    place.write("wide.csv", wide);
    place.write("long.csv", long + &second);
    place
}

const QUICK: [&str; 6] = ["--metric", "l1,brier", "--recalibrator", "isotonic", "--draws", "9"];

fn compared(place: &Place, more: &[&str]) -> Value {
    let mut json = place.run(&[&["compare"], more, &QUICK, &["--format", "json"]].concat()).json();
    for model in json["models"].as_object_mut().unwrap().values_mut() {
        model.as_object_mut().unwrap().remove("columns");
    }
    json
}

fn renamed(json: Value) -> Value {
    let text = json.to_string().replace("old.csv", "old").replace("new.csv", "new");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn models_of_one_file_are_those_of_their_own_files() {
    let place = place();
    let apart = renamed(compared(&place, &["old.csv", "new.csv"]));
    assert_eq!(compared(&place, &["wide.csv", "--models", "p_{model}_{class}"]), apart);
    let long = ["long.csv", "--model-column", "model", "--key", "id"];
    assert_eq!(compared(&place, &long), apart);
}

#[test]
fn a_leaderboard_is_one_on_every_face() {
    let place = place();
    let base = ["compare", "wide.csv", "--models", "p_{model}_{class}", "--leaderboard"];
    let run = |format: &str| place.run(&[&base[..], &QUICK, &["--format", format]].concat());
    let json = run("json").json();
    let first = &json["leaderboard"]["l1"][0];
    assert_eq!((&first["model"], &first["groups"]), (&"new".into(), &vec!["a"].into()));
    assert_eq!(first["rank"], serde_json::json!([1, 1]));
    assert_eq!(first["value"], json["models"]["new"]["metrics"]["l1"]["value"]);
    let csv = run("csv").stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "metric,rank_from,rank_to,groups,model,value,stderr,lower,p_value");
    assert!(lines[1].starts_with(&format!("l1,1,1,a,new,{},", first["value"])), "{csv}");
    assert!(lines[2].starts_with("l1,2,2,b,old,"), "{csv}");
    let Ran { stdout, .. } = run("table");
    assert!(stdout.starts_with("l1  group  model  estimate"), "{stdout}");
    assert!(stdout.contains("1   a      new    ") && stdout.contains("2   b      old    "));
    let html = run("html").stdout;
    assert!(html.contains("<title>Leaderboard of 2 models</title>"));
    assert!(html.contains("<bdi>old</bdi>") && html.contains("2 models, 400 rows each"));
}

#[test]
fn what_cannot_be_told_is_refused_with_its_place() {
    let place = place();
    let said = |more: &[&str]| {
        let ran = place.run(&[&["compare"], more].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        ran.stderr
    };
    assert!(said(&["old.csv"]).starts_with("error: one file: there is nothing to compare it with"));
    let missing = said(&["long.csv", "--model-column", "whose"]);
    assert!(missing.contains("there is no column \"whose\""), "{missing}");
    let two = said(&["old.csv", "new.csv", "--models", "p_{model}_{class}"]);
    assert!(two.contains("--models: the models are in one file, and 2 are named"), "{two}");
    let pipe = said(&["-", "--model-column", "model"]);
    assert!(pipe.contains("- cannot be"), "{pipe}");
    // The second model's rows come in another order: without a key their labels differ.
    let order = said(&["long.csv", "--model-column", "model", "--probs", "p_no,p_yes"]);
    assert!(order.contains("they must be the same rows"), "{order}");
    place.write("bad.csv", "model,id,label,p\na,1,0,0.5\nb,1,0,1.5\na,2,1,0.5\nb,2,1,0.5\n");
    let bad = said(&["bad.csv", "--model-column", "model", "--key", "id", "--probs", "p"]);
    assert!(bad.contains("bad.csv, line 3, column p: probability 1.5"), "{bad}");
    place.write("gap.csv", "model,id,label,p\na,1,0,0.5\nb,1,0,0.5\na,2,1,0.5\nb,3,1,0.5\n");
    let gap = said(&["gap.csv", "--model-column", "model", "--key", "id"]);
    assert!(gap.contains("gap.csv, line 4, column id: b has no row 2"), "{gap}");
}

#[test]
fn a_confidence_is_measured_as_it_is() {
    let place = Place::new();
    let mut text = "sure,right\n".to_owned();
    for row in 0..600_u32 {
        // They say 30 %, or 80 %, and are right in half of the cases: once too low, once too high.
        let sure = if row % 3 == 0 { 0.3 } else { 0.8 };
        text.push_str(&format!("{sure},{}\n", u32::from(row % 2 == 0)));
    }
    place.write("said.csv", text);
    let stated = ["--confidence-column", "sure", "--correct-column", "right"];
    let metrics = ["--metric", "l1,over-l1,under-l1"];
    let found = place.estimate("said.csv", &[&stated[..], &metrics].concat());
    let value = |name: &str| found["metrics"][name]["value"].as_f64().unwrap();
    // A third is too low by .2: of two classes that would be over-confident, of a confidence it is not.
    assert!(value("under-l1") > 0.03 && value("over-l1") > 0.15, "{found}");
    assert!((value("l1") - value("over-l1") - value("under-l1")).abs() < 1e-12, "{found}");
    let two = place
        .estimate("said.csv", &[&["--label", "right", "--probs", "sure"][..], &metrics].concat());
    assert_eq!(two["metrics"]["l1"]["value"], found["metrics"]["l1"]["value"]);
    assert!(two["metrics"]["under-l1"]["value"].as_f64().unwrap() < 1e-9, "{two}");
    place.write("one.csv", "sure,right\n".to_owned() + &"0.9,1\n0.9,0\n".repeat(50));
    let ran = place.run(&[&["estimate", "one.csv"], &stated[..]].concat());
    assert!(ran.stdout.contains("every row has the same prediction"), "{ran:?}");
    let top = place.run(&[&["estimate", "said.csv", "--metric", "top-l1"], &stated[..]].concat());
    assert!(top.status == 2 && top.stderr.contains("ask for l1"), "{top:?}");
    let vector =
        place.run(&[&["estimate", "said.csv", "--binary", "vector"], &stated[..]].concat());
    assert!(
        vector.status == 2 && vector.stderr.contains("sure is one number of a row"),
        "{vector:?}"
    );
}
