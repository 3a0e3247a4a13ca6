//! With a terminal and without.

use std::os::unix::process::ExitStatusExt;

use super::shell::{output, place, run};
use crate::common::Place;

/// Runs a line in a terminal of so many columns, and returns what it would show. The terminal is one
/// that `script` makes, where there is such a program.
fn in_terminal(place: &Place, columns: u32, line: &str) -> Option<String> {
    if !output(place, "script --version").status.success() {
        eprintln!("skipped: there is no program `script`, which makes a terminal");
        return None;
    }
    let script =
        format!("script --quiet --return --command 'stty cols {columns}; {line}' /dev/null");
    let ran = run(place, &format!("export TERM=${{TERM_HERE-xterm-256color}}; {script}"));
    assert_eq!(ran.status, 0, "{ran:?}");
    Some(ran.stdout.replace('\r', ""))
}

/// Without the sequences that make letters bold or coloured.
fn visible(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_owned();
    // A sequence starts with [ and ends with a letter.
    parts.fold(first, |text, part| {
        text + part
            .split_once(|letter: char| letter.is_ascii_alphabetic())
            .map_or("", |(_, rest)| rest)
    })
}

const LINES: [&str; 4] = [
    "\"$calipers\" estimate table.csv --recalibrator bins-width",
    "\"$calipers\" check table.csv --max l1=1 --recalibrator identity",
    "\"$calipers\" recalibrators",
    "\"$calipers\" neighbours table.csv",
];

#[test]
fn a_terminal_gets_bold_letters_and_lines_that_fit() {
    let place = place();
    for line in LINES {
        let Some(shown) = in_terminal(&place, 80, line) else { return };
        assert!(shown.contains("\u{1b}[1m"), "bold: {shown}");
        assert!(shown.contains('─'), "a line below the header: {shown}");
        for line in visible(&shown).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let estimate = in_terminal(&place, 80, LINES[0]).unwrap();
    assert!(estimate.contains("f, what was predicted"), "a diagram: {estimate}");
    let plain = in_terminal(&place, 80, &format!("{} --plain", LINES[0])).unwrap();
    assert!(!plain.contains("f, what was predicted"), "no diagram: {plain}");
}

#[test]
fn a_terminal_may_refuse_bold_letters() {
    let place = place();
    for setting in ["NO_COLOR=1", "TERM=dumb"] {
        for line in LINES {
            let line = format!("{setting} {line}");
            let Some(shown) = in_terminal(&place, 80, &line) else { return };
            assert!(!shown.contains('\u{1b}'), "{line}: {shown}");
        }
    }
}

/// A bar would be shown after a second, on standard error.
#[test]
fn a_terminal_gets_a_bar_that_goes_away() {
    let place = place();
    let line = "\"$calipers\" estimate long.csv --recalibrator boost --repeats 1000 --threads 1";
    run(&place, "\"$calipers\" simulate binary-over -n 2000 -o long.csv");
    let script = format!("timeout --signal=INT 3 {line}");
    let bar = " fits";
    if output(&place, "script --version").status.success() {
        let made =
            format!("TERM=xterm script --quiet --command 'stty cols 80; {script}' /dev/null");
        let shown = String::from_utf8(output(&place, &made).stdout).unwrap();
        assert!(shown.contains(bar), "{shown}");
    }
    let ran = output(&place, &format!("exec {script}"));
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(!said.contains(bar) && !said.contains('\u{1b}'), "{said}");
    // Ctrl-C ends it at once, as a program is expected to end: by the signal.
    assert!(ran.status.code() == Some(124) || ran.status.signal().is_some(), "{:?}", ran.status);
}

/// Until the first fit is done there is nothing to count, and it is said what is done instead.
#[test]
fn a_terminal_is_told_what_comes_before_the_fits() {
    let place = place();
    run(&place, "\"$calipers\" simulate binary-over -n 20000 -o long.csv");
    let line = "\"$calipers\" estimate long.csv --draws 2000000 --threads 1";
    if output(&place, "script --version").status.success() {
        let made = format!(
            "TERM=xterm script --quiet --command 'stty cols 80; timeout --signal=INT 3 {line}' /dev/null"
        );
        let shown = String::from_utf8(output(&place, &made).stdout).unwrap();
        assert!(shown.contains("s drawing labels for the p-value"), "{shown}");
        assert!(!shown.contains("0 of 0"), "{shown}");
    }
}

#[test]
fn a_file_gets_neither_whatever_the_environment_says() {
    let place = place();
    for setting in
        ["CLICOLOR_FORCE=1", "FORCE_COLOR=1", "COLORTERM=truecolor", "TERM=", "COLUMNS=20"]
    {
        for line in LINES {
            let plain = run(&place, line);
            let ran = run(&place, &format!("export {setting}; {line}"));
            assert_eq!((ran.status, &ran.stdout), (0, &plain.stdout), "{setting} {line}");
            assert!(ran.stdout.is_ascii(), "{setting} {line}");
        }
    }
}

#[test]
fn odd_widths_are_survived() {
    let place = place();
    for columns in ["0", "1", "20", "garbage", "-5", "99999999999999999999"] {
        let ran = run(&place, &format!("COLUMNS={columns} \"$calipers\" estimate --help"));
        assert_eq!(ran.status, 0, "{columns}");
        // However it is broken into lines.
        let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Usage: calipers estimate"), "{columns}: {}", ran.stdout);
    }
    for columns in [0, 1, 20, 500] {
        let Some(shown) = in_terminal(&place, columns, LINES[0]) else { return };
        assert!(shown.contains("brier"), "{columns}: {shown}");
    }
}
