//! Pipes that nobody reads, and doors that are closed from the start.

use std::fs;

use super::shell::{place, run};

/// As programs of the shell are used to: what was asked for has been read.
#[test]
fn a_reader_may_stop_in_the_middle() {
    let place = place();
    for command in [
        "simulate binary-over -n 100000 -o -",
        "estimate table.csv $quick",
        "estimate table.csv --recalibrator identity --format json",
        "report table.csv --recalibrator identity -o -",
        "--help",
    ] {
        for reader in ["head -1 > /dev/null", "true", "head -c 5000 > /dev/null"] {
            let script = format!("\"$calipers\" {command} | {reader}; echo ${{PIPESTATUS[0]}}");
            let ran = run(&place, &script);
            assert_eq!(ran.stdout, "0\n", "{command} | {reader}: {ran:?}");
            assert!(!ran.stderr.contains("error"), "{command} | {reader}: {ran:?}");
        }
    }
}

#[test]
fn a_pipe_with_a_name_is_a_file() {
    let place = place();
    let script = "mkfifo in.csv out.csv out.html
        cat table.csv > in.csv & \"$calipers\" estimate in.csv $quick 2> /dev/null || exit 1
        cat out.csv > copy.csv & \"$calipers\" simulate binary-over -n 5 -o out.csv || exit 2
        wait; wc --lines < copy.csv
        true < out.html & \"$calipers\" report table.csv -o out.html --recalibrator identity 2> /dev/null || exit 3
        test -p in.csv -a -p out.csv -a -p out.html";
    let ran = run(&place, script);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("metric,") && ran.stdout.ends_with("\n6\n"), "{ran:?}");
}

/// A door that is closed is one that leads nowhere: the system gives each of the three to a program
/// that has none.
#[test]
fn closed_doors_lead_nowhere() {
    let place = place();
    let heard = run(&place, "\"$calipers\" estimate table.csv $quick");
    for (script, status, stdout) in [
        ("\"$calipers\" estimate table.csv $quick >&-", 0, ""),
        ("\"$calipers\" estimate table.csv $quick 2>&-", 0, heard.stdout.as_str()),
        ("\"$calipers\" estimate table.csv $quick <&-", 0, heard.stdout.as_str()),
        ("\"$calipers\" estimate table.csv $quick <&- >&- 2>&-", 0, ""),
        ("\"$calipers\" estimate nowhere.csv <&- >&- 2>&-", 2, ""),
        ("\"$calipers\" estimate - <&-", 2, ""),
        ("\"$calipers\" simulate binary-over -n 9 -o drawn.csv <&- >&- 2>&-", 0, ""),
    ] {
        let ran = run(&place, script);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, stdout), "{script}");
    }
    // In particular none of what is said goes into the file.
    assert_eq!(fs::read_to_string(place.path("drawn.csv")).unwrap().lines().count(), 10);
    let empty = run(&place, "\"$calipers\" estimate - <&-");
    assert_eq!(empty.stderr, "error: standard input: the file is empty\n");
}
