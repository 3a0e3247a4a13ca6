//! `calipers metrics`: what can be measured, and how to name it.

use serde_json::{Value, json};

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::style::{render, table};
use crate::output::{json, print};

/// A part of a metric's name, and what it means.
type Part = (&'static str, &'static str);

const GRAMMAR: &str = "metric = [top-|classwise-][over-|under-]loss";

const LOSSES: [Part; 4] = [
    ("l<p>", "E|f - C|_p for any p >= 1: l1, l2, l1.5; two classes: E|f1 - C1|"),
    ("linf", "E max |f - C|, the largest error over the classes"),
    ("brier", "E|f - C|^2, the squared error; two classes: E(f1 - C1)^2"),
    ("log", "E KL(C || f) in nats; infinite where f rules out what occurs"),
];

const SCOPES: [Part; 3] = [
    ("(none)", "the whole vector of probabilities"),
    ("top-", "the most probable class: is its probability how often it is right"),
    ("classwise-", "the mean over classes of the error of that class against the rest"),
];

const SIDES: [Part; 3] = [
    ("(none)", "the whole error"),
    ("over-", "the share due to over-confidence: two classes, or with top-"),
    ("under-", "the share due to under-confidence: two classes, or with top-"),
];

const EXAMPLES: [Part; 5] = [
    ("l1", "how far the probabilities are off on average (the aim of ECE)"),
    ("top-l1", "how far the confidence in the predicted class is off on average"),
    ("over-l1", "how much of l1 is over-confidence"),
    ("classwise-brier", "the squared error of a class's probability, averaged over classes"),
    ("brier", "how much of the Brier score recalibration would remove"),
];

/// Runs the command.
pub fn metrics(args: &ListArgs) -> Result<()> {
    print(&match args.format {
        ListFormat::Table => as_table(),
        ListFormat::Json => json::pretty(&as_json()),
    })
}

fn as_table() -> String {
    let mut text = format!("{GRAMMAR}\nf: the probabilities; C: the truth, P(class | f)\n");
    for (title, parts) in [
        ("loss", &LOSSES[..]),
        ("scope", &SCOPES[..]),
        ("side", &SIDES[..]),
        ("example", &EXAMPLES[..]),
    ] {
        let mut list = table(&[title, "what it measures"]);
        for (name, about) in parts {
            list.add_row([name, about]);
        }
        text.push('\n');
        text.push_str(&render(list));
    }
    text
}

fn as_json() -> Value {
    let list = |parts: &[Part]| -> Value {
        let name = |name: &str| if name == "(none)" { String::new() } else { name.to_owned() };
        parts.iter().map(|(key, about)| json!({ "name": name(key), "about": about })).collect()
    };
    json!({
        "grammar": GRAMMAR,
        "losses": list(&LOSSES),
        "scopes": list(&SCOPES),
        "sides": list(&SIDES),
        "examples": list(&EXAMPLES),
    })
}
