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
    place.write("fourth.csv", "label,p_yes\n");
    refused("fourth.csv", "fourth.csv: there is no column \"p_no\"");
    for (text, said) in [
        ("{", "it is no JSON"),
        ("{}", "it is no state of calipers monitor"),
        (r#"{"kind": "calipers monitor", "version": 1}"#, "it is of version 1, not 2"),
        (r#"{"kind": "calipers monitor", "version": 2, "begun": {}}"#, "it is damaged"),
    ] {
        place.write("bad.json", text);
        let Ran { status, stderr, .. } = place.run(&["monitor", "log.csv", "--state", "bad.json"]);
        assert!(status == 2 && stderr.contains(said), "{stderr}");
        assert_eq!(fs::read_to_string(place.path("bad.json")).unwrap(), text);
    }
}

/// However a file is called, its rows are bet on once.
#[test]
fn rows_count_once_however_the_path_is_spelt() {
    let place = Place::new();
    let here = place.write("a.csv", HEAD.to_owned() + &rows(0, 30));
    fs::create_dir(place.path("deep")).unwrap();
    let (_, first) = run(&place, "a.csv", "s.json");
    assert_eq!((&first["new"], &first["rows"]), (&30.into(), &30.into()));
    for path in ["./a.csv", "deep/../a.csv", here.to_str().unwrap()] {
        for state in ["s.json", "deep/../s.json"] {
            let (_, again) = run(&place, path, state);
            assert_eq!((&again["new"], &again["rows"]), (&0.into(), &30.into()), "{path}");
        }
    }
    let mut below = place.command(&["monitor", "../a.csv", "--state=../s.json", "--format=jsonl"]);
    let below = Ran::from(below.current_dir(place.path("deep")).output().unwrap());
    assert!(below.stdout.contains("\"new\":0"), "{below:?}");
    // Nor by a copy, or by a file that goes on where another one ended.
    let before = fs::read(place.path("s.json")).unwrap();
    place.write("copy.csv", HEAD.to_owned() + &rows(0, 40));
    let copy = place.run(&["monitor", "copy.csv", "--state", "s.json"]);
    assert_eq!((copy.status, copy.stdout.as_str()), (2, ""), "{copy:?}");
    let said = "error: copy.csv: it begins with the 30 rows that were seen in a.csv\nhint: ";
    assert!(copy.stderr.starts_with(said), "{copy:?}");
    assert_eq!(fs::read(place.path("s.json")).unwrap(), before);
}

/// Folder and state can be moved together.
#[test]
fn a_state_finds_its_files_where_both_were_moved_to() {
    let place = Place::new();
    fs::create_dir(place.path("one")).unwrap();
    place.write("one/a.csv", HEAD.to_owned() + &rows(0, 30));
    run(&place, "one/a.csv", "one/s.json");
    fs::rename(place.path("one"), place.path("two")).unwrap();
    assert_eq!(run(&place, "two/a.csv", "two/s.json").1["new"], 0);
}

#[test]
fn what_the_state_was_begun_with_holds_for_later_runs() {
    let place = Place::new();
    let single = |from: u32, to: u32| -> String {
        let lines = rows(from, to).replace("yes", "1").replace("no", "0");
        "label,y,p,z\n".to_owned()
            + &lines
                .lines()
                .map(|line| line.split(',').collect::<Vec<_>>())
                .map(|cells| format!("{0},{0},{1},{2}\n", cells[0], cells[1], cells[2]))
                .collect::<String>()
    };
    place.write("a.csv", single(0, 20));
    place.write("b.csv", single(21, 40));
    let first = ["--label", "label", "--logits", "z"];
    let all = |file: &'static str, state: &'static str, options: &[&'static str]| {
        let base = ["monitor", file, "--state", state, "--format", "jsonl"];
        place.run(&[&base[..], options].concat())
    };
    assert!(all("a.csv", "typed.json", &first).status < 2);
    assert!(all("a.csv", "short.json", &first).status < 2);
    // Without a word it is read as before.
    let typed = all("b.csv", "typed.json", &first);
    let short = all("b.csv", "short.json", &[]);
    assert_eq!((typed.status, &typed.stdout), (short.status, &short.stdout), "{short:?}");
    assert!(short.status < 2 && short.stdout.contains("\"new\":19"), "{short:?}");
    let begun = "the state short.json was begun with";
    for (options, said) in [
        (&["--probs", "z"][..], format!("--probs z: {begun} --logits z")),
        (&["--logits", "p"], format!("--logits p: {begun} --logits z")),
        (&["--label", "y"], format!("--label y: {begun} --label label")),
        (&["--positive-class", "0"], format!("--positive-class 0: {begun} the classes 0,1")),
        (&["--classes", "1,0"], format!("--classes 1,0: {begun} the classes 0,1")),
        (
            &["--confidence-column", "p", "--correct-column", "y"],
            format!("--confidence-column p: {begun} --logits z"),
        ),
    ] {
        let ran = all("b.csv", "short.json", options);
        assert_eq!(ran.status, 2, "{options:?}: {ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: {said}\nhint: ")), "{said}: {ran:?}");
    }
    // What is said again as it was is heard.
    let same = ["--classes", "0,1", "--label", "label"];
    assert!(all("b.csv", "short.json", &same).status < 2);
    // Rows that are divided by their sums are so in every run.
    let off = |from, to| HEAD.to_owned() + &rows(from, to).replace("0.95", "0.9");
    place.write("off.csv", off(0, 20));
    place.write("more.csv", off(21, 40));
    assert_eq!(all("off.csv", "plain.json", &[]).status, 2);
    assert!(all("off.csv", "divided.json", &["--renormalise"]).status < 2);
    assert!(all("more.csv", "divided.json", &[]).status < 2);
    place.write("c.csv", HEAD.to_owned() + &rows(0, 20));
    assert!(all("c.csv", "plain.json", &[]).status < 2);
    let ran = all("more.csv", "plain.json", &["--renormalise"]);
    assert!(
        ran.status == 2 && ran.stderr.starts_with("error: --renormalise: the state "),
        "{ran:?}"
    );
}

/// A confidence and whether it was right go on as such.
#[test]
fn a_confidence_stays_one() {
    let place = Place::new();
    let lines = |from, to| rows(from, to).replace("yes", "1").replace("no", "0");
    let head = "right,sure,other\n";
    place.write("a.csv", head.to_owned() + &lines(0, 20));
    place.write("b.csv", head.to_owned() + &lines(21, 40));
    let said = ["--confidence-column", "sure", "--correct-column", "right"];
    let base = |file, state| ["monitor", file, "--state", state, "--format", "jsonl"];
    for state in ["typed.json", "short.json"] {
        assert!(place.run(&[&base("a.csv", state)[..], &said].concat()).status < 2);
    }
    let typed = place.run(&[&base("b.csv", "typed.json")[..], &said].concat());
    let short = place.run(&base("b.csv", "short.json"));
    assert!(short.status < 2 && short.stdout.contains("\"new\":19"), "{short:?}");
    assert_eq!((typed.status, typed.stdout), (short.status, short.stdout));
    let other = place.run(&[&base("b.csv", "short.json")[..], &["--label", "right"]].concat());
    let begun = "the state short.json was begun with --correct-column right";
    assert!(other.stderr.starts_with(&format!("error: --label right: {begun}")), "{other:?}");
}

#[test]
fn one_run_at_a_time_holds_a_state() {
    let place = Place::new();
    place.write("a.csv", HEAD.to_owned() + &rows(0, 20));
    // What a run that was killed leaves behind.
    let lock = fs::File::create(place.path("s.json.lock")).unwrap();
    assert_eq!(run(&place, "a.csv", "s.json").1["new"], 20);
    lock.try_lock().unwrap();
    place.write("b.csv", HEAD.to_owned() + &rows(21, 40));
    let before = fs::read(place.path("s.json")).unwrap();
    let ran = place.run(&["monitor", "b.csv", "--state", "./s.json"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("error: --state ./s.json: another run holds it\n"), "{ran:?}");
    assert_eq!(fs::read(place.path("s.json")).unwrap(), before);
    lock.unlock().unwrap();
    assert_eq!(run(&place, "b.csv", "s.json").1["rows"], 39);
}

#[test]
fn a_batch_without_rows_is_none() {
    let place = Place::new();
    place.write("empty.csv", HEAD);
    let first = place.run(&["monitor", "empty.csv", "--state", "s.json"]);
    assert!(first.status == 2 && first.stderr.contains("there are no rows"), "{first:?}");
    place.write("a.csv", HEAD.to_owned() + &rows(0, 20));
    run(&place, "a.csv", "s.json");
    let (status, none) = run(&place, "empty.csv", "s.json");
    assert_eq!((status, &none["new"], &none["rows"]), (0, &0.into(), &20.into()));
    let piped = place.pipe(&["monitor", "-", "--state", "s.json"], HEAD.as_bytes());
    assert!(piped.stdout.starts_with("standard input: 0 new rows, 20 in all\n"), "{piped:?}");
    place.write("rest.csv", HEAD.to_owned() + &rows(21, 300));
    assert_eq!(run(&place, "rest.csv", "s.json").0, 1);
    assert_eq!(run(&place, "empty.csv", "s.json").0, 1);
    // What was seen of a file has to be there.
    place.write("a.csv", HEAD);
    let gone = place.run(&["monitor", "a.csv", "--state", "s.json"]);
    assert!(gone.stderr.contains("its first 20 rows are not those that were seen"), "{gone:?}");
}

#[test]
fn one_row_is_not_many() {
    let place = Place::new();
    place.write("a.csv", HEAD.to_owned() + &rows(0, 1));
    let ran = place.run(&["monitor", "a.csv", "--state", "s.json"]);
    assert!(ran.stdout.starts_with("a.csv: 1 new row, 1 in all\n"), "{ran:?}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    use super::*;

    /// What can be read once is read once.
    #[test]
    fn a_named_pipe_is_new_every_time() {
        let place = Place::new();
        assert!(Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
        for (from, to) in [(0, 20), (20, 40)] {
            let path = place.path("pipe.csv");
            let text = HEAD.to_owned() + &rows(from, to);
            let writer = std::thread::spawn(move || fs::write(path, text).unwrap());
            let (_, told) = run(&place, "pipe.csv", "s.json");
            writer.join().unwrap();
            assert_eq!((&told["new"], &told["rows"]), (&20.into(), &to.into()));
        }
        assert!(!fs::read_to_string(place.path("s.json")).unwrap().contains("pipe.csv"));
    }

    #[test]
    fn a_private_state_stays_private() {
        let place = Place::new();
        place.write("a.csv", HEAD.to_owned() + &rows(0, 20));
        run(&place, "a.csv", "s.json");
        let path = place.path("s.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        run(&place, "a.csv", "s.json");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    /// A run that could not say what it found can be tried again.
    #[test]
    fn what_cannot_be_said_is_not_saved() {
        let place = Place::new();
        let Ok(full) = fs::File::options().write(true).open("/dev/full") else { return };
        place.write("a.csv", HEAD.to_owned() + &rows(0, 20));
        let mut run = place.command(&["monitor", "a.csv", "--state", "s.json"]);
        let ran = run.stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(3), "{ran:?}");
        assert!(!place.path("s.json").exists());
    }

    /// The status and the state are what a run is for, also where nobody reads what it prints.
    #[test]
    fn a_closed_pipe_hides_no_finding() {
        let place = Place::new();
        place.write("a.csv", HEAD.to_owned() + &rows(0, 300));
        for args in [
            &["monitor", "a.csv", "--state", "s.json"][..],
            &["check", "a.csv", "--max", "l1=0.01", "--recalibrator", "temperature"],
        ] {
            let mut command = place.command(args);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            drop(child.stdout.take());
            assert_eq!(child.wait().unwrap().code(), Some(1), "{args:?}");
        }
        assert!(place.path("s.json").exists());
    }
}
