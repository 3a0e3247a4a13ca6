//! Many files as one: the same digits however rows are divided, and nothing counted twice or left out.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::{Place, Ran};

/// Rows of an over-confident model, as lines of a CSV file.
fn lines(count: u32) -> Vec<String> {
    (0..count)
        .map(|row| {
            let p = f64::from(1 + row * 7919 % 997) / 998.0;
            let truth = 0.5 + 0.6 * (p - 0.5);
            let label = u32::from(f64::from(row * 104_729 % 1_009) / 1_009.0 < truth);
            let site = ["north", "south"][(row / 3 % 2) as usize];
            format!("{row},{label},{p},{},{site}", 1 + row % 3)
        })
        .collect()
}

const HEADER: &str = "id,y,p,w,site";

/// Writes lines in so many files below a folder.
fn divided(place: &Place, folder: &str, lines: &[String], files: usize) {
    fs::create_dir(place.path(folder)).unwrap();
    for (number, part) in lines.chunks(lines.len().div_ceil(files)).enumerate() {
        let text = format!("{HEADER}\n{}\n", part.join("\n"));
        place.write(&format!("{folder}/part-{number:04}.csv"), text);
    }
}

/// So many rows in one file, in seven, and the other way round in a hundred.
fn in_parts(count: u32) -> Place {
    let place = Place::new();
    let mut rows = lines(count);
    divided(&place, "one", &rows, 1);
    divided(&place, "seven", &rows, 7);
    rows.reverse();
    divided(&place, "hundred", &rows, 100);
    place
}

const QUICK: [&str; 6] = ["--recalibrator", "temperature", "--draws", "19", "--format", "json"];
const KEYED: [&str; 8] = ["--key", "id", "--weight", "w", "--group", "site", "--sample", "700"];

fn json(place: &Place, words: &[&str]) -> Value {
    let words = [words, &QUICK[..]].concat();
    place.run(&words).json()
}

#[test]
fn rows_with_keys_give_the_same_digits_in_any_parts_and_order() {
    let place = in_parts(3_000);
    let run = |words: &[&str]| json(&place, &[&["estimate"], words, &KEYED[..]].concat());
    let expected = run(&["one"]);
    assert_eq!((&expected["n"], &expected["sample"]), (&3_000.into(), &700.into()));
    assert_eq!(expected["groups"]["north"]["n"], 1_500);
    for words in [
        &["seven"][..],
        &["hundred/*.csv", "--threads", "1"],
        &["hundred", "--threads", "8"],
        &["seven/part-0003.csv", "seven/part-000[0-2].csv", "seven/part-000[4-6].csv"],
    ] {
        assert_eq!(run(words), expected, "{words:?}");
    }
    // By hand, in three parts.
    let plan = [&["plan", "seven", "-o", "rows.plan"], &KEYED[..], &QUICK[..4]].concat();
    let ran = place.run(&plan);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (0, "note: the sample has 700 rows of 3,000 rows\n")
    );
    for (name, files) in [
        ("a.tally", &["seven/part-0000.csv"][..]),
        ("b.tally", &["seven/part-0002.csv", "seven/part-0001.csv"]),
        ("c.tally", &["seven/part-000[3-6].csv"]),
    ] {
        let ran = place.run(&[&["tally", "rows.plan"], files, &["-o", name]].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let finish = |tallies: &[&str]| {
        place.run(&[&["finish", "rows.plan"], tallies, &["--format", "json"]].concat())
    };
    assert_eq!(finish(&["c.tally", "a.tally", "b.tally"]).json(), expected);
    let refused = |tallies: &[&str], said: &str| {
        let ran = finish(tallies);
        assert!(ran.status == 2 && ran.stderr.contains(said) && ran.stdout.is_empty(), "{ran:?}");
    };
    refused(
        &["a.tally", "b.tally"],
        "error: rows are missing: of the 700 rows of the plan's sample",
    );
    refused(&["a.tally", "b.tally", "c.tally", "a.tally"], "error: rows were counted twice");
    refused(&["rows.plan"], "rows.plan: this is no tally, or one of another version of calipers");
}

#[test]
fn without_keys_a_sample_of_everything_is_the_estimate_of_one_file() {
    let place = Place::new();
    let rows = lines(900);
    divided(&place, "one", &rows, 1);
    divided(&place, "seven", &rows, 7);
    let options = ["--weight", "w", "--group", "site"];
    let run = |path: &str| json(&place, &[&["estimate", path], &options[..]].concat());
    let expected = run("one/part-0000.csv");
    assert_eq!(run("one"), expected);
    assert_eq!(run("seven"), expected);
    assert!(expected.get("sample").is_none());
    // A fold column of the files is theirs, however they are divided.
    let run = |path: &str| json(&place, &["estimate", path, "--fold-column", "site"]);
    assert_eq!(run("seven"), run("one/part-0000.csv"));
}

#[test]
fn folders_that_say_what_their_rows_are_can_be_groups() {
    let place = Place::new();
    let rows = lines(600);
    for (number, site) in ["north", "south"].into_iter().enumerate() {
        let folder = format!("data/region={site}");
        fs::create_dir_all(place.path(&folder)).unwrap();
        let own = &rows[number * 300..][..300];
        let text = format!("{HEADER}\n{}\n", own.join("\n"));
        place.write(&format!("{folder}/part.csv"), text);
        let path = place.path(&format!("{folder}/part.csv"));
        if site == "south" {
            assert!(Command::new("gzip").arg(path).status().unwrap().success());
        }
    }
    // What writers leave behind is passed over.
    place.write("data/_SUCCESS", "");
    let found = json(&place, &["estimate", "data/region=*/part.*", "--group", "region"]);
    assert_eq!(found["n"], 600);
    assert_eq!(found["groups"]["south"]["n"], 300);
    assert_eq!(found["columns"]["group"], "region");
}

#[test]
fn rows_beyond_the_memory_are_scored_and_not_learnt_from() {
    let place = Place::new();
    divided(&place, "rows", &lines(5_000), 3);
    let small = json(&place, &["estimate", "rows", "--memory", "200KB"]);
    let large = json(&place, &["estimate", "rows"]);
    assert_eq!((&small["n"], &small["sample"]), (&5_000.into(), &1_388.into()));
    assert!(large.get("sample").is_none());
    let l1 = |report: &Value| report["metrics"]["l1"]["value"].as_f64().unwrap();
    // Both are means over 5,000 rows, to a standard error of 0.006.
    assert!((l1(&small) - l1(&large)).abs() < 0.012, "{} {}", l1(&small), l1(&large));
    let table = place.run(&["estimate", "rows", "--memory", "200KB", "--recalibrator", "affine"]);
    assert!(table.stdout.starts_with("rows: 5,000 rows, learnt from 1,388 of them, 2 classes"));
    assert!(table.stdout.contains("note: the p_value is of the sample of 1,388 rows"));
    let fit = ["recalibrate", "fit", "rows", "--memory", "200KB", "-o", "model.json"];
    let fitted = place.run(&[&fit[..], &["--recalibrator", "affine"]].concat());
    assert_eq!(
        fitted.stderr.lines().last(),
        Some("note: this is of a sample of 1,388 rows of 5,000")
    );
}

#[test]
fn other_measures_are_of_all_rows_where_sums_are_enough() {
    let place = in_parts(3_000);
    let columns = ["--label", "y", "--probs", "p", "--measure", "ece,smooth,spiegelhalter,cox"];
    let run = |words: &[&str]| place.run(&[&["neighbours"], words, &columns[..]].concat());
    let sampled = ["--key", "id", "--sample", "700", "--format", "json"];
    let found = run(&[&["one"], &sampled[..]].concat()).json();
    for words in [&["seven"][..], &["hundred", "--threads", "1"], &["hundred", "--threads", "8"]] {
        assert_eq!(run(&[words, &sampled[..]].concat()).json(), found, "{words:?}");
    }
    assert_eq!((&found["n"], &found["sample"]), (&3_000.into(), &700.into()));
    let whole = run(&["one", "--format", "json"]).json();
    assert!(whole.get("sample").is_none() && whole["measures"]["ece"].get("n").is_none());
    let number = |value: &Value, field: &str| value[field].as_f64().unwrap();
    for (name, of) in [("ece", 3_000), ("smooth", 700), ("spiegelhalter", 3_000), ("cox", 700)] {
        let (own, all) = (&found["measures"][name], &whole["measures"][name]);
        assert_eq!(own["n"], of, "{name}");
        // Sums of rows in another order differ by their rounding, a sample by more than that.
        let apart = (number(own, "value") - number(all, "value")).abs();
        assert_eq!(apart < 1e-11, of == 3_000, "{name}: {apart}");
    }
    // A sample of everything is everything, to the last bit.
    assert_eq!(run(&["seven", "--key", "id", "--format", "json"]).json()["n"], 3_000);
    assert_eq!(run(&["seven", "--format", "json"]).json(), whole);
}

#[test]
fn a_bad_file_is_named_and_left_out_if_that_is_asked_for() {
    let place = Place::new();
    divided(&place, "rows", &lines(900), 30);
    let good = json(&place, &["estimate", "rows/part-00[0-2][0-9].csv"]);
    assert_eq!(good["n"], 900);
    let without = |file: &str, text: &str, said: &str| {
        let path = format!("rows/{file}");
        let before = fs::read(place.path(&path)).unwrap();
        place.write(&path, text);
        let Ran { status, stdout, stderr } = place.run(&["estimate", "rows"]);
        assert!(status == 2 && stdout.is_empty() && stderr.contains(said), "{stderr}");
        let ran = place.run(&[&["estimate", "rows", "--skip-bad-files"], &QUICK[..]].concat());
        assert_eq!(ran.json()["n"], 870, "{file}");
        assert!(ran.stderr.starts_with("note: 1 file of 30 left out\n"), "{}", ran.stderr);
        place.write(&path, before);
    };
    let bad_row = format!("{HEADER}\n1,0,0.5,1,north\n2,1,NaN,1,north\n");
    without("part-0017.csv", &bad_row, "rows/part-0017.csv, line 3, column p");
    without(
        "part-0003.csv",
        "id,y,w,site\n1,0,1,north\n",
        "rows/part-0003.csv: there is no column",
    );
    without("part-0000.csv", "", "rows/part-0000.csv: the file is empty");
    without("part-0029.csv", "\u{1f}\u{8b}not gzip", "rows/part-0029.csv");
    let empty = format!("{HEADER}\n");
    fs::create_dir(place.path("none")).unwrap();
    place.write("none/a.csv", &empty);
    place.write("none/b.csv", &empty);
    let ran = place.run(&["estimate", "none"]);
    assert_eq!(ran.stderr, "error: there are no rows in any of 2 files\n");
    // One of many may have none.
    place.write("rows/part-0099.csv", &empty);
    assert_eq!(json(&place, &["estimate", "rows"])["n"], 900);
}

#[test]
fn models_are_paired_by_key() {
    let place = Place::new();
    let rows = lines(600);
    divided(&place, "old", &rows, 1);
    let mut other: Vec<String> = rows
        .iter()
        .map(|row| {
            let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
            let p: f64 = cells[2].parse().unwrap();
            cells[2] = (0.2 + 0.6 * p).to_string();
            cells.join(",")
        })
        .collect();
    divided(&place, "new", &other, 1);
    other.reverse();
    divided(&place, "turned", &other, 5);
    let compare = |new: &str| {
        let words = ["compare", "old", new, "--key", "id", "--metric", "l1"];
        json(&place, &words)["differences"].clone()
    };
    let mut expected = compare("new");
    let mut found = compare("turned");
    for report in [&mut expected, &mut found] {
        report[0]["second"] = Value::Null;
    }
    assert_eq!(found, expected);
    divided(&place, "fewer", &other[1..], 2);
    let ran = place.run(&["compare", "old", "fewer", "--key", "id"]);
    assert!(ran.status == 2 && ran.stderr.contains("their keys differ"), "{ran:?}");
    let twice: Vec<String> =
        rows.iter().map(|row| format!("7{}", &row[row.find(',').unwrap()..])).collect();
    divided(&place, "twice", &twice, 1);
    let ran = place.run(&["estimate", "twice", "--key", "id"]);
    assert!(ran.stderr.starts_with("error: column id: two rows have the same value"), "{ran:?}");
}

#[test]
fn many_files_are_corrected_into_one() {
    let place = Place::new();
    let rows = lines(300);
    divided(&place, "one", &rows, 1);
    divided(&place, "many", &rows, 6);
    let fit = ["recalibrate", "fit", "many", "-o", "model.json", "--recalibrator", "affine"];
    assert_eq!(place.run(&fit).status, 0);
    for (input, output) in
        [("one/part-0000.csv", "a.csv"), ("many", "b.csv"), ("many", "b.parquet")]
    {
        let ran = place.run(&["recalibrate", "apply", "model.json", input, "-o", output]);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(read("a.csv"), read("b.csv"));
    assert_eq!(json(&place, &["estimate", "a.csv"]), json(&place, &["estimate", "b.parquet"]));
    // Nothing is left of an output that could not be finished.
    place.write("many/part-0005.csv", format!("{HEADER}\n1,0,high,1,north\n"));
    let ran = place.run(&["recalibrate", "apply", "model.json", "many", "-o", "c.csv"]);
    assert!(ran.status == 2 && ran.stderr.contains("part-0005.csv, line 2, column p"), "{ran:?}");
    assert!(!place.names().iter().any(|name| name.contains("c.csv") || name.starts_with('.')));
}
