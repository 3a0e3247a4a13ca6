//! Every option of every command does something, or is refused.
//!
//! The options are those that the help lists, so that a new one has to be tried here, too.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{Ran, place_of_options};

/// The words of a command that come before its options, and the options it is tried with. `out` stands
/// for what it writes.
type Base = (&'static str, &'static [&'static str], Flags);

/// Options with their values; a value that is empty is a flag, one that is [`AWAY`] is taken away.
/// What begins without dashes replaces one of the words before.
type Flags = &'static [(&'static str, &'static str)];

const AWAY: &str = "(away)";

const COLUMNS: [(&str, &str); 2] = [("--label", "label"), ("--probs", "p_0,p_1")];

const COMMANDS: &[Base] = &[
    (
        "estimate",
        &["estimate", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--metric", "l1,log")],
    ),
    (
        "check",
        &["check", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--max", "l1=0.5")],
    ),
    (
        "certify",
        &["certify", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--max", "l1=0.9")],
    ),
    (
        "compare",
        &["compare", "table.csv", "other.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--metric", "l1,log")],
    ),
    ("lm-eval", &["lm-eval", "runs"], &[("--recalibrator", "isotonic")]),
    ("inspect", &["inspect", "logs"], &[("--recalibrator", "isotonic")]),
    ("helm", &["helm", "helm"], &[("--recalibrator", "isotonic")]),
    (
        "monitor",
        &["monitor", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--state", "state.json"), ("--limit", "20")],
    ),
    (
        "report",
        &["report", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--output", "page.html")],
    ),
    (
        "plot",
        &["plot", "reliability", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--output", "figure.svg")],
    ),
    (
        "neighbours",
        &["neighbours", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--measure", "ece,smooth")],
    ),
    (
        "recalibrate fit",
        &["recalibrate", "fit", "table.csv"],
        &[COLUMNS[0], COLUMNS[1], ("--recalibrator", "isotonic"), ("--output", "new.json")],
    ),
    (
        "recalibrate apply",
        &["recalibrate", "apply", "model.json", "table.csv"],
        &[("--probs", "p_0,p_1"), ("--output", "corrected.csv")],
    ),
    ("simulate", &["simulate", "binary-over"], &[("--rows", "9"), ("--output", "drawn.csv")]),
    ("metrics", &["metrics"], &[]),
    ("recalibrators", &["recalibrators"], &[]),
    ("columns", &["columns"], &[]),
];

/// An option: what else is asked for without it and with it, and what is asked for with it alone.
type Trial = (&'static str, Flags, Flags);

/// How an option is tried, in every command that has it.
const TRIALS: &[Trial] = &[
    ("--label", &[], &[("--label", "truth")]),
    ("--probs", &[], &[("--probs", "prob_0,prob_1")]),
    ("--logits", &[("--probs", AWAY)], &[("--logits", "logit_0,logit_1")]),
    ("--classes", &[], &[("--classes", "1,0")]),
    ("--positive-class", &[("--probs", "p_1")], &[("--positive-class", "0")]),
    ("--renormalise", &[("table.csv", "rounded.csv")], &[("--renormalise", "")]),
    (
        "--confidence-column",
        &[("--probs", AWAY), ("--label", AWAY)],
        &[("--confidence-column", "p_1"), ("--correct-column", "label")],
    ),
    (
        "--correct-column",
        &[("--probs", AWAY), ("--label", AWAY)],
        &[("--confidence-column", "p_1"), ("--correct-column", "label")],
    ),
    ("--state", &[], &[("--state", "other.json")]),
    ("--limit", &[], &[("--limit", "1e9")]),
    ("--task", &[], &[("--task", "one")]),
    ("--model", &[], &[("--model", "m")]),
    ("--scorer", &[], &[("--scorer", "kind")]),
    ("--confidence-key", &[], &[("--confidence-key", "other")]),
    ("--leaderboard", &[], &[("--leaderboard", "")]),
    ("--weight", &[], &[("--weight", "weight")]),
    ("--group", &[], &[("--group", "group")]),
    ("--features", &[], &[("--features", "group,id")]),
    ("--cluster", &[("--folds", "2")], &[("--cluster", "group")]),
    ("--time", &[], &[("--time", "id")]),
    ("--best", &[("--recalibrator", "auto")], &[("--best", "none")]),
    ("--assume", &[], &[("--assume", "monotone")]),
    ("--metric", &[], &[("--metric", "brier")]),
    ("--max", &[], &[("--max", "l1=0.01")]),
    ("--max-worse", &[], &[("--max-worse", "l1=0.01")]),
    ("--recalibrator", &[], &[("--recalibrator", "temperature")]),
    ("--preserve", &[], &[("--preserve", "ranking")]),
    ("--binary", &[], &[("--binary", "vector")]),
    ("--log-floor", &[], &[("--log-floor", "1e-6")]),
    ("--confidence", &[], &[("--confidence", "0.6")]),
    ("--draws", &[], &[("--draws", "9")]),
    ("--test", &[], &[("--test", "refit")]),
    ("--bracket", &[], &[("--bracket", "")]),
    ("--folds", &[], &[("--folds", "3")]),
    ("--fold-column", &[], &[("--fold-column", "fold")]),
    ("--repeats", &[], &[("--repeats", "2")]),
    ("--seed", &[], &[("--seed", "1")]),
    ("--decompose", &[], &[("--decompose", "")]),
    ("--format", &[], &[("--format", "json")]),
    ("--timings", &[], &[("--timings", "")]),
    ("--verbose", &[("--recalibrator", "auto")], &[("--verbose", "")]),
    ("--junit", &[], &[("--junit", "outcome.xml")]),
    ("--output", &[], &[("--output", "-")]),
    ("--class", &[], &[("--class", "0")]),
    ("--bins", &[], &[("--bins", "")]),
    ("--measure", &[], &[("--measure", "smooth")]),
    ("--rows", &[], &[("--rows", "10")]),
    ("--sample", &[], &[("--sample", "100")]),
    // A sample by keys is of other rows than one by places.
    ("--key", &[("--sample", "100")], &[("--key", "id")]),
];

/// Where a command needs something else to show it.
const ELSEWHERE: &[(&str, Trial)] = &[
    ("neighbours", ("--draws", &[("--measure", "skce")], &[("--draws", "9")])),
    (
        "neighbours",
        ("--seed", &[("--measure", "skce"), ("table.csv", "few.csv")], &[("--seed", "1")]),
    ),
    ("plot", ("--cluster", &[], &[("--cluster", "group")])),
    ("monitor", ("--format", &[], &[("--format", "jsonl")])),
    ("monitor", ("--classes", &[], &[("--classes", "1,0")])),
    ("lm-eval", ("--log-floor", &[("--metric", "log")], &[("--log-floor", "1e-6")])),
    ("lm-eval", ("--output", &[], &[("--output", "page.html")])),
    ("inspect", ("--log-floor", &[("--metric", "log")], &[("--log-floor", "1e-6")])),
    ("inspect", ("--output", &[("--model", "m")], &[("--output", "page.html")])),
    ("helm", ("--log-floor", &[("--metric", "log")], &[("--log-floor", "1e-6")])),
    ("helm", ("--output", &[("--model", "m")], &[("--output", "page.html")])),
    ("certify", ("--log-floor", &[("--max", "log=9")], &[("--log-floor", "1e-6")])),
    ("check", ("--log-floor", &[("--max", "log=9")], &[("--log-floor", "1e-6")])),
    // The g of a reliability diagram is fitted to all rows: folds are refused there.
    ("plot", ("--folds", &[("reliability", "contribution")], &[("--folds", "3")])),
    ("plot", ("--fold-column", &[("reliability", "contribution")], &[("--fold-column", "fold")])),
    ("plot", ("--repeats", &[("reliability", "contribution")], &[("--repeats", "2")])),
    // Little is left to chance where nothing is drawn.
    ("recalibrate fit", ("--seed", &[("--recalibrator", "boost")], &[("--seed", "1")])),
    // The table is tried below, among what is refused.
    ("compare", ("--group", &[("--format", "json")], &[("--group", "group")])),
];

/// What is refused, and what is said: a reason, and where to go.
const REFUSED: &[(&str, Flags, &str)] = &[
    ("compare", &[("--group", "group")], "error: --group: "),
    ("compare", &[("--format", "csv")], "error: --format: "),
    ("lm-eval", &[("--format", "csv")], "error: --format: "),
    ("monitor", &[("--weight", "weight")], "error: --weight: "),
    ("monitor", &[("--group", "group")], "error: --group: "),
    ("monitor", &[("--limit", "1")], "error: --limit 1: "),
    ("lm-eval", &[("--fold-column", "fold")], "error: --fold-column: "),
    ("lm-eval", &[("--cluster", "group")], "error: --cluster: "),
    ("lm-eval", &[("--time", "id")], "error: --time: "),
    ("lm-eval", &[("--output", "-")], "error: --output: "),
    ("inspect", &[("--fold-column", "fold")], "error: --fold-column: "),
    ("inspect", &[("--cluster", "group")], "error: --cluster: "),
    ("inspect", &[("--time", "id")], "error: --time: "),
    ("inspect", &[("--output", "-")], "error: --output: "),
    ("inspect", &[("--output", "page.html")], "error: --output: "),
    ("inspect", &[("--binary", "vector")], "error: --binary vector: "),
    ("helm", &[("--fold-column", "fold")], "error: --fold-column: "),
    ("helm", &[("--cluster", "group")], "error: --cluster: "),
    ("helm", &[("--time", "id")], "error: --time: "),
    ("helm", &[("--binary", "vector")], "error: --binary vector: "),
    ("lm-eval", &[("--task", "three")], "error: --task three: "),
    ("certify", &[("--group", "group")], "error: --group: "),
    ("certify", &[("--weight", "weight")], "error: --weight: "),
    ("certify", &[("--cluster", "group")], "error: --cluster: "),
    ("certify", &[("--time", "id")], "error: --time: "),
    ("plot", &[("--group", "group")], "error: --group: "),
    ("plot", &[("--folds", "3")], "error: --folds, --fold-column, --repeats: "),
    ("plot", &[("--fold-column", "fold")], "error: --folds, --fold-column, --repeats: "),
    ("plot", &[("--repeats", "2")], "error: --folds, --fold-column, --repeats: "),
    ("plot", &[("reliability", "contribution"), ("--class", "0")], "error: --class: "),
    ("plot", &[("reliability", "contribution"), ("--bins", "")], "error: --bins: "),
    ("neighbours", &[("--group", "group")], "error: --group: "),
    ("neighbours", &[("--weight", "weight")], "error: --weight: "),
    ("neighbours", &[("table.csv", AWAY)], "error: --label: there is no file to measure"),
    ("recalibrate fit", &[("--group", "group")], "error: --group: "),
    ("recalibrate fit", &[("--features", "id"), ("--preserve", "ranking")], "error: --preserve: "),
    ("estimate", &[("--features", "id"), ("--key", "id")], "error: --features: "),
    ("report", &[("--features", "id"), ("--sample", "100")], "error: --features: "),
    ("check", &[("--max", "given-features-l1=0.5")], "error: --max given-features-l1: "),
    ("estimate", &[("--decompose", ""), ("--format", "csv")], "error: --decompose: "),
    ("estimate", &[("--renormalise", ""), ("--probs", "p_1")], "error: --renormalise: "),
];

/// What changes nothing here, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("--help", "it is where the options are from"),
    ("--config", "it is about another file, which config.rs looks at"),
    ("--no-config", "as above"),
    ("--index", "it is about many models, which report.rs looks at"),
    ("--models", "it is about several models in one file, which models.rs looks at"),
    ("--models-are-logits", "as above"),
    ("--model-column", "as above"),
    ("--memory", "it decides where rows do not fit, which stream.rs looks at"),
    ("--skip-bad-files", "it is about bad files, which stream.rs looks at"),
    ("--threads", "the digits are the same on any number of threads"),
    ("--plain", "it leaves out what only a terminal gets, which environment/terminal.rs looks at"),
];

/// What a run leaves behind: its status, what it said, and the files it wrote.
#[derive(Debug, PartialEq)]
struct Left {
    status: i32,
    said: [String; 2],
    files: BTreeMap<String, Vec<u8>>,
}

fn line(words: &[&str], base: Flags, changes: &[Flags]) -> Vec<String> {
    let mut words: Vec<&str> = words.to_vec();
    let mut flags: Vec<(&str, &str)> = base.to_vec();
    for (flag, value) in changes.iter().copied().flatten().copied() {
        if flag.starts_with("--") {
            flags.retain(|(other, _)| *other != flag);
            flags.extend((value != AWAY).then_some((flag, value)));
        } else {
            let place = words.iter().position(|word| *word == flag).unwrap();
            words.splice(place..=place, (value != AWAY).then_some(value));
        }
    }
    let flags = flags.iter().flat_map(|(flag, value)| [*flag, *value]);
    words.into_iter().chain(flags).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn left(line: &[String]) -> Left {
    let place = place_of_options();
    let before = place.names();
    let Ran { status, stdout, stderr } =
        place.run(&line.iter().map(String::as_str).collect::<Vec<_>>());
    let new = place.names().into_iter().filter(|name| !before.contains(name));
    let files = new.map(|name| {
        let bytes = fs::read(place.path(&name)).unwrap();
        (name, undated(bytes))
    });
    let files = files.collect();
    let stdout = String::from_utf8(undated(stdout.into_bytes())).unwrap();
    Left { status, said: [stdout, stderr], files }
}

/// A page says when it was made, and how long that took.
fn undated(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(bytes.clone()) else { return bytes };
    match text.split_once("<dt>made at</dt>") {
        None => bytes,
        Some((before, after)) => {
            let (_, after) = after.split_once("</dl>").unwrap();
            format!("{before}{after}").into_bytes()
        }
    }
}

/// The long names of a command's options, from its help.
fn options(words: &[&str]) -> Vec<String> {
    let place = place_of_options();
    let commands = if words[0] == "recalibrate" { 2 } else { 1 };
    let help = place.run(&[&words[..commands], &["--help"]].concat());
    let named = |line: &str| {
        let line = line.trim_start();
        let long = if line.starts_with("--") { Some(line) } else { line.get(4..) };
        let long = long.filter(|long| long.starts_with("--") && line.starts_with('-'))?;
        let long = Some(long).filter(|long| !long.starts_with("---"))?;
        Some(long.split([' ', ',']).next()?.to_owned())
    };
    let found: Vec<String> = help.stdout.lines().filter_map(named).collect();
    assert!(found.contains(&"--help".to_owned()), "{}", help.stdout);
    found
}

#[test]
fn every_option_of_every_command_changes_something() {
    let (mut tried, mut idle) = (0, Vec::new());
    for (command, words, base) in COMMANDS {
        for option in options(words) {
            if EXCEPTIONS.iter().any(|(name, _)| *name == option) {
                continue;
            }
            let own = ELSEWHERE.iter().find(|(of, one)| of == command && one.0 == option);
            let trial =
                own.map(|(_, one)| one).or_else(|| TRIALS.iter().find(|one| one.0 == option));
            let Some((_, both, with)) = trial else {
                panic!("calipers {command} {option} is tried nowhere: add it to the tables here")
            };
            let refused = |(of, flags, _): &&(&str, Flags, &str)| of == command && flags == with;
            if own.is_none() && REFUSED.iter().any(|one| refused(&one)) {
                continue;
            }
            let (without, with) = (line(words, base, &[both]), line(words, base, &[both, with]));
            let (before, after) = (left(&without), left(&with));
            if after.status == 2 || before == after {
                idle.push(format!("calipers {}: {:?}", with.join(" "), after.said));
            }
            tried += 1;
        }
    }
    assert!(idle.is_empty(), "these are refused, or change nothing: {idle:#?}");
    assert!(tried > 80, "{tried}");
}

/// Else any difference above would prove nothing.
#[test]
fn without_another_option_nothing_changes() {
    for (_, words, base) in COMMANDS {
        let line = line(words, base, &[]);
        let first = left(&line);
        // 1 is a finding.
        assert!(first.status < 2, "{line:?}: {first:?}");
        assert_eq!(first, left(&line), "{line:?}");
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    for (command, flags, said) in REFUSED {
        let (_, words, base) = COMMANDS.iter().find(|(name, ..)| name == command).unwrap();
        let left = left(&line(words, base, &[flags]));
        assert_eq!(left.status, 2, "{command} {flags:?}: {left:?}");
        assert!(left.said[1].contains(said), "{command} {flags:?}: {left:?}");
        assert!(left.said[0].is_empty() && left.files.is_empty(), "{command} {flags:?}");
    }
}

/// What is left out for a reason is there.
#[test]
fn the_exceptions_are_options() {
    let all: Vec<String> = COMMANDS.iter().flat_map(|(_, words, _)| options(words)).collect();
    for (name, _) in
        EXCEPTIONS.iter().chain(&TRIALS.iter().map(|one| (one.0, "")).collect::<Vec<_>>())
    {
        assert!(all.contains(&(*name).to_owned()), "{name}");
    }
}
