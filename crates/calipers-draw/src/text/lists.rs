//! What there is: recalibrators, metrics, measures of others, simulations.

use calipers::{Metric, MetricPart, Parameter, Simulation};
use serde_json::{Value, json};

use super::{Look, Table};

/// Metrics that one asks for, and what they answer.
const EXAMPLES: [(&str, &str); 5] = [
    ("l1", "how far the probabilities are off on average (the aim of ECE)"),
    ("top-l1", "how far the confidence in the predicted class is off on average"),
    ("over-l1", "how much of l1 is over-confidence"),
    ("classwise-brier", "the squared error of a class's probability, averaged over classes"),
    ("brier", "how much of the Brier score recalibration would remove"),
];

/// A name, what it is, and its parameters.
type Listed = (&'static str, &'static str, &'static [Parameter]);

/// The recalibrators and their parameters.
pub fn recalibrators(look: Look) -> String {
    let all: Vec<Listed> =
        calipers::recalibrators().map(|one| (one.name, one.about, one.parameters)).collect();
    let option =
        look.face.pick("--recalibrator kernel:bandwidth=0.05", "\"kernel:bandwidth=0.05\"");
    format!("{}\nParameters follow a colon: {option}\n", listed("name", &all, look))
}

/// The measures of others and their parameters.
pub fn measures(look: Look) -> String {
    let all: Vec<Listed> =
        calipers::neighbours().map(|one| (one.name, one.about, one.parameters)).collect();
    let option = look.face.pick("--measure top-ece:bins=20,by=mass", "\"top-ece:bins=20,by=mass\"");
    format!(
        "{}\nBefore a name: top- (the most probable class), classwise- or marginal- (the mean\n\
         over classes); after it parameters: {option}\n",
        listed("measure", &all, look)
    )
}

/// What metrics' names are made of.
pub fn metrics(look: Look) -> String {
    let grammar = Metric::grammar();
    let mut text = format!("{grammar}\nf: the probabilities; C: the truth, P(class | f)\n");
    for (title, parts) in [
        ("loss", named(Metric::LOSSES)),
        ("scope", named(Metric::SCOPES)),
        ("side", named(Metric::SIDES)),
        ("example", EXAMPLES.to_vec()),
    ] {
        let names = parts.iter().map(|(name, _)| if name.is_empty() { "(none)" } else { name });
        let table = Table::new()
            .words(title, names)
            .words("what it measures", parts.iter().map(|(_, about)| *about));
        text.push('\n');
        text.push_str(&table.text(look));
    }
    text
}

/// The simulations, as plain letters.
pub fn simulations() -> String {
    let all = Simulation::all();
    Table::new()
        .words("name", all.iter().map(|one| one.name))
        .words("classes", all.iter().map(|one| one.classes.to_string()))
        .words("the truth behind a prediction u", all.iter().map(|one| one.about))
        .text(Look::command_line(false))
}

/// [`recalibrators`] as JSON.
pub fn recalibrators_json() -> Value {
    calipers::recalibrators()
        .map(|one| {
            let parameters = parameters_json(one.parameters);
            json!({ "name": one.name, "about": one.about, "parameters": parameters })
        })
        .collect()
}

/// [`measures`] as JSON.
pub fn measures_json() -> Value {
    calipers::neighbours()
        .map(|one| {
            let parameters = parameters_json(one.parameters);
            json!({
                "name": one.name, "about": one.about, "vectors": one.vectors, "parameters": parameters,
            })
        })
        .collect()
}

/// [`metrics`] as JSON.
pub fn metrics_json() -> Value {
    let list = |parts: Vec<(&str, &str)>| -> Value {
        parts.into_iter().map(|(name, about)| json!({ "name": name, "about": about })).collect()
    };
    json!({
        "grammar": Metric::grammar(),
        "losses": list(named(Metric::LOSSES)),
        "scopes": list(named(Metric::SCOPES)),
        "sides": list(named(Metric::SIDES)),
        "examples": list(EXAMPLES.to_vec()),
    })
}

/// What something is, in one line with its parameters' defaults.
///
/// ```
/// use calipers_draw::text::lists::described;
///
/// let kernel = calipers::recalibrators().find(|one| one.name == "kernel").unwrap();
/// assert!(described(kernel.about, kernel.parameters).ends_with("; bandwidth=0.1"));
/// ```
pub fn described(about: &str, parameters: &[Parameter]) -> String {
    let defaults: Vec<String> =
        parameters.iter().map(|one| format!("{}={}", one.name, one.default)).collect();
    if defaults.is_empty() { about.to_owned() } else { format!("{about}; {}", defaults.join(", ")) }
}

/// A table of names, and one of their parameters.
fn listed(title: &str, all: &[Listed], look: Look) -> String {
    let names = Table::new()
        .words(title, all.iter().map(|(name, ..)| *name))
        .words("what it is", all.iter().map(|(_, about, _)| *about));
    let parameters: Vec<(&str, &Parameter)> = all
        .iter()
        .flat_map(|(name, _, own)| own.iter().map(|parameter| (*name, parameter)))
        .collect();
    let settings = Table::new()
        .words("parameter", parameters.iter().map(|(of, one)| format!("{of}:{}", one.name)))
        .words("default", parameters.iter().map(|(_, one)| one.default))
        .words("what it sets", parameters.iter().map(|(_, one)| one.about));
    format!("{}\n{}", names.text(look), settings.text(look))
}

fn parameters_json(parameters: &[Parameter]) -> Value {
    let one =
        |one: &Parameter| json!({ "name": one.name, "default": one.default, "about": one.about });
    parameters.iter().map(one).collect()
}

fn named(parts: &[MetricPart]) -> Vec<(&'static str, &'static str)> {
    parts.iter().map(|part| (part.name, part.about)).collect()
}
