//! Files and directories that are not what they should be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::shell::{can_mount, place, run, run_without_rights};
use crate::common::Place;

/// Reads a file, which fails with a message.
fn refused(place: &Place, file: &str, message: &str) {
    let ran = run(place, &format!("\"$calipers\" estimate '{file}'"));
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{file}: {ran:?}");
    assert_eq!(ran.stderr, format!("error: {message}\n"), "{file}");
}

#[test]
fn what_is_no_file_is_refused() {
    let place = place();
    fs::create_dir(place.path("folder.csv")).unwrap();
    symlink("nowhere.csv", place.path("dangling.csv")).unwrap();
    symlink("ring.csv", place.path("ring.csv")).unwrap();
    let _listener = UnixListener::bind(place.path("socket.csv")).unwrap();
    for (file, reason) in [
        ("dangling.csv", "no such file or directory"),
        ("table.csv/table.csv", "not a directory"),
        ("socket.csv", "no such device or address"),
    ] {
        refused(&place, file, &format!("cannot read {file}: {reason}"));
    }
    let endings = ".csv, .tsv, .txt, .jsonl, .ndjson, .parquet, .arrow, .feather, .ipc or .npz";
    let nothing = format!("folder.csv: no file in the directory ends in {endings}");
    refused(&place, "folder.csv", &nothing);
    let ring = run(&place, "\"$calipers\" estimate ring.csv");
    assert_eq!(ring.status, 2, "{ring:?}");
    assert!(ring.stderr.contains("too many levels of symbolic links"), "{ring:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_end() {
    let place = place();
    refused(&place, "/dev/null", "/dev/null: the file is empty");
    refused(&place, "/dev/zero", "/dev/zero: expected CSV, but it is binary");
    refused(&place, "/proc/self/mem", "cannot read /proc/self/mem: input/output error");
}

#[test]
fn a_file_that_ends_too_early_is_refused() {
    let place = place();
    let whole = fs::read(place.path("table.csv")).unwrap();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 3;
    place.write("cut.csv", &whole[..second]);
    refused(&place, "cut.csv", "cut.csv, line 2: 2 fields where the header has 4");
    let mut names = vec!["drawn.npz"];
    if cfg!(feature = "parquet") {
        names.extend(["drawn.parquet", "drawn.arrow"]);
    }
    for name in names {
        run(&place, &format!("\"$calipers\" simulate binary-over -n 500 -o {name}"));
        let bytes = fs::read(place.path(name)).unwrap();
        for share in [0, 1, 2, 3] {
            place.write(name, &bytes[..bytes.len() * share / 4]);
            let ran = run(&place, &format!("\"$calipers\" estimate {name}"));
            assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{name}: {ran:?}");
            assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        }
    }
}

/// The reader has opened the file, and what was to come does not come.
#[test]
fn a_file_may_be_gone_or_shorter_while_it_is_read() {
    let place = place();
    let script = "mkfifo rows.csv
        (exec 3> rows.csv; head -5 table.csv >&3; rm rows.csv; printf 0,0.5 >&3) &
        \"$calipers\" estimate rows.csv";
    let ran = run(&place, script);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.stderr, "error: rows.csv, line 6: 2 fields where the header has 4\n");
}

#[test]
fn a_file_that_may_not_be_read_is_refused() {
    let place = place();
    fs::set_permissions(place.path("table.csv"), Permissions::from_mode(0o000)).unwrap();
    let Some(ran) = run_without_rights(&place, "\"$calipers\" estimate table.csv") else { return };
    assert_eq!(ran.status, 2);
    assert_eq!(ran.stderr, "error: cannot read table.csv: permission denied\n");
}

#[test]
fn a_directory_that_may_not_be_written_to_is_refused() {
    let place = place();
    fs::create_dir(place.path("locked")).unwrap();
    place.write("locked/drawn.csv", "what was there before");
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o555)).unwrap();
    let script = "\"$calipers\" simulate binary-over -n 9 -o locked/drawn.csv";
    let Some(ran) = run_without_rights(&place, script) else { return };
    assert_eq!(ran.status, 3);
    assert_eq!(ran.stderr, "error: cannot write locked/drawn.csv: permission denied\n");
    let kept = fs::read_to_string(place.path("locked/drawn.csv")).unwrap();
    assert_eq!(kept, "what was there before");
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_read_only_file_system_is_named() {
    let place = place();
    if !can_mount(&place) {
        return;
    }
    fs::create_dir(place.path("fixed")).unwrap();
    let script = "unshare --mount bash -c 'mount -t tmpfs -o ro tmpfs fixed && \
                  \"$calipers\" simulate binary-over -n 9 -o fixed/drawn.csv'";
    let ran = run(&place, script);
    assert_eq!(ran.status, 3);
    assert_eq!(ran.stderr, "error: cannot write fixed/drawn.csv: read-only file system\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_takes_no_files_is_named() {
    let place = place();
    let ran = run(&place, "\"$calipers\" simulate binary-over -n 9 -o /proc/drawn.csv");
    assert_eq!(ran.status, 2);
    assert_eq!(
        ran.stderr,
        "error: cannot write /proc/drawn.csv: its directory takes no new files\n"
    );
}

#[test]
fn a_link_to_nothing_becomes_a_link_to_the_file() {
    let place = place();
    fs::create_dir(place.path("other")).unwrap();
    symlink("other/second.csv", place.path("first.csv")).unwrap();
    symlink("third.csv", place.path("other/second.csv")).unwrap();
    let ran = run(&place, "\"$calipers\" simulate binary-over -n 9 -o first.csv");
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    for link in ["first.csv", "other/second.csv"] {
        assert!(fs::symlink_metadata(place.path(link)).unwrap().is_symlink());
    }
    let drawn = fs::read_to_string(place.path("other/third.csv")).unwrap();
    assert_eq!(drawn.lines().count(), 10);
    // A ring of links leads nowhere.
    symlink("ring.csv", place.path("ring.csv")).unwrap();
    let ran = run(&place, "\"$calipers\" simulate binary-over -n 9 -o ring.csv");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.stderr.starts_with("error: cannot write ring.csv: too many levels"), "{ran:?}");
}
