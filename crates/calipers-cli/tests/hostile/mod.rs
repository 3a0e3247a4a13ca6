//! Files that were made to break their reader: each ends in an error that says what is wrong, within
//! a fixed bound of memory and time.
//!
//! The bound is on the address space of the process, which is more than the memory it uses: the
//! allocator reserves some in advance. The rule that is tested is in
//! `crates/calipers-files/src/allowance.rs`.

#[cfg(feature = "parquet")]
mod arrow;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use crate::common::{Place, Ran};

/// Three times what a small file may unfold to: numbers are copied when they grow, and the rows that
/// are being decoded are held beside them.
const KIBIBYTES: u64 = 3 << 20;

/// Seconds. The slowest takes a few, in a build without optimisation on a busy machine.
const LONGEST: u64 = 60;

/// `calipers estimate` with so much memory and time, and no more.
fn estimate(place: &Place, file: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {KIBIBYTES} && exec timeout {LONGEST} \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_calipers"), "estimate", file]);
    command.current_dir(place.path("")).stdin(Stdio::null());
    command
}

/// Insists that a file is refused with these words.
fn refused(place: &Place, file: &str, words: &[&str]) {
    check(&Ran::from(estimate(place, file).output().unwrap()), words);
}

fn check(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("error: "), "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{word:?} is not in {}", ran.stderr);
    }
}

/// Pipes a start and then the same over and over, until nobody listens.
fn refused_stream(start: &str, again: &str, words: &[&str]) {
    let place = Place::new();
    let mut command = estimate(&place, "-");
    command
        .env("TMPDIR", place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let start = start.to_owned();
    let letters = again.repeat((1 << 20) / again.len()).into_bytes();
    let writer = thread::spawn(move || {
        let mut written = input.write_all(start.as_bytes());
        let mut mebibytes = 0;
        while written.is_ok() && mebibytes < 1024 {
            written = input.write_all(&letters);
            mebibytes += 1;
        }
        mebibytes
    });
    check(&Ran::from(child.wait_with_output().unwrap()), words);
    // The rest was not even read.
    assert!(writer.join().unwrap() < 100);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a_line_of_a_gigabyte() {
    let row = "a row of more than 64 MiB that does not end";
    refused_stream("label,p\n0,0.5\n1,", "5", &[&format!("standard input, line 3: {row}")]);
}

/// They could be kept on the disk until it is full: what is wrong is found before they are.
#[test]
fn rows_without_an_end() {
    let rows = "1,0.75\n0,0.25\n";
    let good = rows.repeat(300_000);
    refused_stream(
        &format!("label,p\n{good}1,high\n"),
        rows,
        &["standard input, line 600002, column p: probability \"high\" is not a number"],
    );
    refused_stream("day,hour\n", rows, &["standard input: "]);
    refused_stream("label,p\n1,0.75\n0,0.25,7\n", rows, &["standard input, line 3: 3 fields"]);
}

#[test]
fn a_quote_that_is_never_closed() {
    let place = Place::new();
    let mut file = File::create(place.path("quote.csv")).unwrap();
    file.write_all(b"label,p\n0,0.5\n1,\"").unwrap();
    let lines = "0.5\n".repeat(1 << 18);
    for _ in 0..70 {
        file.write_all(lines.as_bytes()).unwrap();
    }
    let words = ["quote.csv, line 3: a row of more than 64 MiB", "hint: is there a quote"];
    refused(&place, "quote.csv", &words);
}

#[test]
fn a_gigabyte_of_zeros() {
    let place = Place::new();
    // It has no blocks on the disk.
    File::create(place.path("zeros.csv")).unwrap().set_len(1 << 30).unwrap();
    refused(&place, "zeros.csv", &["expected CSV, but it is binary"]);
    refused_stream("", "\0", &["standard input: expected CSV, but it is binary"]);
}

#[test]
fn a_header_of_millions_of_columns() {
    let place = Place::new();
    place.write("wide.csv", ",".repeat(3_000_000) + "\n");
    let words = "wide.csv: the header names 3,000,001 columns; 1,000,000 are the most";
    refused(&place, "wide.csv", &[words]);
}

#[test]
fn a_name_of_a_megabyte() {
    let place = Place::new();
    place.write("name.csv", format!("label,p_{}\n0,2\n", "x".repeat(1 << 20)));
    let ran = Ran::from(estimate(&place, "name.csv").output().unwrap());
    check(&ran, &["name.csv, line 2, column p_xxx", "xxx: probability 2 is not between 0 and 1"]);
    assert!(ran.stderr.len() < 20_000);
}
