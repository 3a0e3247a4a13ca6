//! How a model was run: with which solver, arguments and options. A run with others is no rerun, but another model.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Eval, Source};
use crate::harness::runs::Run;

/// Options of how a model is called, which do not change what it is asked.
const CALLING: [&str; 8] = [
    "max_retries",
    "timeout",
    "attempt_timeout",
    "stream_idle_timeout",
    "max_connections",
    "adaptive_connections",
    "batch",
    "cache",
];

/// A value that is longer is cut in a name, as that of a system message.
const LONGEST: usize = 40;

/// What is set, by its name.
pub type Settings = BTreeMap<String, String>;

impl Eval {
    /// What is set of what may change the answers.
    pub fn settings(&self) -> Settings {
        let options = self.model_generate_config.iter().flatten();
        let options = options.filter(|(name, _)| !CALLING.contains(&name.as_str()));
        let named = options.chain(self.model_args.iter().flatten());
        let mut found: Settings = named
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), said(value)))
            .collect();
        let arguments = self.solver_args_passed.as_ref().or(self.solver_args.as_ref());
        found.extend(self.solver.as_ref().map(|solver| ("solver".to_owned(), solver.clone())));
        found.extend(
            arguments
                .filter(|arguments| !arguments.is_empty())
                .map(|arguments| ("solver_args".to_owned(), listed(arguments))),
        );
        found
    }
}

/// A value as it is said: a text without quotation marks.
fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Arguments as they are given.
pub fn listed(arguments: &Map<String, Value>) -> String {
    let given = arguments.iter().map(|(name, value)| format!("{name}={value}"));
    given.collect::<Vec<_>>().join(", ")
}

/// Says in the names of models in which settings their runs of one task differ.
pub fn name_apart(logs: &mut [Run<Source>]) {
    let mut tasks: BTreeMap<(&str, &str), BTreeSet<&Settings>> = BTreeMap::new();
    for log in &*logs {
        tasks.entry((&log.model, &log.task)).or_default().insert(&log.known.settings);
    }
    let mut differing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((model, _), all) in tasks {
        let differs = |name: &&String| {
            let mut values = all.iter().map(|own| own.get(*name));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let names = all.iter().flat_map(|own| own.keys()).filter(differs).cloned();
        differing.entry(model.to_owned()).or_default().extend(names);
    }
    for (model, names) in differing.iter().filter(|(_, names)| !names.is_empty()) {
        let own = || logs.iter().filter(|log| log.model == *model);
        let suffixes = |longest: usize| -> BTreeSet<String> {
            own().map(|log| suffix(&log.known.settings, names, longest)).collect()
        };
        // Cut only where no two become one by it.
        let is_short = suffixes(LONGEST).len() == suffixes(usize::MAX).len();
        let longest = if is_short { LONGEST } else { usize::MAX };
        for log in logs.iter_mut().filter(|log| log.model == *model) {
            log.model.push_str(&suffix(&log.known.settings, names, longest));
        }
    }
}

/// What is added to the name of a model: some of its settings, those that are set.
fn suffix(settings: &Settings, names: &BTreeSet<String>, longest: usize) -> String {
    let one = |name: &String| {
        let value = settings.get(name)?;
        let cut = value.char_indices().nth(longest).map(|(at, _)| &value[..at]);
        Some(cut.map_or_else(|| format!("{name}={value}"), |cut| format!("{name}={cut}…")))
    };
    match names.iter().filter_map(one).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        some => format!(" ({some})"),
    }
}
