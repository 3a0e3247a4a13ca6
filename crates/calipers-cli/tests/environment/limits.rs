//! Little of everything: threads, open files, stack, memory.

use super::shell::{place, run, run_without_rights};

#[test]
fn settings_of_the_thread_library_are_harmless() {
    let place = place();
    let line = "\"$calipers\" estimate table.csv --recalibrator isotonic --format csv";
    let plain = run(&place, line);
    for threads in ["0", "1", "7", "garbage", "-1", "", "99999999999999999999"] {
        let ran = run(&place, &format!("RAYON_NUM_THREADS={threads} {line}"));
        assert_eq!((ran.status, &ran.stdout), (0, &plain.stdout), "{threads}");
    }
}

#[test]
fn few_threads_are_enough_and_none_is_an_error() {
    let place = place();
    let line = "\"$calipers\" estimate table.csv --recalibrator isotonic --format csv --threads";
    let plain = run(&place, &format!("{line} 4"));
    // The shell becomes the program, so that it is the user's only process beside what others of
    // the same user do: this many threads at most, and one of them is the first.
    for most in [3, 2] {
        let script = format!("ulimit -u {most}; exec {line} 64");
        let Some(ran) = run_without_rights(&place, &script) else { return };
        assert!(ran.status == 0 || said_so(&ran.stderr), "{most}: {ran:?}");
        if ran.status == 0 {
            assert_eq!(ran.stdout, plain.stdout);
        }
    }
    let Some(ran) = run_without_rights(&place, &format!("ulimit -u 1; exec {line} 64")) else {
        return;
    };
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(said_so(&ran.stderr), "{ran:?}");
}

fn said_so(stderr: &str) -> bool {
    stderr.lines().last().is_some_and(|line| {
        line.starts_with("error: threads: none can be started: Resource temporarily unavailable")
    })
}

#[test]
fn few_open_files_are_enough() {
    let place = place();
    let ran = run(
        &place,
        "ulimit -n 8; \"$calipers\" estimate table.csv $quick && \
         \"$calipers\" report table.csv -o page.html --recalibrator identity && \
         \"$calipers\" simulate binary-over -n 9 -o drawn.npz",
    );
    assert_eq!(ran.status, 0, "{ran:?}");
}

#[test]
fn a_small_stack_is_enough() {
    let place = place();
    let line = "\"$calipers\" estimate table.csv --recalibrator isotonic --format csv";
    let plain = run(&place, line);
    // A quarter of a megabyte where eight are usual.
    let ran = run(&place, &format!("ulimit -s 256; exec {line}"));
    assert_eq!((ran.status, ran.stdout), (0, plain.stdout), "{}", ran.stderr);
    let report = "\"$calipers\" report table.csv -o page.html --recalibrator identity";
    let ran = run(&place, &format!("ulimit -s 256; exec {report}"));
    assert_eq!(ran.status, 0, "{ran:?}");
}
