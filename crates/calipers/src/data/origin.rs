//! How an input was understood: which column is what.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::words::{listed, visible};

/// The columns that predictions were read from, so that a report can show what was made of them.
///
/// ```
/// use calipers::Origin;
///
/// let origin = Origin::new("diagnosis", ["p_benign"], false);
/// let classes = ["Malignant", "Benign"].map(str::to_owned);
/// assert_eq!(origin.line(&classes), "p_benign -> P(Benign); labels: diagnosis");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The column of what was observed.
    pub labels: String,
    /// The columns of the predictions: one a class, or one for the second of two.
    pub scores: Vec<String>,
    /// Whether they are logits.
    pub logits: bool,
    /// What other columns were taken for, such as `weight` or `ignored`.
    pub others: Vec<(String, Vec<String>)>,
}

impl Origin {
    /// Columns of labels and of predictions.
    pub fn new<S: Into<String>>(
        labels: impl Into<String>,
        scores: impl IntoIterator<Item = S>,
        logits: bool,
    ) -> Self {
        let scores = scores.into_iter().map(Into::into).collect();
        Self { labels: labels.into(), scores, logits, others: Vec::new() }
    }

    /// Adds what other columns were taken for.
    #[must_use]
    pub fn with(mut self, what: &str, columns: Vec<String>) -> Self {
        if !columns.is_empty() {
            self.others.push((what.to_owned(), columns));
        }
        self
    }

    /// One line that shows which column was taken for which of these classes, and for what else.
    pub fn line(&self, classes: &[String]) -> String {
        let of = if self.logits { "logit" } else { "P" };
        let pairs: Vec<String> = self
            .pairs(classes)
            .map(|(column, class)| {
                format!("{} -> {of}({})", visible(shown(column)), visible(class))
            })
            .collect();
        let mut line = format!("{}; labels: {}", listed(&pairs), visible(shown(&self.labels)));
        for (what, columns) in &self.others {
            let names: Vec<_> = columns.iter().map(|name| visible(shown(name))).collect();
            // Writing to a string cannot fail.
            let _ = write!(line, "; {what}: {}", listed(&names));
        }
        line
    }

    /// The same as JSON: the column of labels, and the class of each column of predictions.
    pub(crate) fn to_json(&self, classes: &[String]) -> Value {
        let kind = if self.logits { "logits" } else { "probabilities" };
        let scores: Map<String, Value> = self
            .pairs(classes)
            .map(|(column, class)| (column.to_owned(), Value::from(class)))
            .collect();
        let mut json = json!({ "labels": self.labels, kind: scores });
        for (what, columns) in &self.others {
            json[what.as_str()] = match columns.as_slice() {
                [one] if !LISTS.contains(&what.as_str()) => json!(one),
                several => json!(several),
            };
        }
        json
    }

    /// The columns of the predictions with their classes.
    fn pairs<'a>(&'a self, classes: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let first = classes.len().saturating_sub(self.scores.len());
        let classes = classes.iter().skip(first).map(String::as_str);
        self.scores.iter().map(String::as_str).zip(classes)
    }
}

/// What any number of columns may be taken for: a list in JSON, of however many.
const LISTS: [&str; 2] = ["features", "ignored"];

fn shown(name: &str) -> &str {
    if name.is_empty() { "(unnamed)" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_shown_with_what_it_was_taken_for() {
        let classes = ["no", "yes"].map(str::to_owned);
        let origin = Origin::new("y", ["p1", "p0"], false)
            .with("weight", vec!["w".to_owned()])
            .with("group", Vec::new())
            .with("features", vec!["age".to_owned()])
            .with("ignored", vec![String::new(), "id".to_owned()]);
        assert_eq!(
            origin.line(&classes),
            "p1 -> P(no), p0 -> P(yes); labels: y; weight: w; features: age; ignored: (unnamed), id"
        );
        assert_eq!(
            origin.to_json(&classes),
            json!({
                "labels": "y",
                "probabilities": { "p1": "no", "p0": "yes" },
                "weight": "w",
                "features": ["age"],
                "ignored": ["", "id"],
            })
        );
        let logit = Origin::new("y\n", ["z"], true);
        assert_eq!(logit.line(&classes), "z -> logit(yes); labels: y\\n");
    }

    #[test]
    fn many_classes_are_cut() {
        let names: Vec<String> = (0..100).map(|class| class.to_string()).collect();
        let origin = Origin::new("y", names.iter().map(|name| format!("p{name}")), false);
        let line = origin.line(&names);
        assert!(line.starts_with("p0 -> P(0), p1 -> P(1),") && line.len() < 160, "{line}");
        assert!(line.ends_with("p99 -> P(99) (100 in all); labels: y"), "{line}");
    }
}
