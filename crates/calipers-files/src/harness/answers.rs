//! Answers with how sure the model was of each: a confidence, and whether it was right.

use std::collections::{BTreeMap, BTreeSet};

use calipers::Predictions;
use ndarray::Array2;
use serde_json::Value;

use super::runs::{LeftOut, Run};
use crate::error::{Error, Result};

/// What models answered, and how sure they were.
#[derive(Debug, Default)]
pub struct Answers {
    /// The models, by their names.
    pub models: Vec<ModelAnswers>,
    /// Tasks that could not be measured, and why.
    pub left_out: Vec<LeftOut>,
    /// How many files are of earlier runs, and were passed over.
    pub earlier: usize,
    /// How many answers come without a confidence, and are left out.
    pub unsure: usize,
    /// How many are neither right nor wrong, and are left out.
    pub unclear: usize,
}

/// What one model answered.
#[derive(Debug)]
pub struct ModelAnswers {
    /// The model's name.
    pub name: String,
    /// Its answers, of all tasks.
    pub answers: Vec<Answer>,
}

/// An answer, and how sure the model was of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The task that the question is of.
    pub task: String,
    /// The question: answers to the same one belong together.
    pub question: String,
    /// How sure the model was, from 0 to 1.
    pub confidence: f64,
    /// Whether it was right.
    pub right: bool,
}

/// An answer as it is found: without a confidence, if none was given; neither right nor wrong, if it is that.
#[derive(Debug)]
pub struct Found {
    pub question: String,
    pub confidence: Option<f64>,
    pub right: Option<bool>,
}

impl Answers {
    /// Puts together what was found in each run, or why nothing was.
    pub fn of(runs: Vec<Run<std::result::Result<Vec<Found>, String>>>, earlier: usize) -> Self {
        let mut all = Self { earlier, ..Self::default() };
        let mut models: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
        for Run { model, task, known, .. } in runs {
            match known.and_then(|found| all.usable(found, &task)) {
                Ok(own) => models.entry(model).or_default().extend(own),
                Err(reason) => all.left_out.push(LeftOut { model, task, reason }),
            }
        }
        let models = models.into_iter();
        all.models = models.map(|(name, answers)| ModelAnswers { name, answers }).collect();
        all
    }

    /// The answers that can be measured, of a task that has some.
    fn usable(
        &mut self,
        found: Vec<Found>,
        task: &str,
    ) -> std::result::Result<Vec<Answer>, String> {
        let none = match found.as_slice() {
            [] => "there are no answers",
            all if all.iter().all(|one| one.confidence.is_none()) => {
                "no answer says how sure the model was"
            }
            _ => "no answer is simply right or wrong",
        };
        let (mut unsure, mut unclear, mut own) = (0, 0, Vec::new());
        for Found { question, confidence, right } in found {
            match (confidence, right) {
                (None, _) => unsure += 1,
                (_, None) => unclear += 1,
                (Some(confidence), Some(right)) => {
                    own.push(Answer { task: task.to_owned(), question, confidence, right });
                }
            }
        }
        if own.is_empty() {
            return Err(none.to_owned());
        }
        self.unsure += unsure;
        self.unclear += unclear;
        Ok(own)
    }
}

impl ModelAnswers {
    /// Two classes, wrong and right. Tasks are groups; answers to the same question are clusters, if there are any.
    ///
    /// # Errors
    /// There is no answer; a confidence that is not from 0 to 1.
    pub fn predictions(&self) -> Result<Predictions<'static>> {
        let sure = |at: usize| self.answers[at].confidence;
        let probs = Array2::from_shape_fn((self.answers.len(), 2), |(row, class)| match class {
            0 => 1.0 - sure(row),
            _ => sure(row),
        });
        let right: Vec<usize> = self.answers.iter().map(|one| usize::from(one.right)).collect();
        let tasks: Vec<&str> = self.answers.iter().map(|one| one.task.as_str()).collect();
        let questions: Vec<String> =
            self.answers.iter().map(|one| format!("{:?} {:?}", one.task, one.question)).collect();
        let repeated = questions.iter().collect::<BTreeSet<_>>().len() < questions.len();
        Predictions::new(probs, &right)
            .and_then(|all| all.with_class_names(["wrong", "right"]))
            .and_then(|all| all.with_groups(&tasks))
            .and_then(|all| if repeated { all.with_clusters(&questions) } else { Ok(all) })
            .map_err(|error| Error::input(error.to_string()))
    }
}

/// A confidence, or nothing where there is none.
///
/// # Errors
/// Something else than a number from 0 to 1.
pub fn confidence(value: Option<&Value>, place: &dyn Fn() -> String) -> Result<Option<f64>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    match value.as_f64().filter(|number| (0.0..=1.0).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(Error::input(format!(
            "{}: the confidence {value} is not a number from 0 to 1",
            place()
        ))),
    }
}
