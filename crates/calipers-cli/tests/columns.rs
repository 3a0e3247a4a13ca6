//! The flags that name columns; what the columns mean is tested in `calipers-files`.

use crate::common::{Place, Ran, delimited};

/// The rows under other names, with a weight, a group and a fold each.
fn table(place: &Place) {
    let mut text = "truth,a,b,c,w,site,part\n".to_owned();
    for (row, line) in delimited(",", "\n").lines().skip(1).enumerate() {
        text.push_str(&format!("{line},{},site {},{}\n", row % 3, row % 2, row % 4));
    }
    place.write("table.csv", text);
}

#[test]
fn every_flag_names_its_columns() {
    let place = Place::new();
    table(&place);
    let named = ["--label", "truth", "--probs", "a,b,c"];
    let report = |more: &[&str]| place.estimate("table.csv", &[&named[..], more].concat());
    let plain = report(&[]);
    assert_eq!((&plain["n"], &plain["folds"]), (&60.into(), &5.into()));
    assert_ne!(report(&["--weight", "w"])["metrics"], plain["metrics"]);
    let grouped = report(&["--group", "site"]);
    assert_eq!(grouped["metrics"], plain["metrics"]);
    assert!(grouped["groups"].is_object(), "{grouped}");
    assert_eq!(report(&["--fold-column", "part"])["folds"], 4);
    let logits = place.estimate("table.csv", &["--label", "truth", "--logits", "a,b,c"]);
    assert_ne!(logits["metrics"], plain["metrics"]);
}

#[test]
fn every_flag_says_so_if_there_is_no_such_column() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    for flag in ["--label", "--probs", "--logits", "--weight", "--group", "--fold-column"] {
        let ran = place.run(&["estimate", "table.csv", flag, "nowhere"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{flag}");
        assert!(ran.stderr.contains("there is no column \"nowhere\""), "{flag}: {ran:?}");
    }
}

#[test]
fn what_is_guessed_is_said_and_nothing_else() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    let run = |more: &[&str]| {
        place.run(&[&["estimate", "table.csv", "--recalibrator", "identity"], more].concat())
    };
    // The table and JSON have it themselves, guessed or not.
    let understood = "p_0 -> P(0), p_1 -> P(1), p_2 -> P(2); labels: label\n";
    for more in [&[][..], &["--label", "label", "--probs", "p_0,p_1,p_2"]] {
        let Ran { status, stdout, stderr } = run(more);
        assert_eq!((status, stderr.as_str()), (0, ""));
        assert!(stdout.contains(understood), "{stdout}");
    }
    let Ran { status, stderr, .. } = run(&["--format", "csv"]);
    assert!(status == 0 && stderr.starts_with(understood), "{stderr}");
    let Ran { stdout, .. } = run(&["--format", "json"]);
    assert!(stdout.contains("\"p_2\": \"2\"") && stdout.contains("\"labels\": \"label\""));
}
