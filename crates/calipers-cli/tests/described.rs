//! The program as it describes itself: completions of shells, pages of the manual.

use std::fs;
use std::process::Command;

use crate::common::Place;

/// The commands, from the help.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["-h"]).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let named = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> =
        named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(names.contains(&"estimate".to_owned()) && names.len() > 15, "{names:?}");
    names
}

#[test]
fn every_shell_is_told_of_every_command_and_its_options() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = place.run(&["completions", shell]);
        assert!(ran.status == 0 && ran.stderr.is_empty(), "{shell}: {}", ran.stderr);
        for command in commands(&place) {
            assert!(ran.stdout.contains(&command), "{shell}: {command}");
        }
        for option in ["recalibrator", "skip-bad-files", "max-worse"] {
            assert!(ran.stdout.contains(option), "{shell}: {option}");
        }
        // PowerShell and Elvish are told of options alone.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for value in ["top-over-l1", "temperature", "neighbours-list", "binary-overconfident"] {
                assert!(ran.stdout.contains(value), "{shell}: {value}");
            }
        }
        if shell == "bash" {
            let script = place.write("calipers.bash", &ran.stdout);
            let read = Command::new("bash").arg("-n").arg(script).output().unwrap();
            assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
        }
    }
}

#[test]
fn every_command_has_a_page_that_renders() {
    let place = Place::new();
    let written = place.run(&["man", "--out", "deep/man1"]);
    assert_eq!((written.status, written.stdout.as_str()), (0, ""), "{}", written.stderr);
    for command in commands(&place).iter().filter(|name| *name != "help") {
        let page = fs::read_to_string(place.path(&format!("deep/man1/calipers-{command}.1")));
        let page = page.unwrap();
        assert!(page.contains(&format!(".TH calipers-{command} 1")), "{command}: {page}");
        assert_eq!(page, place.run(&["man", command]).stdout, "{command}");
        assert!(!page.contains(".SH EXTRA"), "{command}: {page}");
        let source = format!("\"calipers {}\"", env!("CARGO_PKG_VERSION"));
        assert!(
            page.lines().any(|line| line.starts_with(".TH") && line.contains(&source)),
            "{page}"
        );
    }
    let monitor = fs::read_to_string(place.path("deep/man1/calipers-monitor.1")).unwrap();
    let plain = monitor.replace('\\', "");
    assert!(plain.contains("[--limit E]") && plain.contains("--state JSON FILE"), "{monitor}");
    assert!(plain.contains(".SH EXAMPLES"), "{monitor}");
    let fit = fs::read_to_string(place.path("deep/man1/calipers-recalibrate-fit.1")).unwrap();
    assert_eq!(fit, place.run(&["man", "recalibrate", "fit"]).stdout);
    let whole = fs::read_to_string(place.path("deep/man1/calipers.1")).unwrap();
    assert_eq!(whole, place.run(&["man"]).stdout);
    for file in fs::read_dir(place.path("deep/man1")).unwrap() {
        let path = file.unwrap().path();
        // Where there is no groff, there is nobody to ask.
        let Ok(read) = Command::new("groff").args(["-man", "-ww", "-z"]).arg(&path).output() else {
            return;
        };
        let said = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success() && said.is_empty(), "{}: {said}", path.display());
    }
}

/// Suggestions bind nobody: what takes parameters takes them still.
#[test]
fn what_is_suggested_is_not_all_that_is_taken() {
    let place = Place::new();
    let drawn = ["simulate", "binary-over", "-n", "60", "-o", "a.csv"];
    assert_eq!(place.run(&drawn).status, 0);
    let ran = place.run(&["estimate", "a.csv", "--recalibrator", "kernel:bandwidth=0.1"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for (name, said) in [("inspect", "answers"), ("helm", "answers"), ("finish", "estimate")] {
        let ran = place.run(&["schema", name]);
        let hint = format!("hint: what calipers {name} prints is {said}: calipers schema {said}\n");
        assert!(ran.status == 2 && ran.stderr.ends_with(&hint), "{ran:?}");
    }
}
