//! Questions with options, as predictions: rows with fewer options are filled up with impossible ones.

use std::collections::BTreeMap;

use calipers::Predictions;
use ndarray::Array2;

use crate::error::{Error, Result};

/// What identifies a question: its task, and its number there.
pub type Id = (String, u64);

/// A question with several options, one of which is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The log-likelihood of each option.
    pub options: Vec<f64>,
    /// The right one.
    pub right: usize,
    /// What the question is known by beside its number, if that was written.
    pub hash: Option<String>,
}

/// The questions of one model, in the order of their tasks and numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions(pub BTreeMap<Id, Question>);

impl Questions {
    /// How many options a question has at most.
    pub fn most_options(&self) -> usize {
        self.0.values().map(|one| one.options.len()).max().unwrap_or(0)
    }

    /// The tasks, with how many questions each has, and from how many options to how many.
    pub fn tasks(&self) -> BTreeMap<&str, (usize, usize, usize)> {
        let mut tasks: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for ((task, _), one) in &self.0 {
            let count = one.options.len();
            let own = tasks.entry(task).or_insert((0, count, count));
            *own = (own.0 + 1, own.1.min(count), own.2.max(count));
        }
        tasks
    }

    /// Probabilities over the options that each question has, with `options` columns: what a question does not
    /// have is impossible. Tasks are groups.
    ///
    /// # Errors
    /// There is no question; or log-likelihoods of which none is possible.
    pub fn predictions(&self, options: usize) -> Result<Predictions<'static>> {
        let mut logits = Array2::from_elem((self.0.len(), options), f64::NEG_INFINITY);
        for (mut row, one) in logits.outer_iter_mut().zip(self.0.values()) {
            row.iter_mut().zip(&one.options).for_each(|(to, from)| *to = *from);
        }
        let right: Vec<usize> = self.0.values().map(|one| one.right).collect();
        let tasks: Vec<&str> = self.0.keys().map(|(task, _)| task.as_str()).collect();
        Predictions::from_logits(logits.view(), &right)
            .and_then(|predictions| predictions.with_groups(&tasks))
            .map_err(|error| Error::input(error.to_string()))
    }

    /// The questions that are among another model's, too: of the same number, the same options and the same
    /// right one.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> Self {
        let same = |(id, own): &(&Id, &Question)| {
            other.0.get(*id).is_some_and(|one| {
                let number = |one: &Question| (one.options.len(), one.right);
                let known = own.hash.is_none() || one.hash.is_none() || own.hash == one.hash;
                known && number(own) == number(one)
            })
        };
        Self(self.0.iter().filter(same).map(|(id, one)| (id.clone(), one.clone())).collect())
    }
}
