//! `calipers metrics`: what can be measured, and how to name it.

use calipers::{Metric, MetricPart};
use serde_json::{Value, json};

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::style::{render, table};
use crate::output::{json, print};

const EXAMPLES: [(&str, &str); 5] = [
    ("l1", "how far the probabilities are off on average (the aim of ECE)"),
    ("top-l1", "how far the confidence in the predicted class is off on average"),
    ("over-l1", "how much of l1 is over-confidence"),
    ("classwise-brier", "the squared error of a class's probability, averaged over classes"),
    ("brier", "how much of the Brier score recalibration would remove"),
];

/// List the metrics: what can be measured
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub list: ListArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    print(&match args.list.format {
        ListFormat::Table => as_table(),
        ListFormat::Json => json::pretty(&as_json()),
    })
}

fn as_table() -> String {
    let grammar = Metric::GRAMMAR;
    let mut text = format!("{grammar}\nf: the probabilities; C: the truth, P(class | f)\n");
    for (title, parts) in [
        ("loss", named(Metric::LOSSES)),
        ("scope", named(Metric::SCOPES)),
        ("side", named(Metric::SIDES)),
        ("example", EXAMPLES.to_vec()),
    ] {
        let mut list = table(&[title, "what it measures"]);
        for (name, about) in parts {
            list.add_row([if name.is_empty() { "(none)" } else { name }, about]);
        }
        text.push('\n');
        text.push_str(&render(list));
    }
    text
}

fn as_json() -> Value {
    let list = |parts: Vec<(&str, &str)>| -> Value {
        parts.into_iter().map(|(name, about)| json!({ "name": name, "about": about })).collect()
    };
    json!({
        "grammar": Metric::GRAMMAR,
        "losses": list(named(Metric::LOSSES)),
        "scopes": list(named(Metric::SCOPES)),
        "sides": list(named(Metric::SIDES)),
        "examples": list(EXAMPLES.to_vec()),
    })
}

fn named(parts: &[MetricPart]) -> Vec<(&'static str, &'static str)> {
    parts.iter().map(|part| (part.name, part.about)).collect()
}
