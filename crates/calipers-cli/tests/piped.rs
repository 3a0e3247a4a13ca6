//! Standard input by the rules of files: in memory if it fits, else through a temporary file.

use std::fs;
use std::process::Stdio;

use crate::common::{Place, Ran};

/// So many rows of an over-confident model; 40,000 are more than a text may have to be surely small.
fn rows(count: u32) -> String {
    let mut text = "y,p\n".to_owned();
    for row in 0..count {
        let p = f64::from(1 + row * 7919 % 9_973) / 9_974.0;
        let truth = 0.5 + 0.6 * (p - 0.5);
        let label = u32::from(f64::from(row % 8_191 * 10_471 % 8_191) / 8_191.0 < truth);
        text.push_str(&format!("{label},{p:.24}\n"));
    }
    text
}

/// Runs the program on a text, with a folder of its own for temporary files.
fn piped(place: &Place, args: &[&str], text: &str, temporary: &str) -> Ran {
    let mut command = place.command(args);
    command.env("TMPDIR", place.path(temporary));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Whoever refuses what is read does not read to the end.
        scope.spawn(move || std::io::Write::write_all(&mut input, text.as_bytes()));
        Ran::from(child.wait_with_output().unwrap())
    })
}

const ESTIMATE: [&str; 5] = ["estimate", "FILE", "--recalibrator", "temperature", "--draws=19"];

#[test]
fn what_is_piped_gives_what_its_file_gives_byte_for_byte() {
    let place = Place::new();
    fs::create_dir(place.path("temporary")).unwrap();
    let (few, many) = (rows(3_000), rows(40_000));
    assert!(few.len() < 1 << 20 && many.len() > 1 << 20);
    for (text, options, sample) in [
        (&few, &["--memory", "1MB"][..], None),
        (&many, &[], None),
        (&many, &["--memory", "1MB"], Some(6_944)),
        (&many, &["--memory", "1MB", "--format", "csv"], Some(6_944)),
        (&many, &["--memory", "1MB", "--format", "json"], Some(6_944)),
    ] {
        place.write("rows.csv", text);
        let run = |file: &str| {
            let args: Vec<&str> =
                ESTIMATE.iter().map(|word| if *word == "FILE" { file } else { *word }).collect();
            let args = [&args, options].concat();
            match file {
                "-" => piped(&place, &args, text, "temporary"),
                _ => place.run(&args),
            }
        };
        let (expected, found) = (run("rows.csv"), run("-"));
        assert_eq!(expected.status, 0, "{expected:?}");
        let named = |text: &str| text.replacen("standard input", "rows.csv", 1);
        assert_eq!(named(&found.stdout), expected.stdout, "{options:?}");
        assert_eq!((found.status, named(&found.stderr)), (0, expected.stderr), "{options:?}");
        if !options.contains(&"csv") {
            let learnt = match options.contains(&"json") {
                true => "\"sample\": 6944",
                false => "learnt from 6,944 of them",
            };
            assert_eq!(expected.stdout.contains(learnt), sample.is_some(), "{}", expected.stdout);
        }
    }
    assert_eq!(fs::read_dir(place.path("temporary")).unwrap().count(), 0);
}

#[test]
fn other_commands_read_what_is_piped_as_well() {
    let place = Place::new();
    fs::create_dir(place.path("temporary")).unwrap();
    let text = rows(40_000);
    place.write("rows.csv", &text);
    let fit = ["recalibrate", "fit", "rows.csv", "-o", "model.json", "--recalibrator", "affine"];
    assert_eq!(place.run(&fit).status, 0);
    for args in [
        &["neighbours", "FILE", "--memory", "1MB", "--measure", "ece,cox", "--format", "json"][..],
        &["recalibrate", "fit", "FILE", "-o", "-", "--recalibrator", "affine", "--memory", "1MB"],
        &["recalibrate", "apply", "model.json", "FILE", "-o", "-"],
    ] {
        let of = |file: &'static str| -> Vec<&str> {
            args.iter().map(|word| if *word == "FILE" { file } else { *word }).collect()
        };
        let expected = place.run(&of("rows.csv"));
        let found = piped(&place, &of("-"), &text, "temporary");
        assert_eq!((found.status, found.stdout), (0, expected.stdout), "{args:?}");
    }
    assert_eq!(fs::read_dir(place.path("temporary")).unwrap().count(), 0);
}

/// A 32nd of the memory is for what came, and a file is made only for what is beyond it.
#[test]
fn what_fits_needs_no_temporary_file() {
    let place = Place::new();
    let text = rows(40_000);
    let run = |memory: &str, key: &[&str]| {
        let args = ["estimate", "-", "--recalibrator", "identity", "--memory", memory];
        piped(&place, &[&args, key].concat(), &text, "nowhere")
    };
    for options in [&[][..], &["--sample", "500"]] {
        let ran = run("100MB", options);
        assert_eq!(ran.status, 0, "{ran:?}");
        let ran = run("1MB", options);
        assert_eq!((ran.status, ran.stdout.as_str()), (3, ""), "{ran:?}");
        let said = "error: cannot keep standard input in ";
        assert!(ran.stderr.starts_with(said), "{ran:?}");
        assert!(ran.stderr.contains("nowhere: no such file or directory"), "{ran:?}");
    }
}

#[test]
fn a_pipe_with_a_name_is_read_once() {
    let place = Place::new();
    let text = rows(40_000);
    place.write("rows.csv", &text);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap();
    assert!(made.success());
    let run = |file: &str| {
        let args = ["estimate", file, "--recalibrator", "identity", "--memory", "1MB"];
        place.run(&[&args[..], &["--format", "json"]].concat())
    };
    let expected = run("rows.csv");
    let found = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(place.path("pipe.csv"), &text).unwrap());
        run("pipe.csv")
    });
    assert_eq!((found.status, found.stdout), (0, expected.stdout));
}
