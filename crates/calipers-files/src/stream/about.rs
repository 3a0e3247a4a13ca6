//! What a plan is about: its files, their columns, and which label is which class.

use serde::{Deserialize, Serialize};

use crate::columns::{Columns, FoldColumn, ScoreColumns};
use crate::error::{Error, Result};
use crate::scan::{Entry, Inputs, Layout, Word};

/// What is written down with a plan, so that its files can be read again, elsewhere and in parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The files, in their order: a row without a key is known by its file and its place there.
    pub files: Vec<String>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// Every label that occurs, with the number that it is and its class.
    labels: Vec<(String, Option<f64>, u32)>,
    label: String,
    scores: Vec<String>,
    logits: bool,
    weight: Option<String>,
    group: Option<String>,
    key: Option<String>,
    renormalise: bool,
}

impl About {
    pub(super) fn new(
        inputs: &Inputs,
        layout: &Layout,
        words: &[Entry],
        class_of: &[u32],
        classes: Vec<String>,
    ) -> Self {
        let columns = layout.to_columns();
        let labels = words.iter().zip(class_of);
        Self {
            files: (0..inputs.len()).map(|file| inputs.name(file).to_owned()).collect(),
            classes,
            labels: labels.map(|(word, &class)| (word.text.clone(), word.number, class)).collect(),
            label: layout.label().to_owned(),
            scores: layout.scores().to_vec(),
            logits: layout.logits(),
            weight: columns.weight,
            group: columns.group,
            key: columns.key,
            renormalise: columns.renormalise,
        }
    }

    /// As text.
    pub fn to_json(&self) -> String {
        // Numbers and words: nothing of it cannot be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From text.
    ///
    /// # Errors
    /// A plan that was not made of files.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|_| {
            Error::input("the plan does not say which columns it is about")
                .with_hint("make it with calipers plan")
        })
    }

    /// The columns, all of them by name.
    pub fn columns(&self) -> Columns {
        let scores = self.scores.clone();
        Columns {
            label: Some(self.label.clone()),
            scores: Some(match self.logits {
                true => ScoreColumns::Logits(scores),
                false => ScoreColumns::Probs(scores),
            }),
            weight: self.weight.clone(),
            group: self.group.clone(),
            cluster: None,
            time: None,
            folds: FoldColumn::Drawn,
            key: self.key.clone(),
            features: None,
            renormalise: self.renormalise,
            classes: None,
            positive: None,
            confidence: false,
        }
    }

    /// The words that are labels; their codes are their places.
    pub(super) fn words(&self) -> Vec<Word> {
        let word = |(text, number, _): &(String, Option<f64>, u32)| Word {
            text: text.clone(),
            number: *number,
        };
        self.labels.iter().map(word).collect()
    }

    /// The class of each code.
    pub(super) fn class_of(&self) -> Vec<u32> {
        self.labels.iter().map(|(.., class)| *class).collect()
    }

    /// The number of each of some files among the plan's.
    ///
    /// # Errors
    /// A file that is not among them, unless rows have keys and it does not matter.
    pub(super) fn places(&self, inputs: &Inputs) -> Result<Vec<usize>> {
        // A file that is listed twice is there twice.
        let mut taken = vec![false; self.files.len()];
        let place = |file: usize| {
            let name = inputs.name(file);
            let found = (0..self.files.len()).find(|&at| !taken[at] && self.files[at] == name);
            match found {
                Some(at) => taken[at] = true,
                None if self.key.is_some() => {}
                None => {
                    return Err(Error::input(format!(
                        "{name}: the plan was not made of this file"
                    ))
                    .with_hint(
                        "name it as calipers plan was told, or let rows have keys with --key",
                    ));
                }
            }
            Ok(found.unwrap_or(0))
        };
        (0..inputs.len()).map(place).collect()
    }
}

/// The class of each label; a code that is none has none.
pub(super) fn classes(codes: &[u32], class_of: &[u32]) -> Vec<u32> {
    codes.iter().map(|&code| class_of.get(code as usize).copied().unwrap_or(u32::MAX)).collect()
}
