//! Names of files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::shell::{place, run};
use crate::common::{Place, Ran, delimited};

/// Reads a file of that name, writes another over itself, and makes a page and a figure of it.
fn works(place: &Place, name: &OsStr) {
    let file = place.path(".").join(name);
    fs::write(&file, delimited(",", "\n")).unwrap();
    let ran = |args: &[&OsStr]| {
        let output = place.command(&[]).args(args).output().unwrap();
        let ran = Ran {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert_eq!(ran.status, 0, "{name:?}: {ran:?}");
        ran
    };
    let end = |new: &str| {
        let mut path = name.to_owned();
        path.push(new);
        path
    };
    let word = OsStr::new;
    let quick = [word("--recalibrator"), word("identity"), word("--draws"), word("0")];
    let estimate = ran(&[&[word("estimate")][..], &quick, &[word("--"), name]].concat());
    // What would break a line or do something to a terminal is shown instead.
    let shown = calipers::words::visible(&name.to_string_lossy()).into_owned();
    assert!(estimate.stdout.starts_with(&format!("{shown}: ")), "{estimate:?}");
    let controls = |letter: char| letter.is_control() && letter != '\n';
    assert!(!estimate.stdout.contains(controls) && !estimate.stderr.contains(controls));
    let (page, figure) = (end(".html"), end(".svg"));
    // A name that starts with a dash is a value, behind an equals sign.
    let to = |path: &OsStr| {
        let mut flag = OsString::from("--output=");
        flag.push(path);
        flag
    };
    ran(&[&[word("report"), &to(&page)][..], &quick, &[word("--"), name]].concat());
    let plot = [word("plot"), word("reliability"), &to(&figure)];
    ran(&[&plot[..], &quick[..2], &[word("--"), name]].concat());
    ran(&[word("simulate"), word("binary-over"), word("-n9"), &to(name)]);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 10, "{name:?}");
    for path in [page, figure] {
        let text = fs::read_to_string(place.path(".").join(path)).unwrap();
        assert!(text.trim_end().ends_with("</html>") || text.trim_end().ends_with("</svg>"));
    }
    assert_eq!(place.names().len(), 3, "{:?}", place.names());
}

#[test]
fn names_may_hold_anything() {
    for name in [
        "a b  c.csv",
        "ä.csv",
        "a\u{308}.csv",
        "漢字.csv",
        "🦀👩‍🔬.csv",
        "שלום.csv",
        "it's \"quoted\".csv",
        "new\nline.csv",
        "tab\tand\rreturn.csv",
        "$HOME;`id`&|<>*?[x]{y}\\.csv",
        "-x.csv",
        "--metric=l1.csv",
        "%s%n.csv",
        "<script>alert(1)<∕script>.csv",
        "CAPITALS.CSV",
        "\u{1b}[31mred\u{7}.csv",
    ] {
        works(&Place::new(), OsStr::new(name));
    }
}

/// In errors, too: of reading, of writing, and of what a name may end in.
#[test]
fn names_are_shown_and_do_nothing() {
    let place = place();
    for (args, said) in [
        (
            &["estimate", "a\u{1b}[2J\nb.csv"][..],
            "error: cannot read a\\u{1b}[2J\\nb.csv: no such file or directory\n",
        ),
        (
            &["estimate", "table.c\u{7}sv"],
            "error: table.c\\u{7}sv: files that end in .c\\u{7}sv are not known;",
        ),
        (
            &["simulate", "binary-over", "-n9", "-o", "no\u{1b}/where.csv"],
            "error: cannot write no\\u{1b}/where.csv: there is no such directory\n",
        ),
        (
            &["report", "table.csv", "-o", "page\r.pdf"],
            "error: page\\r.pdf: a page ends in .html\n",
        ),
        (
            &["plot", "reliability", "table.csv", "-o", "\t.pdf"],
            "error: \\t.pdf: a figure ends in .svg or .png\n",
        ),
        (
            &["compare", "table.csv", "\u{1b}c.csv"],
            "error: cannot read \\u{1b}c.csv: no such file or directory\n",
        ),
        (
            &["recalibrate", "apply", "m\u{8}.json", "table.csv", "-o", "-"],
            "error: m\\u{8}.json: cannot be read: no such file or directory\n",
        ),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
}

/// Names are bytes; these are no text. In messages the odd one out is shown as �.
#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    let place = Place::new();
    works(&place, OsStr::from_bytes(b"caf\xe9 \xff\xfe.csv"));
    let mut missing = place.command(&["estimate"]);
    let output = missing.arg(OsStr::from_bytes(b"n\xff.csv")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: cannot read n\u{fffd}.csv: no such file or directory\n");
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let place = place();
    for args in [
        "estimate table.csv --metric $'l1\\xff'",
        "estimate table.csv --label $'\\xff'",
        "$'\\xff'",
    ] {
        let ran = run(&place, &format!("\"$calipers\" {args}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.starts_with("error: "), "{ran:?}");
    }
}

#[test]
fn names_may_be_as_long_as_the_system_lets_them() {
    let place = Place::new();
    let long = "x".repeat(255 - ".csv.html".len());
    works(&place, OsStr::new(&format!("{long}.csv")));
    let longest = format!("{}.csv", "y".repeat(251));
    let simulate = |name: &str| place.run(&["simulate", "binary-over", "-n", "9", "-o", name]);
    for _ in 0..2 {
        // A new file, and then over it: what is beside it meanwhile has a short name.
        assert_eq!(simulate(&longest).status, 0);
    }
    let ran = simulate(&format!("y{longest}"));
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.ends_with(": file name too long\n"), "{ran:?}");
}

#[test]
fn folders_may_be_deep() {
    let place = place();
    // Some 3,600 bytes: a path has 4,096 at most.
    let folder = format!("deep{}", format!("/{}", "z".repeat(199)).repeat(18));
    fs::create_dir_all(place.path(&folder)).unwrap();
    let file = format!("{folder}/drawn.csv");
    for _ in 0..2 {
        let ran = run(&place, &format!("\"$calipers\" simulate binary-over -n 9 -o {file}"));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    }
    assert_eq!(run(&place, &format!("\"$calipers\" estimate {file} $quick --folds 2")).status, 0);
    let too_deep = format!("{folder}/{}/drawn.csv", folder.trim_start_matches("deep/"));
    let ran = run(&place, &format!("\"$calipers\" simulate binary-over -n 9 -o {too_deep}"));
    assert_eq!(ran.status, 2, "{ran:?}");
}

#[test]
fn neither_a_home_nor_a_place_for_temporary_files_is_needed() {
    let place = place();
    for settings in
        ["unset HOME TMPDIR", "export HOME=/nowhere TMPDIR=/nowhere", "export HOME= TMPDIR="]
    {
        let ran = run(
            &place,
            &format!("{settings}; \"$calipers\" simulate binary-over -n 9 -o drawn.csv"),
        );
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{settings}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_may_be_removed_under_the_program() {
    let place = place();
    let gone = "here=$PWD; mkdir gone; cd gone; rmdir ../gone;";
    let ran = run(&place, &format!("{gone} \"$calipers\" estimate \"$here/table.csv\" $quick"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran =
        run(&place, &format!("{gone} \"$calipers\" simulate binary-over -n 9 -o $here/x.csv"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = run(&place, &format!("{gone} \"$calipers\" simulate binary-over -n 9 -o x.csv"));
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(ran.stderr, "error: cannot write x.csv: its directory takes no new files\n");
}
