//! Some rows of a stream, as Python holds them.

use calipers::{Error, Result, Rows};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use super::keys::{self, Who};
use crate::arrays::ScoresView;

/// Rows that are looked at at once: so many that a thread has something to do, and so few that Ctrl-C is
/// heard.
pub const BLOCK: usize = 1 << 16;

/// What the package says of rows besides labels and scores.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Beside<'py> {
    who: Who<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<(PyReadonlyArray1<'py, u32>, Vec<String>)>,
    folds: Option<PyReadonlyArray1<'py, u32>>,
    from_logits: bool,
}

/// A batch for any thread: the scores are Python's own, the rest are copies.
pub struct Batch<'a> {
    scores: ScoresView<'a>,
    codes: Vec<u32>,
    who: keys::Rows,
    weights: Option<Vec<f64>>,
    groups: Option<(Vec<u32>, Vec<String>)>,
    folds: Option<Vec<u32>>,
    from_logits: bool,
}

impl<'a> Batch<'a> {
    /// Rows whose labels have these codes.
    pub fn new(scores: ScoresView<'a>, codes: Vec<u32>, beside: Beside<'_>) -> Result<Self> {
        let weights = beside.weights.map(|all| all.as_array().to_vec());
        let groups = beside.groups.map(|(codes, names)| (codes.as_array().to_vec(), names));
        let folds = beside.folds.map(|all| all.as_array().to_vec());
        let who = beside.who.rows();
        let rows = scores.rows();
        let lengths = [
            ("labels", Some(codes.len())),
            ("keys", who.count()),
            ("weights", weights.as_ref().map(Vec::len)),
            ("groups", groups.as_ref().map(|(codes, _)| codes.len())),
            ("folds", folds.as_ref().map(Vec::len)),
        ];
        for (what, found) in lengths {
            if let Some(found) = found.filter(|found| *found != rows) {
                return Err(Error::Length { what, expected: rows, found });
            }
        }
        weights.iter().try_for_each(|weights| check(weights))?;
        let from_logits = beside.from_logits;
        Ok(Self { scores, codes, who, weights, groups, folds, from_logits })
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.codes.len()
    }

    /// The groups' codes and names; the codes may be changed to those of other names.
    pub fn groups_mut(&mut self) -> Option<&mut (Vec<u32>, Vec<String>)> {
        self.groups.as_mut()
    }

    /// Checks a stretch of rows, and does something with them; errors name rows of the batch.
    pub fn some<T>(
        &self,
        from: usize,
        to: usize,
        work: impl FnOnce(&Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        let found = || {
            let f = self.scores.some(&(from..to)).probabilities(self.from_logits)?;
            let mut rows = Rows::new(&f, &self.codes[from..to], self.who.identities(from, to))?;
            if let Some(weights) = &self.weights {
                rows = rows.weights(&weights[from..to])?;
            }
            if let Some((codes, names)) = &self.groups {
                rows = rows.groups(&codes[from..to], names)?;
            }
            if let Some(folds) = &self.folds {
                rows = rows.folds(&folds[from..to])?;
            }
            work(&rows)
        };
        found().map_err(|error| error.counted_from(from))
    }
}

/// Refuses what is no weight. All may be 0: other batches have others.
fn check(weights: &[f64]) -> Result<()> {
    match weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
        Some(row) => {
            let value = weights[row];
            let reason = if value.is_finite() { "is negative" } else { "is not finite" };
            Err(Error::Weight { row, value, reason })
        }
        None => Ok(()),
    }
}
