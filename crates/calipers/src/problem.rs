//! The problem that a scope measures: the whole vector, the top class, or one class against the
//! rest.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use rayon::slice::ParallelSliceMut;

use crate::metric::Scope;
use crate::predictions::Predictions;
use crate::sample::Sample;

/// Predictions and labels of one problem, and the order in which its rows are visited.
pub(crate) struct Problem<'a> {
    probs: CowArray<'a, f64, Ix2>,
    labels: Cow<'a, [u32]>,
    weights: Option<&'a [f64]>,
    /// Two-class problems are visited in ascending order of f₁: sorted once here, every fold's
    /// training rows are sorted already, and maps of one variable need not sort again.
    order: Option<Vec<u32>>,
}

impl<'a> Problem<'a> {
    /// How many problems a scope consists of.
    pub fn count(scope: Scope, predictions: &Predictions) -> usize {
        match scope {
            Scope::Canonical | Scope::Top => 1,
            Scope::Classwise => predictions.classes(),
        }
    }

    /// One problem of a scope.
    pub fn new(predictions: &'a Predictions, scope: Scope, number: usize) -> Self {
        let all = predictions.probs();
        match scope {
            Scope::Canonical => Self::finish(
                CowArray::from(all),
                Cow::Borrowed(predictions.labels()),
                predictions.weights(),
            ),
            Scope::Top => {
                let best: Vec<usize> =
                    all.rows().into_iter().map(|row| argmax(row.iter())).collect();
                Self::two_classes(predictions, |row| all[[row, best[row]]], |row| best[row])
            }
            Scope::Classwise => {
                Self::two_classes(predictions, |row| all[[row, number]], |_| number)
            }
        }
    }

    fn two_classes(
        predictions: &'a Predictions,
        probability: impl Fn(usize) -> f64,
        class: impl Fn(usize) -> usize,
    ) -> Self {
        let probs = Array2::from_shape_fn((predictions.rows(), 2), |(row, side)| {
            let p = probability(row);
            if side == 1 { p } else { 1.0 - p }
        });
        let labels = predictions.labels().iter().enumerate();
        let labels = labels.map(|(row, &label)| u32::from(label as usize == class(row))).collect();
        Self::finish(CowArray::from(probs), Cow::Owned(labels), predictions.weights())
    }

    fn finish(
        probs: CowArray<'a, f64, Ix2>,
        labels: Cow<'a, [u32]>,
        weights: Option<&'a [f64]>,
    ) -> Self {
        let order = (probs.ncols() == 2).then(|| ascending(probs.view()));
        Self { probs, labels, weights, order }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.ncols()
    }

    fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.labels.len())
            .map(|row| self.order.as_ref().map_or(row, |order| order[row] as usize))
    }

    /// The rows outside a fold, to learn from; `None` if all of them have weight 0.
    pub fn training(&self, folds: &[u32], fold: u32) -> Option<Sample> {
        let rows = self.rows().filter(|&row| folds[row] != fold);
        Sample::gather(self.probs.view(), &self.labels, self.weights, rows)
    }

    /// The rows of a fold, with their predictions.
    pub fn held_out(&self, folds: &[u32], fold: u32) -> (Vec<u32>, Array2<f64>) {
        let rows: Vec<u32> =
            self.rows().filter(|&row| folds[row] == fold).map(|row| row as u32).collect();
        let probs = Array2::from_shape_fn((rows.len(), self.classes()), |(row, class)| {
            self.probs[[rows[row] as usize, class]]
        });
        (rows, probs)
    }

    /// The observed class of a row.
    pub fn label(&self, row: usize) -> usize {
        self.labels[row] as usize
    }
}

/// The position of the largest value, the first of several.
fn argmax<'a>(values: impl Iterator<Item = &'a f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (position, &value) in values.enumerate() {
        if value > best.1 {
            best = (position, value);
        }
    }
    best.0
}

/// Row numbers in ascending order of the second column.
fn ascending(probs: ArrayView2<'_, f64>) -> Vec<u32> {
    // Floats that are not negative sort as their bits do; adding 0 turns -0 into 0.
    let mut keys: Vec<(u64, u32)> = probs
        .column(1)
        .iter()
        .enumerate()
        .map(|(row, value)| ((value + 0.0).to_bits(), row as u32))
        .collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, row)| row).collect()
}
