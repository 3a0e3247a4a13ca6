//! How labels are read, so that a batch that has only some of them is read as all rows are.

use std::collections::HashMap;

use calipers::labels::{ClassColumns, Label, Reading, Rule, read};
use calipers::{Error, Result};
use serde_json::{Map, Value, json};

/// The labels that have occurred so far.
#[derive(Default)]
pub struct Seen {
    labels: Vec<Label>,
    places: HashMap<String, u32>,
    rows: usize,
}

impl Seen {
    /// Takes in the labels of a batch; the code of each of them among all.
    pub fn add(&mut self, found: Vec<Label>, rows: usize) -> Vec<u32> {
        let first = self.rows;
        self.rows += rows;
        let one = |label: Label| {
            let place = *self.places.entry(label.text.clone()).or_insert_with(|| {
                let row = first + label.row;
                self.labels.push(Label { row, count: 0, ..label.clone() });
                self.labels.len() as u32 - 1
            });
            self.labels[place as usize].count += label.count;
            place
        };
        found.into_iter().map(one).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// What they mean together.
    pub fn read(&self, columns: &ClassColumns<'_>) -> Result<(Reading, Reader)> {
        let reading = read(&self.labels, columns)?;
        let texts = self.labels.iter().map(|label| label.text.clone());
        let known = texts.zip(reading.codes.iter().map(|&code| code as u32)).collect();
        // Labels that have not occurred are read by the same rule.
        let words = match reading.rule {
            Rule::Names | Rule::Sorted => reading.classes.clone(),
            Rule::Positions(first) => {
                (first..first + reading.classes.len()).map(|place| place.to_string()).collect()
            }
            Rule::Truth => ["false", "true"].map(str::to_owned).to_vec(),
        };
        Ok((reading, Reader { known, words }))
    }
}

/// What labels were found to mean.
pub struct Reader {
    /// The class of each label that occurred.
    known: HashMap<String, u32>,
    /// What a label of each class is called.
    words: Vec<String>,
}

impl Reader {
    /// One that knows what the classes are called, and nothing else.
    pub fn of(classes: &[String]) -> Self {
        Self { known: HashMap::new(), words: classes.to_vec() }
    }

    /// The class of each label.
    ///
    /// # Errors
    /// A label of no class.
    pub fn codes(&self, found: &[Label]) -> Result<Vec<u32>> {
        found.iter().map(|label| self.code(label)).collect()
    }

    fn code(&self, label: &Label) -> Result<u32> {
        if let Some(&code) = self.known.get(&label.text) {
            return Ok(code);
        }
        let alone = read(std::slice::from_ref(label), &ClassColumns::Given(&self.words));
        match alone.map(|reading| (reading.rule, reading.codes)) {
            Ok((Rule::Names, codes)) if codes.len() == 1 => Ok(codes[0] as u32),
            _ => {
                let (row, value) = (label.row, label.text.clone());
                Err(Error::UnknownLabel { row, value, classes: self.words.clone() })
            }
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let mut known: Vec<(&String, &u32)> = self.known.iter().collect();
        known.sort();
        let known: Map<String, Value> =
            known.into_iter().map(|(text, &code)| (text.clone(), code.into())).collect();
        json!({ "known": known, "words": self.words })
    }

    /// What was written by [`to_json`](Self::to_json), if it fits so many classes.
    pub fn from_json(saved: &Value, classes: usize) -> Option<Self> {
        let code = |(text, code): (&String, &Value)| {
            let code = u32::try_from(code.as_u64()?).ok()?;
            ((code as usize) < classes).then(|| (text.clone(), code))
        };
        let known = saved["known"].as_object()?.iter().map(code).collect::<Option<_>>()?;
        let word = |word: &Value| word.as_str().map(str::to_owned);
        let words: Vec<String> =
            saved["words"].as_array()?.iter().map(word).collect::<Option<_>>()?;
        (words.len() == classes).then_some(Self { known, words })
    }
}
