//! Languages, and what is none.

use super::shell::{place, run};

/// Neither numbers nor names nor messages depend on the locale: files move between machines.
#[test]
fn locales_change_nothing() {
    let place = place();
    let lines = "\"$calipers\" estimate table.csv $quick --metric LINF,l1.5,BRIER,top-l1 2>&1
        \"$calipers\" estimate TABLE.CSV 2>&1
        \"$calipers\" estimate table.csv --recalibrator ISOTONIC 2>&1
        \"$calipers\" simulate binary-over -n 2 -o - 2>&1";
    let plain = run(&place, lines);
    assert_eq!(plain.status, 0);
    // With a dotless i, LINF and BRIER would be other names; a comma would end a number.
    for locale in [
        "C",
        "POSIX",
        "C.UTF-8",
        "tr_TR.UTF-8",
        "de_DE.UTF-8",
        "de_DE@euro",
        "ar_SA.UTF-8",
        "ja_JP.SJIS",
        "xx_YY",
        "",
        "../../etc/passwd",
    ] {
        let settings = format!("export LC_ALL={locale} LANG={locale} LANGUAGE={locale}");
        let ran = run(&place, &format!("{settings}; {lines}"));
        assert_eq!((ran.status, &ran.stdout), (0, &plain.stdout), "{locale}");
    }
    let without = run(&place, &format!("unset LC_ALL LANG LANGUAGE LC_CTYPE; {lines}"));
    assert_eq!(without.stdout, plain.stdout);
}

/// A variable of the environment need not be text.
#[test]
fn an_environment_that_is_no_text_is_survived() {
    let place = place();
    let plain = run(&place, "\"$calipers\" estimate table.csv $quick");
    for name in ["LANG", "NO_COLOR", "TERM", "COLUMNS", "HOME", "TMPDIR", "RAYON_NUM_THREADS"] {
        let line = format!("env {name}=$'\\xff' \"$calipers\" estimate table.csv $quick");
        let ran = run(&place, &line);
        assert_eq!((ran.status, &ran.stdout), (0, &plain.stdout), "{name}: {ran:?}");
    }
    let bare = run(&place, "exec env -i \"$calipers\" estimate table.csv $quick");
    assert_eq!((bare.status, bare.stdout), (0, plain.stdout));
}
