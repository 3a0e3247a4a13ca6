//! Which option is right: a line says it by its number or by its text, and what the harness counted as right
//! tells which.

use calipers::words::{listed, visible};
use serde_json::Value;

use super::line::Line;

/// A line with the log-likelihoods of its options.
pub struct Chosen {
    pub line: Line,
    pub options: Vec<f64>,
}

/// The right option of each line, or why that cannot be told.
pub fn resolve(all: &[Chosen]) -> Result<Vec<usize>, String> {
    if let Some(one) = all.iter().find(|one| !one.line.is_judged()) {
        return Err(unjudged(&one.line));
    }
    if all.iter().any(|one| one.line.is_partly_right()) {
        return Err("it counts answers as partly right, so no single option is".to_owned());
    }
    if all.iter().all(shares_one_text) && !all.is_empty() {
        return by_outcome(all);
    }
    let readings = [number as fn(&Chosen) -> Option<usize>, text];
    let found: Vec<Vec<usize>> = readings.iter().filter_map(|read| reading(all, *read)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [one, other] if one == other => Ok(one.clone()),
        [_, _] => {
            Err("its targets may be the options' numbers or their texts, and both fit".to_owned())
        }
        _ => Err(unresolved(all)),
    }
}

/// The right options in one reading, if it gives every line one that agrees with what was counted.
fn reading(all: &[Chosen], read: fn(&Chosen) -> Option<usize>) -> Option<Vec<usize>> {
    all.iter()
        .map(|one| {
            let right = read(one).filter(|right| *right < one.options.len())?;
            let agrees = one.line.correct().is_none_or(|correct| correct == (best(one) == right));
            agrees.then_some(right)
        })
        .collect()
}

/// A target that is the number of an option, alone or in a list of one; or one of Python's truth values, which are
/// numbers there, unless it is the text of an option.
fn number(one: &Chosen) -> Option<usize> {
    let target = match &one.line.target {
        Value::Array(all) if all.len() == 1 => all.first()?,
        target => target,
    };
    match target {
        Value::String(target) => match alone(target) {
            "False" if text(one).is_none() => Some(0),
            "True" if text(one).is_none() => Some(1),
            number => number.parse().ok(),
        },
        Value::Bool(truth) => Some(usize::from(*truth)),
        other => other.as_u64().and_then(|number| number.try_into().ok()),
    }
}

/// What is in a list, as Python writes one, if it is one thing or no list.
fn alone(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).map_or(text, str::trim)
}

/// A target that is the text of an option: the first of that text.
fn text(one: &Chosen) -> Option<usize> {
    let target = one.line.target.as_str()?;
    let texts = one.line.texts(one.options.len())?;
    let exact = texts.iter().position(|text| *text == target);
    exact.or_else(|| texts.iter().position(|text| text.trim_start() == target.trim_start()))
}

/// Whether the options are questions that share one answer, so that the target names none of them.
fn shares_one_text(one: &Chosen) -> bool {
    one.line
        .texts(one.options.len())
        .is_some_and(|texts| texts.windows(2).all(|two| two[0] == two[1]))
}

/// Of two options, the one that was counted as right or wrong tells the other.
fn by_outcome(all: &[Chosen]) -> Result<Vec<usize>, String> {
    all.iter()
        .map(|one| match (one.options.len(), one.line.correct()) {
            (2, Some(true)) => Ok(best(one)),
            (2, Some(false)) => Ok(1 - best(one)),
            _ => Err("which option is right is not written".to_owned()),
        })
        .collect()
}

/// The first of the best options.
fn best(one: &Chosen) -> usize {
    let better =
        |best: usize, at: usize| if one.options[at] > one.options[best] { at } else { best };
    (0..one.options.len()).fold(0, better)
}

/// Why a task without a right option has none.
fn unjudged(line: &Line) -> String {
    match line.metrics.as_slice() {
        [] => "it does not say whether the right option was chosen".to_owned(),
        own => {
            let named: Vec<_> = own.iter().map(|metric| visible(metric)).collect();
            format!("what it measures knows no right option: {}", listed(&named))
        }
    }
}

/// Why no reading fits.
fn unresolved(all: &[Chosen]) -> String {
    let lost = all.iter().find(|one| number(one).is_none() && text(one).is_none());
    match lost {
        Some(one) if is_several(&one.line.target.to_string()) => {
            "several of its options are right".to_owned()
        }
        Some(one) => {
            let target = one.line.target.to_string();
            let target = visible(&target).chars().take(60).collect::<String>();
            format!("the target {target} is none of its options")
        }
        None => "its targets do not agree with what was counted as right".to_owned(),
    }
}

/// Whether a target is a list of more than one.
fn is_several(target: &str) -> bool {
    target.trim_matches('"').starts_with('[') && target.contains(',')
}
