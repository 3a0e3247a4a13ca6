//! The problem that a scope measures: the whole vector, the top class, or one class against the
//! rest.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use rayon::prelude::*;

use crate::metric::Scope;
use crate::predictions::Predictions;
use crate::sample::Sample;

/// Predictions and labels of one problem, in the user's order.
pub(crate) struct Problem<'a> {
    probs: CowArray<'a, f64, Ix2>,
    labels: Cow<'a, [u32]>,
    weights: Option<&'a [f64]>,
    sorted: Option<Sorted>,
}

/// The rows of a two-class problem once more, in ascending order of f₁: sorted once here, every
/// fold's training rows are sorted already, and maps of one variable need not sort again.
struct Sorted {
    /// The user's row at each place.
    order: Vec<u32>,
    probs: Array2<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
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
            Scope::Canonical => {
                let labels = Cow::Borrowed(predictions.labels());
                Self::finish(CowArray::from(all), labels, predictions.weights())
            }
            Scope::Top => {
                let best: Vec<usize> =
                    all.rows().into_iter().map(|row| argmax(row.iter())).collect();
                Self::two_classes(predictions, |row| best[row])
            }
            Scope::Classwise => Self::two_classes(predictions, |_| number),
        }
    }

    /// "Is it this class or not?", by the probability of that class alone.
    fn two_classes(predictions: &'a Predictions, class: impl Fn(usize) -> usize) -> Self {
        let all = predictions.probs();
        let probs = Array2::from_shape_fn((predictions.rows(), 2), |(row, side)| {
            let p = all[[row, class(row)]];
            if side == 1 { p } else { 1.0 - p }
        });
        let labels = predictions.labels().iter().enumerate();
        let labels = labels.map(|(row, &label)| u32::from(label as usize == class(row))).collect();
        Self::finish(CowArray::from(probs), labels, predictions.weights())
    }

    fn finish(
        probs: CowArray<'a, f64, Ix2>,
        labels: Cow<'a, [u32]>,
        weights: Option<&'a [f64]>,
    ) -> Self {
        let sorted = (probs.ncols() == 2).then(|| Sorted::new(probs.view(), &labels, weights));
        Self { probs, labels, weights, sorted }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.ncols()
    }

    /// Brings fold ids into the order in which training rows are held.
    pub fn arrange<'f>(&self, folds: &'f [u32]) -> Cow<'f, [u32]> {
        match &self.sorted {
            None => Cow::Borrowed(folds),
            Some(sorted) => {
                let order = sorted.order.par_iter();
                Cow::Owned(order.map(|&row| folds[row as usize]).collect())
            }
        }
    }

    /// Fills a sample with the rows outside a fold, to learn from; false if all have weight 0.
    /// The fold ids are arranged ones.
    pub fn training(&self, arranged: &[u32], fold: u32, sample: &mut Sample) -> bool {
        let outside = |place: usize| arranged[place] != fold;
        match &self.sorted {
            None => sample.fill(self.probs.view(), &self.labels, self.weights, outside),
            Some(Sorted { probs, labels, weights, .. }) => {
                sample.fill(probs.view(), labels, weights.as_deref(), outside)
            }
        }
    }

    /// The prediction f of a row.
    pub fn prediction(&self, row: usize) -> &[f64] {
        let classes = self.classes();
        let all = self.probs.as_slice().unwrap_or_default();
        &all[row * classes..(row + 1) * classes]
    }

    /// The observed class of a row.
    pub fn label(&self, row: usize) -> usize {
        self.labels[row] as usize
    }
}

impl Sorted {
    fn new(probs: ArrayView2<'_, f64>, labels: &[u32], weights: Option<&[f64]>) -> Self {
        let order = ascending(probs);
        let rows = || order.par_iter().map(|&row| row as usize);
        let mut sorted = Array2::zeros((order.len(), 2));
        let places = sorted.as_slice_mut().unwrap_or_default().par_chunks_exact_mut(2);
        places.zip(rows()).for_each(|(place, row)| {
            place[0] = probs[[row, 0]];
            place[1] = probs[[row, 1]];
        });
        Self {
            probs: sorted,
            labels: rows().map(|row| labels[row]).collect(),
            weights: weights.map(|weights| rows().map(|row| weights[row]).collect()),
            order,
        }
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
    let bits = |row: u32| (probs[[row as usize, 1]] + 0.0).to_bits();
    // A probability as a fraction of 2³² fits one word together with its row's number, and one
    // word sorts twice as fast as a pair. The few that agree in it are sorted once more.
    let key = |row: u32| (probs[[row as usize, 1]] * f64::from(u32::MAX)) as u64;
    let mut keys: Vec<u64> =
        (0..probs.nrows() as u32).map(|row| key(row) << 32 | u64::from(row)).collect();
    keys.par_sort_unstable();
    let mut order: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
    let mut start = 0;
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let end = start + run.len();
        if run.len() > 1 {
            order[start..end].sort_unstable_by_key(|&row| (bits(row), row));
        }
        start = end;
    }
    order
}
