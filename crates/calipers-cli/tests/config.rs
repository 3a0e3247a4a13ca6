//! `calipers.toml`: what it says counts as if it had been typed, and what is typed wins.

use std::fs;

use crate::common::{Place, Ran, place_of_options};

/// A project whose file says which columns hold what, and what may not be exceeded.
const PROJECT: &str = r#"
label = "label"
probs = ["p_0", "p_1"]
recalibrator = "isotonic"

[check]
files = ["table.csv"]
max = { top-l1 = 0.5, l1 = 0.4 }
junit = "outcome.xml"

[estimate]
metric = "brier"
timings = false
"#;

fn project(text: &str) -> Place {
    let place = place_of_options();
    place.write("calipers.toml", text);
    place
}

/// A run's output, without the notes that say where its options are from.
fn silent(ran: &Ran) -> (i32, &str, String) {
    let lines: Vec<&str> =
        ran.stderr.lines().filter(|line| !line.starts_with("note: calipers.toml")).collect();
    (ran.status, &ran.stdout, lines.join("\n"))
}

#[test]
fn a_check_without_flags_is_the_one_that_the_file_describes() {
    let place = project(PROJECT);
    let short = place.run(&["check"]);
    let xml = fs::read_to_string(place.path("outcome.xml")).unwrap();
    let long = place.run(&[
        "check",
        "--no-config",
        "table.csv",
        "--label=label",
        "--probs=p_0,p_1",
        "--recalibrator=isotonic",
        "--max=top-l1=0.5,l1=0.4",
        "--junit=typed.xml",
    ]);
    assert_eq!(long.stderr, "");
    assert_eq!(silent(&short), silent(&long));
    assert_eq!(fs::read_to_string(place.path("typed.xml")).unwrap(), xml);
    assert_eq!(
        short.stderr,
        "note: calipers.toml adds --label=label --probs=p_0 --probs=p_1 --recalibrator=isotonic \
         --max=top-l1=0.5 --max=l1=0.4 --junit=outcome.xml table.csv\n"
    );
}

#[test]
fn what_is_typed_wins_with_all_that_goes_against_the_file() {
    let place = project(PROJECT);
    for (typed, added) in [
        (
            vec!["check", "other.csv", "--max", "brier=0.9"],
            "--label=label --probs=p_0 --probs=p_1 --recalibrator=isotonic --junit=outcome.xml",
        ),
        (
            vec!["estimate", "table.csv", "--logits", "logit_0,logit_1"],
            "--label=label --recalibrator=isotonic --metric=brier",
        ),
        (
            vec!["estimate", "table.csv", "--confidence-column=p_1", "--correct-column=label"],
            "--recalibrator=isotonic --metric=brier",
        ),
    ] {
        let ran = place.run(&typed);
        let note = format!("note: calipers.toml adds {added}\n");
        assert!(ran.status < 2 && ran.stderr.starts_with(&note), "{typed:?}: {ran:?}");
        let words: Vec<&str> = typed.iter().copied().chain(added.split(' ')).collect();
        let all = place.run(&[&words[..], &["--no-config"]].concat());
        assert_eq!(silent(&ran), silent(&all), "{typed:?}");
    }
}

/// The file's half of a pair that belongs together counts, too.
#[test]
fn half_of_what_belongs_together_may_be_in_the_file() {
    let place = project("correct-column = \"label\"\nrecalibrator = \"isotonic\"\n");
    let ran = place.run(&["estimate", "table.csv", "--confidence-column", "p_1"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stderr.contains("adds --correct-column=label"), "{ran:?}");
}

#[test]
fn the_nearest_file_above_counts_and_its_paths_start_there() {
    let place = project(PROJECT);
    fs::create_dir_all(place.path("deep/deeper")).unwrap();
    let below = |args: &[&str]| {
        let mut command = place.command(args);
        Ran::from(command.current_dir(place.path("deep/deeper")).output().unwrap())
    };
    let ran = below(&["check"]);
    assert!(ran.stderr.starts_with("note: ../../calipers.toml adds "), "{ran:?}");
    assert!(ran.stdout.starts_with("../../table.csv: 240 rows"), "{ran:?}");
    assert!(place.path("outcome.xml").exists());
    place.write("deep/calipers.toml", "[check]\nfiles = \"../few.csv\"\nmax.l1 = 1\n");
    let ran = below(&["check", "--label=label", "--probs=p_0,p_1"]);
    assert!(ran.stdout.starts_with("../../few.csv: 12 rows"), "{ran:?}");
    let named = below(&["check", "--config=../../calipers.toml"]);
    assert!(named.stdout.starts_with("../../table.csv: 240 rows"), "{named:?}");
}

/// A table of a command says more than the top of the file.
#[test]
fn a_command_has_its_own() {
    let place = project(
        "probs = [\"p_0\", \"p_1\"]\nseed = 1\nrenormalise = true\n[recalibrate.fit]\nseed = 2\n",
    );
    let ran = place.run(&["recalibrate", "fit", "rounded.csv", "--label=label", "-o", "new.json"]);
    let note = "note: calipers.toml adds --probs=p_0 --probs=p_1 --renormalise --seed=2\n";
    assert!(ran.status == 0 && ran.stderr.starts_with(note), "{ran:?}");
    let ran = place.run(&["metrics"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "it has no such options");
}

#[test]
fn what_is_wrong_with_the_file_is_said_with_its_line() {
    for (text, said) in [
        (
            "label = \"y\"\nlables = 1\n",
            "line 2: lables is no option of any command\nhint: did you mean label?",
        ),
        ("[check]\nmetric = \"l1\"\n", "line 2: metric is no option of check\n"),
        ("[chekc]\nmax.l1 = 1\n", "line 1: chekc is no option of any command\n"),
        ("config = \"other.toml\"\n", "line 1: config is no option of any command\n"),
        ("\nlabel = \n", "line 2: "),
        ("label = 2026-01-31\n", "line 1: label: expected text, a number, "),
        ("max = [[1]]\n", "line 1: max: expected text, a number, "),
        ("renormalise = \"no\"\n", "line 1: renormalise: expected true or false\n"),
        ("seed = 1\nseed = 2\n", "line 2: duplicate key"),
    ] {
        let place = project(text);
        let ran = place.run(&["check", "table.csv", "--max=l1=0.5"]);
        assert_eq!(ran.status, 2, "{text}: {ran:?}");
        let whole = format!("error: calipers.toml: {said}");
        assert!(ran.stderr.starts_with(&whole), "{text}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
        let help = place.run(&["check", "--help"]);
        assert_eq!(help.status, 0, "{text}: {help:?}");
    }
}

/// What the documentation shows is what it says it is.
#[test]
fn the_example_of_the_documentation_is_read() {
    let text = include_str!("../../../docs/config.md");
    let example = text.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    let ran = project(example).run(&["check"]);
    assert_eq!(
        ran.stderr,
        "note: calipers.toml adds --label=outcome --probs=p_no --probs=p_yes --cluster=patient \
         --max=l1=0.02 --max=top-over-l1=0.01 --group=site --junit=calibration.xml \
         predictions.parquet\nerror: cannot read predictions.parquet: no such file or directory\n"
    );
}

/// A value that an option refuses is refused in its words, behind where it is from.
#[test]
fn values_are_refused_by_the_options() {
    let place = project("seed = \"many\"\n");
    let ran = place.run(&["check", "table.csv", "--max=l1=0.5"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    let mut lines = ran.stderr.lines();
    assert_eq!(lines.next(), Some("note: calipers.toml adds --seed=many"));
    assert!(lines.next().unwrap().starts_with("error: invalid value 'many' for '--seed <S>'"));
    let ran = place.run(&["metrics", "--config", "nowhere.toml"]);
    let said = "error: nowhere.toml: cannot be read: no such file or directory\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, said));
}

/// What separates values when they are typed is part of a list's item.
#[test]
fn an_item_of_a_list_is_whole() {
    let place = Place::new();
    let lines: String = (0..40_u32)
        .map(|row| {
            let p = f64::from(row + 1) / 42.0;
            format!("{},{},{p}\n", ["no", "yes"][(row * row % 7 < 4) as usize], 1.0 - p)
        })
        .collect();
    place.write("a.csv", "label,\"p,no\",\"p,yes\"\n".to_owned() + &lines);
    place.write("b.csv", "label,p_no,p_yes\n".to_owned() + &lines);
    place.write("calipers.toml", "probs = [\"p,no\", \"p,yes\"]\nclasses = [\"no\", \"yes\"]\n");
    let quick = ["--recalibrator", "temperature", "--format", "csv"];
    let ran = place.run(&[&["estimate", "a.csv"], &quick[..]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    // A text is as it would be typed, and so is what is typed.
    place.write("calipers.toml", "probs = \"p_no,p_yes\"\n");
    let text = place.run(&[&["estimate", "b.csv"], &quick[..]].concat());
    assert_eq!((text.status, &text.stdout), (0, &ran.stdout), "{text:?}");
    place.write("calipers.toml", "metric = [\"l1\"]\n");
    let typed = ["estimate", "b.csv", "--probs", "p_no,p_yes"];
    let typed = place.run(&[&typed[..], &quick].concat());
    assert_eq!(typed.status, 0, "{typed:?}");
}

/// Numbers of every base are numbers.
#[test]
fn a_number_in_another_base_is_one() {
    let place = project("[simulate]\nseed = 0x1_0\n");
    let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", "-"]);
    assert_eq!(ran.stderr, "note: calipers.toml adds --seed=16\n");
    let typed = ["simulate", "binary-over", "-n", "2", "-o", "-", "--seed", "16", "--no-config"];
    assert_eq!(ran.stdout, place.run(&typed).stdout);
}

/// What only describes the program does so beside any file.
#[test]
fn a_broken_file_keeps_no_command_from_describing_the_program() {
    let place = project("this is no TOML");
    for args in [
        &["completions", "bash"][..],
        &["man"],
        &["schema"],
        &["metrics"],
        &["recalibrators"],
        &["columns"],
    ] {
        let ran = place.run(args);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{args:?}: {ran:?}");
        let named = place.run(&[args, &["--config", "calipers.toml"]].concat());
        assert_eq!(named.status, 2, "{args:?}: {named:?}");
    }
}

#[test]
fn limits_that_no_longer_count_are_said() {
    let place = project(PROJECT);
    let ran = place.run(&["check", "--max", "brier=0.9"]);
    let last = ran.stderr.lines().nth(1);
    let note = "note: calipers.toml's max is replaced by what is typed, all of it";
    assert_eq!(last, Some(note), "{ran:?}");
}
