//! Evidence that grows from run to run.

use std::fs;

use serde_json::Value;

use crate::common::{Place, Ran};

/// Rows of a model that is too sure, from one on.
fn rows(from: u32, to: u32) -> String {
    let row = |row: u32| {
        let p = if row.is_multiple_of(2) { 0.95 } else { 0.05 };
        let right = row % 10 < 7;
        let label = if right == (p > 0.5) { "yes" } else { "no" };
        format!("{label},{p},{}\n", 1.0 - p)
    };
    (from..to).map(row).collect()
}

const HEAD: &str = "label,p_yes,p_no\n";

fn run(place: &Place, file: &str, state: &str) -> (i32, Value) {
    let ran = place.run(&["monitor", file, "--state", state, "--format", "jsonl"]);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""), "{ran:?}");
    (ran.status, serde_json::from_str(&ran.stdout).unwrap())
}

#[test]
fn cut_in_any_way_the_evidence_is_the_same() {
    let place = Place::new();
    place.write("all.csv", HEAD.to_owned() + &rows(0, 300));
    let (status, whole) = run(&place, "all.csv", "whole.json");
    assert_eq!((status, &whole["rows"], &whole["crossed"]), (1, &300.into(), &true.into()));
    // A file that grows.
    place.write("log.csv", HEAD.to_owned() + &rows(0, 20));
    let (status, first) = run(&place, "log.csv", "grown.json");
    assert_eq!((status, &first["new"], &first["crossed"]), (0, &20.into(), &false.into()));
    place.write("log.csv", HEAD.to_owned() + &rows(0, 300));
    let (_, grown) = run(&place, "log.csv", "grown.json");
    assert_eq!((&grown["new"], &grown["e_value"]), (&280.into(), &whole["e_value"]));
    let (_, again) = run(&place, "log.csv", "grown.json");
    assert_eq!((&again["new"], &again["rows"]), (&0.into(), &300.into()));
    // Files of their own, and a pipe.
    place.write("a.csv", HEAD.to_owned() + &rows(0, 100));
    run(&place, "a.csv", "parts.json");
    let rest = HEAD.to_owned() + &rows(100, 300);
    let piped = ["monitor", "-", "--state", "parts.json", "--format", "jsonl"];
    let parts: Value = serde_json::from_str(&place.pipe(&piped, rest.as_bytes()).stdout).unwrap();
    assert_eq!((&parts["rows"], &parts["e_value"]), (&300.into(), &whole["e_value"]));
    let table = place.run(&["monitor", "all.csv", "--state", "whole.json"]);
    assert!(table.stdout.starts_with("all.csv: 0 new rows, 300 in all\n\ne-value "), "{table:?}");
    assert!(table.stdout.ends_with("crossed: the evidence against calibration has reached 20\n"));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_lost() {
    let place = Place::new();
    place.write("log.csv", HEAD.to_owned() + &rows(0, 50));
    run(&place, "log.csv", "state.json");
    let before = fs::read(place.path("state.json")).unwrap();
    let refused = |file: &str, said: &str| {
        let ran = place.run(&["monitor", file, "--state", "state.json"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
        assert_eq!(fs::read(place.path("state.json")).unwrap(), before);
    };
    place.write("log.csv", HEAD.to_owned() + &rows(1, 60));
    refused("log.csv", "log.csv: its first 50 rows are not those that were seen");
    place.write("log.csv", HEAD.to_owned() + &rows(0, 40));
    refused("log.csv", "its first 50 rows are not those that were seen");
    place.write("other.csv", "label,p_maybe,p_no\nno,0.5,0.5\n");
    refused("other.csv", "there is no column \"p_yes\"");
    place.write("third.csv", HEAD.to_owned() + "perhaps,0.5,0.5\n");
    refused("third.csv", "line 2");
    for (text, said) in [
        ("{", "it is no JSON"),
        ("{}", "it is no state of calipers monitor"),
        (r#"{"kind": "calipers monitor", "version": 9}"#, "it is of version 9, not 1"),
        (r#"{"kind": "calipers monitor", "version": 1, "classes": ["a"]}"#, "it is damaged"),
    ] {
        place.write("bad.json", text);
        let Ran { status, stderr, .. } = place.run(&["monitor", "log.csv", "--state", "bad.json"]);
        assert!(status == 2 && stderr.contains(said), "{stderr}");
        assert_eq!(fs::read_to_string(place.path("bad.json")).unwrap(), text);
    }
}
