//! One line of a file of samples.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The measures of the harness that compare with a right option: a task without any of them has none, though its
/// lines have a target (0, for the likelier of two sentences).
const JUDGING: [&str; 8] =
    ["acc", "acc_norm", "acc_bytes", "exact_match", "f1", "mcc", "brier_score", MUTUAL];
const MUTUAL: &str = "acc_mutual_info";

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
    /// The names of what was measured, which versions up to 0.4.3 do not list: there, the names alone tell.
    #[serde(default)]
    pub metrics: Vec<String>,
    #[serde(default)]
    acc: Value,
    acc_norm: Option<IgnoredAny>,
    acc_bytes: Option<IgnoredAny>,
    exact_match: Option<IgnoredAny>,
    f1: Option<IgnoredAny>,
    mcc: Option<IgnoredAny>,
    brier_score: Option<IgnoredAny>,
    acc_mutual_info: Option<IgnoredAny>,
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
        let Some(all) = self.filtered_resps.as_array() else { return self.unlike_options() };
        let mut options = Vec::with_capacity(all.len());
        for one in all {
            let [score, greedy] = one.as_array().map_or(&[][..], Vec::as_slice) else {
                return self.unlike_options();
            };
            // Two written answers are two texts as well.
            if !is_truth(greedy) {
                return self.unlike_options();
            }
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
        if self.is_mutual() {
            options.truncate(options.len() / 2);
        }
        match options.len() {
            0 | 1 => Answers::Other("there is nothing to choose from"),
            _ => Answers::Options(options),
        }
    }

    /// What there is where there are no options: of a text that is scored whole, the request is that text alone;
    /// one for an answer says how it is to be written, too.
    fn unlike_options(&self) -> Answers {
        let first = match &self.arguments {
            Value::Array(all) => all.first(),
            all => all.get("gen_args_0"),
        };
        let length = first.and_then(|one| match one {
            Value::Array(parts) => Some(parts.len()),
            Value::Object(parts) => Some(parts.len()),
            _ => None,
        });
        Answers::Other(match length {
            Some(1) => "its texts are scored whole, with nothing to choose from",
            _ => "its answers are written, not chosen from options",
        })
    }

    fn is_mutual(&self) -> bool {
        self.acc_mutual_info.is_some() || self.metrics.iter().any(|metric| metric == MUTUAL)
    }

    /// Whether the harness compared the answer with a right one.
    pub fn is_judged(&self) -> bool {
        let there = [
            &self.acc_norm,
            &self.acc_bytes,
            &self.exact_match,
            &self.f1,
            &self.mcc,
            &self.brier_score,
            &self.acc_mutual_info,
        ];
        !self.acc.is_null()
            || there.iter().any(|one| one.is_some())
            || self.metrics.iter().any(|metric| JUDGING.contains(&metric.as_str()))
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

/// Whether something is what is written beside a log-likelihood: whether the option is what the model would say.
fn is_truth(value: &Value) -> bool {
    value.is_boolean() || value.as_str().is_some_and(|text| text == "True" || text == "False")
}

fn text(arguments: &Map<String, Value>, at: usize) -> Option<&str> {
    arguments.get(&format!("gen_args_{at}"))?.get("arg_1")?.as_str()
}
