//! One line of a file of samples.

use serde::Deserialize;
use serde_json::{Map, Value};

/// What is read of a line; the question's text is not.
#[derive(Debug, Deserialize)]
pub struct Line {
    doc_id: Value,
    pub doc_hash: Option<String>,
    #[serde(default)]
    pub target: Value,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    filtered_resps: Value,
    pub filter: Option<String>,
    #[serde(default)]
    metrics: Vec<String>,
    #[serde(default)]
    acc: Value,
}

/// What the answers of a line are.
pub enum Answers {
    /// The log-likelihood of each option.
    Options(Vec<f64>),
    /// Something else, in words.
    Other(&'static str),
    /// A log-likelihood that is no number.
    Bad(String),
}

impl Line {
    /// The question's number.
    pub fn number(&self) -> Option<u64> {
        self.doc_id.as_u64().or_else(|| self.doc_id.as_str()?.parse().ok())
    }

    /// The answers.
    pub fn answers(&self) -> Answers {
        const WRITTEN: &str = "its answers are written, not chosen from options";
        let Some(all) = self.filtered_resps.as_array() else { return Answers::Other(WRITTEN) };
        let mut options = Vec::with_capacity(all.len());
        for one in all {
            let [score, _] = one.as_array().map_or(&[][..], Vec::as_slice) else {
                return Answers::Other(WRITTEN);
            };
            let read = match score {
                Value::String(text) => text.parse::<f64>().ok(),
                other => other.as_f64(),
            };
            match read.filter(|score| *score < f64::INFINITY) {
                Some(score) => options.push(score),
                None => return Answers::Bad(score.to_string()),
            }
        }
        // The options once more without the question, to be subtracted.
        if self.metrics.iter().any(|metric| metric == "acc_mutual_info") {
            options.truncate(options.len() / 2);
        }
        match options.len() {
            0 | 1 => Answers::Other("there is nothing to choose from"),
            _ => Answers::Options(options),
        }
    }

    /// Whether the first of the best options was right, as the harness says; none if it does not, or where it
    /// counts in another way.
    pub fn correct(&self) -> Option<bool> {
        match self.acc.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        }
    }

    /// Whether the harness counts in another way than right or wrong.
    pub fn is_partly_right(&self) -> bool {
        self.acc.is_number() && self.correct().is_none()
    }

    /// The texts of the options, if the line has them.
    pub fn texts(&self, count: usize) -> Option<Vec<&str>> {
        let arguments = self.arguments.as_object()?;
        (0..count).map(|at| text(arguments, at)).collect()
    }
}

fn text(arguments: &Map<String, Value>, at: usize) -> Option<&str> {
    arguments.get(&format!("gen_args_{at}"))?.get("arg_1")?.as_str()
}
