//! The problem that a scope measures: the whole vector, the top class, or one class against the
//! rest.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use rayon::slice::ParallelSliceMut;

use crate::metric::Scope;
use crate::predictions::Predictions;
use crate::sample::Sample;

/// Predictions and labels of one problem.
///
/// Two-class problems are held in ascending order of f₁: sorted once here, every fold's training
/// rows are sorted already, maps of one variable need not sort again, and memory is read in order.
pub(crate) struct Problem<'a> {
    probs: CowArray<'a, f64, Ix2>,
    labels: Cow<'a, [u32]>,
    weights: Option<Cow<'a, [f64]>>,
    /// Where each row stands among the user's; `None` if it is the user's own order.
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
            Scope::Canonical if predictions.classes() > 2 => Self {
                probs: CowArray::from(all),
                labels: Cow::Borrowed(predictions.labels()),
                weights: predictions.weights().map(Cow::Borrowed),
                order: None,
            },
            Scope::Canonical => Self::sorted(predictions, all, predictions.labels()),
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
        let labels: Vec<u32> =
            labels.map(|(row, &label)| u32::from(label as usize == class(row))).collect();
        Self::sorted(predictions, probs.view(), &labels)
    }

    fn sorted(predictions: &Predictions, probs: ArrayView2<'_, f64>, labels: &[u32]) -> Self {
        let order = ascending(probs);
        let rows = || order.iter().map(|&row| row as usize);
        let sorted = Array2::from_shape_fn((order.len(), 2), |(place, class)| {
            probs[[order[place] as usize, class]]
        });
        Self {
            probs: CowArray::from(sorted),
            labels: rows().map(|row| labels[row]).collect(),
            weights: predictions.weights().map(|all| rows().map(|row| all[row]).collect()),
            order: Some(order),
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.ncols()
    }

    /// Brings fold ids into the problem's order.
    pub fn arrange<'f>(&self, folds: &'f [u32]) -> Cow<'f, [u32]> {
        match &self.order {
            None => Cow::Borrowed(folds),
            Some(order) => order.iter().map(|&row| folds[row as usize]).collect(),
        }
    }

    /// The rows outside a fold, to learn from; `None` if all of them have weight 0.
    pub fn training(&self, folds: &[u32], fold: u32) -> Option<Sample> {
        let weights = self.weights.as_deref();
        Sample::gather(self.probs.view(), &self.labels, weights, |place| folds[place] != fold)
    }

    /// The places of a fold's rows, with their predictions.
    pub fn held_out(&self, folds: &[u32], fold: u32) -> (Vec<u32>, Array2<f64>) {
        let places: Vec<u32> =
            (0..folds.len() as u32).filter(|&place| folds[place as usize] == fold).collect();
        let mut values = Vec::with_capacity(places.len() * self.classes());
        for &place in &places {
            values.extend_from_slice(self.prediction(place as usize));
        }
        let probs = Array2::from_shape_vec((places.len(), self.classes()), values);
        (places, probs.unwrap_or_default())
    }

    /// The prediction f at a place.
    pub fn prediction(&self, place: usize) -> &[f64] {
        let classes = self.classes();
        let all = self.probs.as_slice().unwrap_or_default();
        &all[place * classes..(place + 1) * classes]
    }

    /// The observed class of the row at a place.
    pub fn label(&self, place: usize) -> usize {
        self.labels[place] as usize
    }

    /// The user's number of the row at a place.
    pub fn row(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place] as usize)
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
