//! The page keeps its promises: nothing written by others becomes markup, and it stays small.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calipers::{Estimator, Predictions, recalibrator, simulate};
use sha2::{Digest, Sha256};

use super::*;

const MOST_BYTES: usize = 1_500_000;

fn quick() -> Estimator {
    Estimator::new().recalibrator(recalibrator("isotonic").unwrap()).draws(0)
}

fn page(models: &[(&str, &Predictions<'_>)]) -> String {
    Page::new(&quick().examine(models).unwrap(), Run::new("test", 0.0)).html()
}

#[test]
fn the_policy_knows_the_style_and_the_script() {
    for (text, hash, file) in
        [(STYLE, STYLE_HASH, "style.sha256"), (SCRIPT, SCRIPT_HASH, "script.sha256")]
    {
        let found = format!("sha256-{}", STANDARD.encode(Sha256::digest(text)));
        assert_eq!(hash.trim(), found, "write this into {file}");
    }
}

#[test]
fn names_of_others_stay_text() {
    let evil = "</script><script>alert(1)</script>\"'&<!--";
    let long = "ab".repeat(5_000);
    let names = [evil, "\u{202e}שלום", long.as_str()];
    let predictions = simulate("multiclass-overconfident-3", 300, 0).unwrap();
    let predictions = predictions.with_class_names(names).unwrap();
    let groups: Vec<&str> = (0..300).map(|row| names[row % 3]).collect();
    let predictions = predictions.with_groups(&groups).unwrap();
    let other = predictions.clone();
    let html = page(&[(evil, &predictions), (&long, &other)]);
    assert!(!html.contains("<script>alert"));
    assert!(!html.contains("<!--"));
    // One script that runs; the others are data.
    assert_eq!(html.matches("<script>").count(), 1);
    assert_eq!(html.matches("</script>").count(), html.matches("<script").count());
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(html.contains("<bdi>\u{202e}שלום</bdi>"));
    assert!(html.contains(&format!("title=\"{long}\"")), "the whole name is there on hovering");
}

#[test]
fn a_page_asks_for_nothing() {
    let predictions = simulate("binary-overconfident", 200, 0).unwrap();
    let html = page(&[("a", &predictions)]);
    for way in [" src=", " href=", "@import", "url(http", "url(//", "<link", "<iframe"] {
        assert!(!html.contains(way), "{way}");
    }
    assert!(html.contains("default-src 'none'"));
    assert!(!html.contains(" style=") && !html.contains(" onclick="), "the policy forbids them");
}

#[test]
fn a_thousand_classes_with_long_names_fit() {
    let classes = 1_000;
    let rows = 2_000;
    let mut probs = ndarray::Array2::from_elem((rows, classes), 0.5 / (classes - 1) as f64);
    let labels: Vec<u32> = (0..rows).map(|row| (row * 7 % classes) as u32).collect();
    for row in 0..rows {
        probs[[row, row % classes]] = 0.5;
    }
    let names: Vec<String> =
        (0..classes).map(|class| format!("{class}{}", "𝔁".repeat(10_000))).collect();
    let predictions = Predictions::new(probs, &labels).unwrap().with_class_names(names).unwrap();
    let html = page(&[("many", &predictions)]);
    assert!(html.len() < MOST_BYTES, "{}", html.len());
}

#[test]
fn verdicts_say_what_is_shown_and_what_is_not() {
    let off = simulate("binary-overconfident", 2_000, 0).unwrap();
    let html = page(&[("a", &off)]);
    assert!(
        html.contains("shown to be off by at least")
            && html.contains("It is shown to be over-confident.")
    );
    let few = simulate("binary-overconfident", 20, 0).unwrap();
    assert!(page(&[("a", &few)]).contains("not shown to be miscalibrated"));
    let same = off.clone();
    assert!(
        page(&[("a", &off), ("b", &same)])
            .contains("The two models are <strong>not shown to differ")
    );
}

#[test]
fn a_note_is_said_once_and_in_the_words_of_who_made_the_page() {
    let predictions = simulate("binary-overconfident", 200, 0).unwrap();
    let mut seen = quick().examine(&[("a", &predictions), ("b", &predictions)]).unwrap();
    for report in &mut seen.reports {
        report.approximations = vec!["some <of> it".to_owned()];
        report.estimates[0].infinite_rows = 1;
    }
    let mut run = Run::new("test", 0.0);
    run.notes = vec!["note: a remark".to_owned()];
    let html = Page::new(&seen, run.clone()).html();
    for note in
        ["note: a remark", "hint: --log-floor 1e-12 lets no probability count as less than that"]
    {
        assert_eq!(html.matches(note).count(), 1, "{note}");
    }
    assert!(!html.contains("some &lt;of&gt; it"), "what is usual is no note");
    run.face = Face::Python;
    assert!(Page::new(&seen, run).html().contains("hint: log_floor=1e-12 lets"));
}
