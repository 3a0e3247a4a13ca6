//! Where output goes, and what is left when it cannot.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::common::{Place, delimited};

#[test]
fn results_and_remarks_are_kept_apart() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    for format in ["table", "json", "csv"] {
        let ran = place.run(&["estimate", "table.csv", "--format", format]);
        assert_eq!(ran.status, 0);
        // What was understood is part of the table and of JSON; CSV has no place for it.
        let understood = "p_0 -> P(0), p_1 -> P(1), p_2 -> P(2); labels: label\n";
        assert_eq!(ran.stdout.contains(understood), format == "table", "{}", ran.stdout);
        assert_eq!(ran.stderr.starts_with(understood), format == "csv", "{}", ran.stderr);
        // A line of CSV is as long as its numbers.
        let wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert!(wide.is_none() || format == "csv", "{wide:?}");
        assert!(ran.stdout.is_ascii(), "no lines are drawn in a file: {}", ran.stdout);
    }
}

#[test]
fn the_default_report_holds_the_metrics_of_so_many_classes() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    let ran = place.run(&["estimate", "table.csv", "--format", "json"]);
    let metrics = ran.json()["metrics"].clone();
    let names: Vec<&String> = metrics.as_object().unwrap().keys().collect();
    assert_eq!(names, ["l1", "l2", "brier", "log"]);
    assert_eq!(ran.json()["recalibrator"], "auto");
    // Of two classes l2 is l1.
    place.run(&["simulate", "binary-over", "-n", "60", "-o", "two.csv"]);
    let metrics = place.run(&["estimate", "two.csv", "--format", "json"]).json()["metrics"].clone();
    assert_eq!(metrics.as_object().unwrap().keys().collect::<Vec<_>>(), ["l1", "brier", "log"]);
}

#[test]
fn every_recalibrator_is_listed() {
    let place = Place::new();
    let table = place.run(&["recalibrators"]).stdout;
    let json = place.run(&["recalibrators", "--format", "json"]).json();
    for (at, info) in calipers::recalibrators().enumerate() {
        assert!(table.lines().any(|line| line.split_whitespace().next() == Some(info.name)));
        assert_eq!(json[at]["name"], info.name);
        assert_eq!(json[at]["parameters"].as_array().unwrap().len(), info.parameters.len());
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    let run = |threads: &str| {
        place.run(&["estimate", "table.csv", "--format", "csv", "--threads", threads]).stdout
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    let mut child = place
        .command(&["simulate", "binary-over", "-n", "100000", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One line is read, as head does, and the pipe is closed.
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 14]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_closed_pipe_after_an_estimate_ends_quietly_too() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    for args in [&["estimate", "table.csv"][..], &["--help"], &["metrics"]] {
        let mut child =
            place.command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_file_is_replaced_whole() {
    let place = Place::new();
    place.write("drawn.csv", "what was there before, and was longer than what comes\n".repeat(99));
    let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", "drawn.csv"]);
    assert_eq!(ran.status, 0);
    assert_eq!(fs::read_to_string(place.path("drawn.csv")).unwrap().lines().count(), 3);
    assert_eq!(place.names(), ["drawn.csv"]);
}

#[test]
fn a_failed_write_leaves_nothing() {
    let place = Place::new();
    for target in ["nowhere/drawn.csv", "nowhere/drawn.parquet", "nowhere/drawn.npz"] {
        let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", target]);
        assert_eq!(ran.status, 2, "{ran:?}");
    }
    assert_eq!(place.names(), [] as [&str; 0]);
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use crate::common::Place;

    #[test]
    fn a_directory_that_cannot_be_written_to_is_unexpected() {
        let place = Place::new();
        let locked = place.path("locked");
        fs::create_dir(&locked).unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o555)).unwrap();
        // To root no directory is locked.
        if fs::write(locked.join("probe"), "").is_ok() {
            return;
        }
        let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", "locked/drawn.csv"]);
        assert_eq!(ran.status, 3);
        assert_eq!(ran.stderr, "error: cannot write locked/drawn.csv: permission denied\n");
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let place = Place::new();
        symlink("/dev/full", place.path("full.csv")).unwrap();
        let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", "full.csv"]);
        assert_eq!(ran.status, 3);
        assert_eq!(ran.stderr, "error: cannot write full.csv: no space left on device\n");
        assert!(fs::symlink_metadata(place.path("full.csv")).unwrap().is_symlink());
    }

    #[test]
    fn a_full_standard_output_is_unexpected() {
        let place = Place::new();
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(&["metrics"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: cannot write to standard output: "), "{message}");
    }

    #[test]
    fn a_link_stays_a_link() {
        let place = Place::new();
        place.write("file.csv", "");
        symlink("file.csv", place.path("link.csv")).unwrap();
        let ran = place.run(&["simulate", "binary-over", "-n", "2", "-o", "link.csv"]);
        assert_eq!(ran.status, 0);
        assert!(fs::symlink_metadata(place.path("link.csv")).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(place.path("file.csv")).unwrap().lines().count(), 3);
    }

    #[test]
    fn a_new_file_has_the_usual_permissions() {
        let place = Place::new();
        place.write("usual", "");
        place.run(&["simulate", "binary-over", "-n", "2", "-o", "drawn.csv"]);
        let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode();
        assert_eq!(mode("drawn.csv"), mode("usual"));
    }
}
