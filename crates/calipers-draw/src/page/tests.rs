//! The page keeps its promises: nothing written by others becomes markup, and it stays small.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calipers::{Estimator, Features, Predictions, recalibrator, simulate};
use sha2::{Digest, Sha256};

use super::shell::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use super::*;
use crate::text::decimal;

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

/// Rows of which f is right on average, while the old in the south are worse off than it says, and all others
/// a little better; `income` says much what `age` says, and `noise` nothing.
fn known(rows: usize, names: [&str; 2]) -> Predictions<'static> {
    let mut state = 1_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut f, mut labels) = (Vec::new(), Vec::new());
    let (mut age, mut income, mut noise, mut region) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rows {
        let (p, old) = (0.2 + 0.6 * uniform(), 20.0 + 60.0 * uniform());
        let south = uniform() < 0.4;
        let odds = p / (1.0 - p) * if south && old > 55.0 { 4.0 } else { 0.8 };
        labels.push(u32::from(uniform() < odds / (1.0 + odds)));
        f.push(p);
        age.push(old);
        income.push(if uniform() < 0.05 { f64::NAN } else { old + uniform() });
        noise.push(uniform());
        region.push(Some(if south { names[1] } else { "north" }));
    }
    let features = Features::new().number(names[0], age).unwrap().number("income", income).unwrap();
    let features = features.number("noise", noise).unwrap().category("region", &region).unwrap();
    Predictions::binary(f, &labels).unwrap().with_features(features).unwrap()
}

#[test]
fn what_features_know_has_a_section_if_there_are_features() {
    let plain = simulate("binary-overconfident", 300, 0).unwrap();
    assert!(!page(&[("a", &plain)]).contains("What the features know"));
    let seen = quick().examine(&[("a", &known(4_000, ["age", "south"]))]).unwrap();
    let html = Page::new(&seen, Run::new("test", 0.0)).html();
    let given = seen.reports[0].given_features.as_ref().unwrap();
    assert_eq!(html.matches("<h2>What the features know</h2>").count(), 1);
    assert!(html.contains("<strong>The features know what f does not.</strong> Of l1, a g"));
    assert!(
        html.contains("<strong>Rows with the same prediction differ</strong>"),
        "the verdict says so"
    );
    assert!(
        html.contains("<dt>features</dt><dd><bdi>age</bdi>, <bdi>income</bdi>, <bdi>noise</bdi>")
    );
    // Related features have one bar.
    assert!(html.contains("<td class=\"word\"><bdi>age</bdi> + <bdi>income</bdi></td>"));
    assert_eq!(html.matches("class=\"whisker\"").count(), given.shares.len());
    let shown = &given.segments.shown;
    assert!(!shown.is_empty() && seen.figures[0].segments.len() == shown.len());
    assert_eq!(html.matches("type=\"radio\"").count(), shown.len());
    assert_eq!(html.matches(" checked hidden>").count(), 1);
    assert!(html.contains(&format!(">at\u{a0}least {}</td>", decimal(shown[0].bound))));
    assert!(html.contains(
        "Found in 2,400 rows, measured in 1,600 others; the bounds hold together with 95%"
    ));
    // Every button of the table shows a figure that there is.
    for value in html.split("type=\"radio\"").skip(1) {
        let value = value.split("value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(html.matches(&format!("<div id=\"{value}\"><figure")).count(), 1);
    }
}

#[test]
fn segments_that_are_not_confirmed_are_counted() {
    let mut seen = quick().examine(&[("a", &known(1_000, ["age", "south"]))]).unwrap();
    let given = seen.reports[0].given_features.as_mut().unwrap();
    given.segments.shown.clear();
    given.segments.tried = 3;
    given.gains.iter_mut().for_each(|gain| gain.lower = 0.0);
    given.shares.iter_mut().for_each(|share| share.lost[0].value = 0.0);
    let html = Page::new(&seen, Run::new("test", 0.0)).html();
    assert!(
        html.contains("None was confirmed: 3 were found in 600 rows and measured in 400 others")
    );
    assert!(html.contains("<strong>not shown to know what f does not</strong>"));
    assert!(!html.contains("Rows with the same prediction differ</strong>"));
    assert!(
        html.contains("Nothing is lost without any of them") && !html.contains("type=\"radio\"")
    );
    seen.reports[0].given_features.as_mut().unwrap().segments.tried = 0;
    let html = Page::new(&seen, Run::new("test", 0.0)).html();
    assert!(html.contains("None was found in 600 rows that would be worth measuring"));
}

#[test]
fn names_of_features_and_of_levels_stay_text_and_fit() {
    let evil = "</script><script>alert(1)</script>\"'&<!--";
    let long = format!("{evil}{}", "ab".repeat(30_000));
    let predictions = known(4_000, [evil, &long]);
    let models = [("a", &predictions), ("b", &predictions), ("c", &predictions)];
    let html = page(&models);
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(!html.contains("<script>alert") && !html.contains("<!--"));
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(!html.contains(" style=") && !html.contains(" onclick="), "the policy forbids them");
    assert!(html.len() < MOST_BYTES, "{}", html.len());
    // Of more models segments have no figures.
    let html = page(&[models[0], models[1], models[2], ("d", &predictions)]);
    assert!(html.contains("class=\"segments\"") && !html.contains("type=\"radio\""));
    assert!(html.len() < MOST_BYTES, "{}", html.len());
}
