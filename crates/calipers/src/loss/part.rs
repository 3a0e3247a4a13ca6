//! The parts that the name of a metric is put together from.

use serde::{Deserialize, Serialize};

/// A part of a metric's name, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricPart {
    /// How it is written; empty for the part that is left out.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
}

impl MetricPart {
    pub(super) const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about }
    }
}

/// Which problem the error is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The whole probability vector.
    Canonical,
    /// The two-class problem "is the most probable class the observed one?".
    Top,
    /// The mean over classes of the two-class problem "this class or not?".
    Classwise,
}

impl Scope {
    /// Every scope, in the order of their numbers.
    pub(super) const ALL: [Self; 3] = [Self::Canonical, Self::Top, Self::Classwise];

    /// What stands before a name, one a scope.
    pub(super) const PARTS: [MetricPart; 3] = [
        MetricPart::new("", "the whole vector of probabilities"),
        MetricPart::new(
            "top-",
            "the most probable class: is its probability how often it is right",
        ),
        MetricPart::new(
            "classwise-",
            "the mean over classes of the error of that class against the rest",
        ),
    ];

    pub(super) fn prefix(self) -> &'static str {
        Self::PARTS[self as usize].name
    }
}

/// Which share of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The truth lies towards 1/2 from f (with `top`: below f).
    Over,
    /// The truth lies away from 1/2 (with `top`: above f).
    Under,
}

impl Side {
    /// The whole error, and each side of it.
    pub(super) const ALL: [Option<Self>; 3] = [None, Some(Self::Over), Some(Self::Under)];

    /// What stands before a name, one each.
    pub(super) const PARTS: [MetricPart; 3] = [
        MetricPart::new("", "the whole error"),
        MetricPart::new("over-", "the share due to over-confidence: two classes, or with top-"),
        MetricPart::new("under-", "the share due to under-confidence: two classes, or with top-"),
    ];

    pub(super) fn prefix(side: Option<Self>) -> &'static str {
        Self::PARTS[side.map_or(0, |side| 1 + side as usize)].name
    }
}

/// Takes the prefix of one of several values off a text; the first value has none.
pub(super) fn strip<'t, T: Copy, const N: usize>(
    text: &'t str,
    values: [T; N],
    parts: &[MetricPart; N],
) -> (T, &'t str) {
    let found = parts
        .iter()
        .zip(values)
        .skip(1)
        .find_map(|(part, value)| text.strip_prefix(part.name).map(|rest| (value, rest)));
    found.unwrap_or((values[0], text))
}

/// The prefixes as a grammar has them: `[top-|classwise-]`.
pub(super) fn optional(parts: &[MetricPart]) -> String {
    let names: Vec<&str> =
        parts.iter().map(|part| part.name).filter(|name| !name.is_empty()).collect();
    format!("[{}]", names.join("|"))
}
