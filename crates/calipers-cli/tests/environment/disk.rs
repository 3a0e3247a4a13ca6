//! Disks that are full.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;

use super::shell::{can_mount, output, place, run};

/// What writes a file, and the file.
const WRITERS: [(&str, &str); 8] = [
    ("simulate binary-over -n 20000 -o", "drawn.csv"),
    ("simulate binary-over -n 20000 -o", "drawn.tsv"),
    ("simulate binary-over -n 20000 -o", "drawn.npz"),
    ("simulate binary-over -n 20000 -o", "drawn.parquet"),
    ("simulate binary-over -n 20000 -o", "drawn.arrow"),
    ("report table.csv --recalibrator identity -o", "page.html"),
    ("plot reliability table.csv --recalibrator identity -o", "figure.svg"),
    ("check table.csv --max l1=1 --recalibrator identity --junit", "checks.xml"),
];

fn writers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = |name: &str| {
        cfg!(feature = "parquet") || !(name.ends_with(".parquet") || name.ends_with(".arrow"))
    };
    WRITERS.into_iter().filter(move |(_, name)| known(name))
}

#[test]
fn a_full_device_is_named() {
    let place = place();
    for (command, name) in writers() {
        symlink("/dev/full", place.path(name)).unwrap();
        let ran = run(&place, &format!("\"$calipers\" {command} {name}"));
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        let message = format!("error: cannot write {name}: no space left on device");
        assert_eq!(ran.stderr.lines().last(), Some(message.as_str()), "{ran:?}");
        assert!(!ran.stderr.contains("drop"), "only what is said on purpose: {ran:?}");
    }
}

#[test]
fn a_limit_on_files_leaves_the_old_file() {
    let place = place();
    for (command, name) in writers() {
        place.write(name, "what was there before");
        let before = place.names();
        // Bash counts in blocks of 1,024 bytes; none may be written.
        let script = format!("trap '' XFSZ; ulimit -f 0; exec \"$calipers\" {command} {name} 2>&1");
        let ran = run(&place, &script);
        assert_eq!(ran.status, 3, "{name}: {ran:?}");
        let message = format!("error: cannot write {name}: file too large");
        assert_eq!(ran.stdout.lines().last(), Some(message.as_str()), "{ran:?}");
        // A program that is killed by the limit leaves no more behind than one that hears of it.
        let killed = output(&place, &format!("ulimit -f 0; exec \"$calipers\" {command} {name}"));
        assert!(killed.status.signal().is_some() || killed.status.code() > Some(127));
        assert_eq!(fs::read_to_string(place.path(name)).unwrap(), "what was there before");
        assert_eq!(place.names(), before);
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let place = place();
    if !can_mount(&place) {
        return;
    }
    fs::create_dir(place.path("small")).unwrap();
    for (command, name) in writers().filter(|(command, _)| command.starts_with("simulate")) {
        let ran = run(
            &place,
            &format!(
                "unshare --mount bash -c 'mount -t tmpfs -o size=64k tmpfs small && cd small && \
                 echo before > {name} && \"$calipers\" {command} {name}; \
                 echo $?; ls -A; cat {name}'"
            ),
        );
        assert_eq!(ran.stdout, format!("3\n{name}\nbefore\n"), "{ran:?}");
        assert_eq!(ran.stderr, format!("error: cannot write {name}: no space left on device\n"));
    }
}

#[test]
fn a_full_standard_output_is_unexpected_whatever_is_printed() {
    let place = place();
    for command in [
        "estimate table.csv $quick",
        "estimate table.csv --recalibrator identity",
        "estimate table.csv --recalibrator identity --format json",
        "simulate binary-over -n 20000 -o -",
        "plot reliability table.csv --recalibrator identity -o -",
        "report table.csv --recalibrator identity -o -",
        "neighbours table.csv",
        "compare table.csv ./table.csv --recalibrator identity",
        "recalibrators",
    ] {
        let ran = run(&place, &format!("\"$calipers\" {command} > /dev/full"));
        assert_eq!(ran.status, 3, "{command}: {ran:?}");
        let message = "error: cannot write to standard output: no space left on device";
        assert_eq!(ran.stderr.lines().last(), Some(message), "{command}");
    }
}

#[test]
fn a_full_standard_error_changes_nothing_else() {
    let place = place();
    let heard = run(&place, "\"$calipers\" estimate table.csv $quick");
    let unheard = run(&place, "\"$calipers\" estimate table.csv $quick 2> /dev/full");
    assert_eq!((unheard.status, unheard.stdout), (0, heard.stdout));
    assert_eq!(run(&place, "\"$calipers\" estimate nowhere.csv 2> /dev/full").status, 2);
    assert_eq!(run(&place, "\"$calipers\" estimate --nonsense 2> /dev/full").status, 2);
}
