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
    let head = "400 rows, 2 classes, recalibrator isotonic, 5 folds\n\
                old: p_old_no -> P(no), p_old_yes -> P(yes); labels: label; ignored: id,\n  \
                p_new_no, p_new_yes\nnew: ";
    assert!(stdout.starts_with(head), "{stdout}");
    assert!(stdout.contains("\n\nrank (l1)  group  model  estimate"), "{stdout}");
    assert!(stdout.contains("\n1          a      new    "), "{stdout}");
    assert!(stdout.contains("\n2          b      old    "), "{stdout}");
    // What a table has no room for is beside it.
    let beside = run("csv").stderr;
    assert!(beside.starts_with(head), "{beside}");
    let html = run("html").stdout;
    assert!(html.contains("<title>Leaderboard of 2 models</title>"));
    assert!(html.contains("<bdi>old</bdi>") && html.contains("2 models, 400 rows each"));
    assert!(html.contains("<dt>columns</dt><dd>old: p_old_no -&gt; P(no)"), "{html}");
}

#[test]
fn a_limit_that_is_passed_is_said_whatever_the_format() {
    let place = place();
    let base = ["compare", "new.csv", "old.csv", "--leaderboard", "--max-worse", "l1=0.001"];
    for format in ["csv", "html", "table"] {
        let ran = place.run(&[&base[..], &QUICK, &["--format", format]].concat());
        assert_eq!(ran.status, 1, "{ran:?}");
        let said = if format == "table" { &ran.stdout } else { &ran.stderr };
        assert!(
            said.contains("failed: more error is found than in the first: l1 in old.csv"),
            "{said}"
        );
    }
}

/// A table of single columns of two models, of these names and labels.
fn single(place: &Place, models: [&str; 2], labels: [&str; 2]) {
    let mut text = format!("label,p_{},p_{}\n", models[0], models[1]);
    for row in 0..400_u32 {
        let p = f64::from(row * 37 % 400 + 1) / 402.0;
        let label = labels[usize::from(f64::from(row * 101 % 400) / 400.0 < p)];
        let far = if p > 0.5 { 0.5 + 0.5 * p } else { 0.5 * p };
        text.push_str(&format!("{label},{far},{p}\n"));
    }
    place.write("single.csv", text);
}

fn l1(found: &Value, model: &str) -> f64 {
    found["models"][model]["metrics"]["l1"]["value"].as_f64().unwrap()
}

#[test]
fn what_a_model_is_called_is_no_class() {
    let place = Place::new();
    let base = ["single.csv", "--models", "p_{model}"];
    single(&place, ["old", "new"], ["0", "1"]);
    let plain = compared(&place, &base);
    for models in [["0", "2"], ["no", "yes"], ["m00", "m01"], ["model0", "model1"]] {
        for labels in [["0", "1"], ["no", "yes"], ["false", "true"], ["-1", "1"]] {
            single(&place, models, labels);
            let found = compared(&place, &base);
            for (own, like) in models.iter().zip(["old", "new"]) {
                assert_eq!(
                    l1(&found, own).to_bits(),
                    l1(&plain, like).to_bits(),
                    "{models:?} {labels:?}"
                );
            }
        }
    }
    single(&place, ["0", "2"], ["cat", "dog"]);
    let refused = place.run(&[&["compare"], &base[..], &QUICK].concat());
    assert!(refused.status == 2, "{refused:?}");
    assert!(refused.stderr.contains("column p_0 may hold"), "{refused:?}");
    assert!(
        refused.stderr.contains("hint: --positive-class says it for all models"),
        "{refused:?}"
    );
    for more in [["--positive-class", "dog"], ["--classes", "cat,dog"]] {
        let found = compared(&place, &[&base[..], &more].concat());
        assert_eq!(l1(&found, "0").to_bits(), l1(&plain, "old").to_bits(), "{more:?}");
    }
    let turned = compared(&place, &[&base[..], &["--positive-class", "cat"]].concat());
    assert!(l1(&turned, "0") > 0.3, "{turned}");
    let classes = place.run(&[
        "compare",
        "single.csv",
        "--models",
        "p_{model}_{class}",
        "--positive-class",
        "dog",
    ]);
    assert!(
        classes.status == 2 && classes.stderr.contains("name their classes themselves"),
        "{classes:?}"
    );
}

#[test]
fn a_column_of_a_model_may_hold_lists() {
    let place = Place::new();
    let mut text = String::new();
    for row in 0..100_u32 {
        let p = f64::from(row * 37 % 100 + 1) / 102.0;
        let label = u32::from(f64::from(row * 41 % 100) / 100.0 < p);
        let (old, new) = (p * p, p);
        text.push_str(&format!(
            "{{\"label\":{label},\"p_old\":[{},{old}],\"p_new\":[{},{new}]}}\n",
            1.0 - old,
            1.0 - new
        ));
    }
    place.write("lists.jsonl", text);
    let found = compared(&place, &["lists.jsonl", "--models", "p_{model}"]);
    assert!(l1(&found, "old") > l1(&found, "new"), "{found}");
}

#[test]
fn columns_of_models_may_be_logits() {
    let place = Place::new();
    single(&place, ["old", "new"], ["0", "1"]);
    let base = ["single.csv", "--models", "p_{model}"];
    let plain = compared(&place, &base);
    let text = std::fs::read_to_string(place.path("single.csv")).unwrap();
    let mut lines = text.lines();
    let mut logits = lines.next().unwrap().replace("p_", "z_") + "\n";
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let logit = |cell: &str| cell.parse::<f64>().map(|p| (p / (1.0 - p)).ln()).unwrap();
        logits.push_str(&format!("{},{},{}\n", cells[0], logit(cells[1]), logit(cells[2])));
    }
    place.write("logits.csv", logits);
    let found = compared(&place, &["logits.csv", "--models", "z_{model}", "--models-are-logits"]);
    for model in ["old", "new"] {
        assert!((l1(&found, model) - l1(&plain, model)).abs() < 1e-9, "{found}");
    }
}

#[test]
fn classes_of_which_one_ends_as_another_are_asked_for() {
    let place = Place::new();
    let mut text = "label,p_a_not_spam,p_a_spam,p_b_not_spam,p_b_spam\n".to_owned();
    for row in 0..100_u32 {
        let p = f64::from(row * 37 % 100 + 1) / 102.0;
        let label = if f64::from(row * 41 % 100) / 100.0 < p { "spam" } else { "not_spam" };
        text.push_str(&format!("{label},{},{p},{},{p}\n", 1.0 - p, 1.0 - p));
    }
    place.write("spam.csv", text);
    let base = ["compare", "spam.csv", "--models", "p_{model}_{class}", "--draws", "0"];
    let both = place.run(&base);
    assert!(both.status == 2 && both.stdout.is_empty(), "{both:?}");
    assert!(
        both.stderr.contains(
            "models a, b with classes not_spam, spam; or models a_not, a, b_not, b with class spam"
        ) || both.stderr.contains("two ways to read the columns"),
        "{both:?}"
    );
    assert!(both.stderr.contains("hint: --classes names the classes"), "{both:?}");
    let named =
        place.run(&[&base[..], &["--classes", "spam,not_spam", "--format", "json"]].concat());
    let models = named.json();
    let models: Vec<&String> = models["models"].as_object().unwrap().keys().collect();
    assert_eq!(models, ["a", "b"]);
}

#[test]
fn a_long_file_is_read_as_a_whole_and_numbers_of_models_and_rows_are_no_probabilities() {
    let place = place();
    for (flag, value) in
        [("--sample", Some("50")), ("--memory", Some("1GB")), ("--skip-bad-files", None)]
    {
        let flags: Vec<&str> = std::iter::once(flag).chain(value).collect();
        let ran = place.run(
            &[&["compare", "long.csv", "--model-column", "model", "--key", "id"], &flags[..]]
                .concat(),
        );
        assert!(ran.status == 2 && ran.stderr.contains(&format!("error: {flag}: ")), "{ran:?}");
    }
    let (mut first, mut second) = ("model,share,label,p\n".to_owned(), String::new());
    for row in 0..100_u32 {
        let (p, share) = (f64::from(row * 37 % 100 + 1) / 102.0, f64::from(row) / 1e3);
        let label = u32::from(f64::from(row * 41 % 100) / 100.0 < p);
        first.push_str(&format!("0,{share},{label},{p}\n"));
        second.push_str(&format!("1,{share},{label},{}\n", p * p));
    }
    place.write("numbers.csv", first + &second);
    let long = ["numbers.csv", "--model-column", "model", "--key", "share"];
    let json = place.run(&[&["compare"], &long[..], &QUICK, &["--format", "json"]].concat()).json();
    let columns = &json["models"]["0"]["columns"];
    assert_eq!(columns["probabilities"], serde_json::json!({ "p": "1" }));
    assert_eq!(columns["key"], "share");
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
    // The second model's rows come in another order, as its column of ids knows.
    let order = said(&["long.csv", "--model-column", "model", "--probs", "p_no,p_yes"]);
    assert!(order.contains("line 402, column id: new has 399 where old has 0"), "{order}");
    assert!(order.contains("hint: --key id pairs the rows by it"), "{order}");
    place.write("other.csv", "model,label,p\na,0,0.5\na,1,0.5\n\nb,1,0.5\nb,1,0.5\n");
    let other = said(&["other.csv", "--model-column", "model", "--probs", "p"]);
    let label = "other.csv, line 5, column label: the label is \"1\" in b, but \"0\" in a (other.csv, line 2,";
    assert!(other.contains(label) && other.contains("hint: --key names"), "{other}");
    place.write("one.csv", "label,p\n0,0.5\n1,0.5\n");
    place.write("two.csv", "label,p\n0,0.5\n0,0.5\n");
    let files = said(&["one.csv", "two.csv"]);
    let label =
        "two.csv, line 3, column label: the label is \"0\" in two.csv, but \"1\" in one.csv";
    assert!(files.contains(label), "{files}");
    place.write("alone.csv", "model,label,p\na,0,0.5\na,1,0.5\n");
    let alone = said(&["alone.csv", "--model-column", "model"]);
    assert!(alone.contains("error: alone.csv, column model: a is the only model"), "{alone}");
    place.write("double.csv", "label,p_a,p_a,p_b\n1,.5,.6,.7\n");
    let double = said(&["double.csv", "--models", "p_{model}"]);
    assert!(double.contains("two columns are named \"p_a\""), "{double}");
    place.write("keys.csv", "model,id,label,p\na,1,0,0.5\nb,1,0,0.5\na,1,1,0.5\n");
    let keys = said(&["keys.csv", "--model-column", "model", "--key", "id"]);
    assert!(
        keys.contains("line 4, column id: a has 1 twice, the first time in keys.csv, line 2"),
        "{keys}"
    );
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
        vector.status == 2 && vector.stderr.contains("beside right, there is one number of a row"),
        "{vector:?}"
    );
}
