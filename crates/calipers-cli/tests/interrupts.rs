//! Programs that are stopped while they write: the file is the old one or the new one.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Place, delimited};

/// Times that a program is stopped, from its start to the time that it takes by itself.
const STOPS: u32 = 20;

/// Whether files without a name can be had here: then nothing is left of one that is not whole.
#[cfg(target_os = "linux")]
fn has_unnamed_files(folder: &Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
    fs::File::options().write(true).custom_flags(flags).open(folder).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_unnamed_files(_: &Path) -> bool {
    false
}

/// Starts the program, sends it a signal after a while, and waits for it.
fn stopped(place: &Place, args: &[&str], after: Duration, signal: &str) {
    let mut child = place.command(args).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(after);
    let id = child.id().to_string();
    // If it has ended by itself meanwhile, there is nobody to hear it.
    Command::new("kill").args(["-s", signal, &id]).stderr(Stdio::null()).status().unwrap();
    child.wait().unwrap();
}

/// Writes over a file, is stopped in the middle, and leaves it whole.
fn survives(
    place: &Place,
    signal: &str,
    args: &[&str],
    target: &str,
    is_new: impl Fn(&[u8]) -> bool,
) {
    let path = place.path(target);
    let start = Instant::now();
    assert_eq!(place.run(args).status, 0);
    let took = start.elapsed();
    assert!(is_new(&fs::read(&path).unwrap()));
    let others = |place: &Place| place.names().into_iter().filter(|name| name.starts_with('.'));
    let mut left = 0;
    for stop in 0..STOPS {
        let old = format!("what was there before {stop}");
        fs::write(&path, &old).unwrap();
        stopped(place, args, took * stop / STOPS, signal);
        let found = fs::read(&path).unwrap();
        assert!(found == old.as_bytes() || is_new(&found), "{signal} {target}: {}", found.len());
        for name in others(place) {
            assert!(name.starts_with(".calipers-"), "{name}");
            fs::remove_file(place.path(&name)).unwrap();
            left += 1;
        }
    }
    // It has a name of its own for microseconds, between two system calls.
    if has_unnamed_files(&place.path(".")) {
        assert!(left <= 1, "{signal} {target}: {left} files are left");
    } else {
        eprintln!("not checked: there are no files without a name here; {left} files were left");
    }
}

#[test]
fn a_drawn_file_is_the_old_or_the_new() {
    let place = Place::new();
    for (signal, end) in [("KILL", "csv"), ("INT", "npz"), ("TERM", "tsv"), ("HUP", "csv")] {
        let target = format!("drawn.{end}");
        let args = ["simulate", "binary-over", "-n", "40000", "-o", &target];
        assert_eq!(place.run(&args).status, 0);
        let new = fs::read(place.path(&target)).unwrap();
        survives(&place, signal, &args, &target, |bytes| bytes == new);
    }
}

#[test]
fn a_page_is_the_old_or_the_new() {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    let args = ["report", "table.csv", "--recalibrator", "identity", "-o", "page.html"];
    // It says how long it took, and so is never the same.
    let is_page = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.starts_with("<!") && text.trim_end().ends_with("</html>")
    };
    for signal in ["KILL", "INT", "TERM"] {
        survives(&place, signal, &args, "page.html", is_page);
    }
}

/// Whether this process ignores a signal, which its children inherit.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

/// Scripts tell a program that was stopped from one that failed: the shell makes 130 and 143 of it.
#[test]
fn a_program_that_is_stopped_ends_by_the_signal() {
    use std::os::unix::process::ExitStatusExt;

    let place = Place::new();
    place.run(&["simulate", "multiclass-overconfident-10", "-n", "20000", "-o", "rows.csv"]);
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        if is_ignored(number) {
            eprintln!("SIG{signal} is ignored here, as in what a script runs in the background");
            continue;
        }
        let mut command =
            place.command(&["report", "rows.csv", "--repeats", "1000", "-o", "page.html"]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        let sent = Instant::now();
        let id = child.id().to_string();
        Command::new("kill").args(["-s", signal, &id]).status().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert!(sent.elapsed() < Duration::from_secs(5));
        assert_eq!(place.names(), ["rows.csv"]);
    }
}

/// What is kept of standard input has no name, so that nothing of it is left whatever ends the program.
#[test]
fn nothing_is_left_of_standard_input() {
    let place = Place::new();
    for signal in ["INT", "TERM", "KILL"] {
        let args = ["estimate", "-", "--memory", "1MB"];
        let mut command = place.command(&args);
        command.env("TMPDIR", place.path("")).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let rows = "1,0.75\n0,0.25\n".repeat(1 << 17);
        input.write_all(b"label,p\n").unwrap();
        // It is far beyond its memory by now, and waits for more.
        (0..5).for_each(|_| input.write_all(rows.as_bytes()).unwrap());
        let id = child.id().to_string();
        Command::new("kill").args(["-s", signal, &id]).status().unwrap();
        // A signal that is ignored here is ignored there: the end is that of the input then.
        drop(input);
        child.wait().unwrap();
        assert_eq!(place.names(), [""; 0], "{signal}");
    }
}
