//! Pages and figures as a user makes them.

use std::fs;

use crate::common::{Place, delimited};

const MOST_BYTES: u64 = 1_500_000;

fn place() -> Place {
    let place = Place::new();
    place.write("table.csv", delimited(",", "\n"));
    place
}

#[test]
fn a_page_is_written_whole() {
    let place = place();
    let ran = place.run(&["report", "table.csv", "-o", "page.html", "--metric", "l1,log"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{ran:?}");
    let html = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    for words in ["top-over-l1", "table.csv", "Classes", "What was run", "isotonic"] {
        // Three classes are few: each is measured with what was asked for.
        assert_eq!(html.contains(words), words != "isotonic", "{words}");
    }
    assert_eq!(place.names(), ["page.html", "table.csv"]);
}

#[test]
fn several_files_are_compared() {
    let place = place();
    place.write("again.csv", delimited(",", "\n"));
    let ran = place.run(&["report", "table.csv", "again.csv", "-o", "page.html"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let html = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(html.contains("not shown to differ") && html.contains("The models together"));
}

#[test]
fn the_page_of_much_data_is_small() {
    let place = Place::new();
    let name = ["simulate", "binary-overconfident", "-n", "1000000", "-o", "many.npz"];
    assert_eq!(place.run(&name).status, 0);
    let quick = ["--recalibrator", "isotonic", "--draws", "0"];
    let ran = place.run(&[&["report", "many.npz", "-o", "page.html"], &quick[..]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(fs::metadata(place.path("page.html")).unwrap().len() < MOST_BYTES);
    let html = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(html.contains("fits use 50000 of the rows, and its width is scaled"));
}

#[test]
fn figures_are_written_as_their_names_say() {
    let place = place();
    for kind in ["reliability", "contribution"] {
        let ran = place.run(&["plot", kind, "table.csv", "-o", "figure.svg"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let text = fs::read_to_string(place.path("figure.svg")).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
    }
    let ran = place.run(&["plot", "reliability", "table.csv", "--class", "2", "-o", "-"]);
    assert!(ran.stdout.contains("predicted probability of 2"), "{ran:?}");
    let ran = place.run(&["plot", "reliability", "table.csv", "-o", "figure.png"]);
    if cfg!(feature = "png") {
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(fs::read(place.path("figure.png")).unwrap().starts_with(b"\x89PNG"));
    } else {
        assert!(ran.stderr.ends_with("hint: build it with the feature png, or write .svg\n"));
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = place();
    let said = |args: &[&str]| {
        let ran = place.run(args);
        assert_eq!(ran.status, 2, "{ran:?}");
        ran.stderr.lines().find(|line| line.starts_with("error")).unwrap().to_owned()
    };
    assert_eq!(
        said(&["plot", "reliability", "table.csv", "-o", "figure.pdf"]),
        "error: figure.pdf: a figure ends in .svg or .png"
    );
    assert_eq!(
        said(&["plot", "reliability", "table.csv", "--class", "cat", "-o", "-"]),
        "error: --class: no class is named cat"
    );
    assert_eq!(
        said(&["plot", "contribution", "table.csv", "--class", "1", "-o", "-"]),
        "error: --class: contribution is drawn of the most probable class alone"
    );
    assert_eq!(
        said(&["report", "table.csv", "-o", "page.pdf"]),
        "error: page.pdf: a page ends in .html"
    );
    assert_eq!(place.names(), ["table.csv"]);
}

/// `script` gives a program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_small_diagram() {
    use std::process::Command;

    let place = place();
    let in_terminal = |options: &str| {
        let command = format!("{} estimate table.csv {options}", env!("CARGO_BIN_EXE_calipers"));
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(place.path("."));
        script.output().ok().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    // Where there is no `script` there is no terminal to be had.
    let Some(drawn) = in_terminal("") else { return };
    assert!(drawn.contains("f, what was predicted"), "{drawn}");
    assert!(!in_terminal("--plain").unwrap().contains("f, what was predicted"));
    assert!(!in_terminal("--format json").unwrap().contains("f, what was predicted"));
    let piped = place.run(&["estimate", "table.csv"]).stdout;
    assert!(!piped.contains("f, what was predicted"));
}

#[test]
fn an_index_lists_a_page_for_every_file() {
    let place = Place::new();
    fs::create_dir_all(place.path("models/night")).unwrap();
    for name in ["models/a&b.csv", "models/night/a&b.csv", "models/index.csv"] {
        place.write(name, delimited(",", "\n"));
    }
    place.write("models/bad.csv", "label,p_1\nyes,no\n");
    let quick = ["report", "models", "--index", "-o", "pages", "--recalibrator", "temperature"];
    let stopped = place.run(&quick);
    assert_eq!(stopped.status, 2, "{stopped:?}");
    assert!(!place.path("pages").exists(), "what is not whole is not written");
    let ran = place.run(&[&quick[..], &["--skip-bad-files"]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stderr.contains("note: left out: models/bad.csv, line 2, "), "{ran:?}");
    let index = fs::read_to_string(place.path("pages/index.html")).unwrap();
    assert!(
        index.contains("Calibration of 3 models") && index.contains("models/bad.csv, line 2, ")
    );
    for (page, model) in [
        ("a_b.csv.html", "a&amp;b.csv"),
        ("night_a_b.csv.html", "night/a&amp;b.csv"),
        ("index.csv.html", "index.csv"),
    ] {
        assert!(
            index.contains(&format!("<a href=\"{page}\"><bdi>{model}</bdi></a>")),
            "{model}: {index}"
        );
        // The page is the one that the file has alone.
        let html = fs::read_to_string(place.path(&format!("pages/{page}"))).unwrap();
        assert!(html.contains("What was run") && html.trim_end().ends_with("</html>"));
        assert!(html.contains("<a href=\"index.html\">all models</a>"), "{model}");
    }
    // What one looks for stands beside the model, where a telephone shows it.
    let heads = ["model", "estimate", "lower 95%", "rows", "shown"];
    let places = heads.map(|head| index.find(&format!(">{head}</button>")));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    // The figures are those of an estimate.
    let alone = place.estimate("models/index.csv", &["--metric", "top-l1"]);
    let value = alone["metrics"]["top-l1"]["value"].as_f64().unwrap();
    assert!(index.contains(&format!(">{value:.4}</td>")), "{value}: {index}");
    let refused = place.run(&[&quick[..], &["--models", "p_{model}"]].concat());
    assert!(
        refused.status == 2 && refused.stderr.contains("--models: with --index"),
        "{refused:?}"
    );
}

/// An index and its pages are replaced together, or not at all.
#[test]
fn a_bad_file_leaves_an_earlier_index_and_its_pages() {
    let place = Place::new();
    fs::create_dir(place.path("models")).unwrap();
    place.write("models/a.csv", delimited(",", "\n"));
    let quick = ["report", "models", "--index", "-o", "pages", "--recalibrator", "temperature"];
    assert_eq!(place.run(&quick).status, 0);
    let read = |name: &str| fs::read(place.path(&format!("pages/{name}"))).unwrap();
    let before = (read("index.html"), read("a.csv.html"));
    place.write("models/b.csv", "label,p_1\nyes,no\n");
    let ran = place.run(&[&quick[..], &["--metric", "log"]].concat());
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!((read("index.html"), read("a.csv.html")) == before);
    for output in ["-", "all.html"] {
        let ran = place.run(&["report", "models", "--index", "-o", output]);
        let said = format!("error: --output {output}: with --index it is a directory");
        assert!(ran.status == 2 && ran.stderr.starts_with(&said), "{ran:?}");
        assert!(!place.path(output).exists());
    }
}
