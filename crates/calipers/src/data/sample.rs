//! The rows that a recalibrator learns from.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::features::FeatureRows;
use super::predictions::Predictions;
use super::probs::Probs;
use crate::run::room;

/// Numbers that one thread copies at the least.
const PART: usize = 1 << 16;

/// Training rows: predictions, labels and weights, never empty, never of weight 0.
///
/// Weights are scaled to a mean of 1, so that only their ratios matter.
///
/// ```
/// use calipers::{Predictions, Sample};
///
/// let predictions = Predictions::binary(&[0.2, 0.4, 0.9], &[0, 1, 1])?
///     .with_weights(vec![3.0, 0.0, 1.0])?;
/// let sample = Sample::from(&predictions);
/// assert_eq!((sample.rows(), sample.weight(0), sample.weight(1)), (2, 1.5, 0.5));
/// assert_eq!(sample.effective_rows(), 1.6);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sample {
    probs: Array2<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    features: Option<FeatureRows>,
}

impl Sample {
    /// A sample without rows, to be filled.
    pub(crate) fn empty() -> Self {
        Self { probs: Array2::zeros((0, 0)), labels: Vec::new(), weights: None, features: None }
    }

    /// Replaces the rows by the wanted ones of positive weight, and keeps the memory; false if
    /// there is no such row.
    pub(crate) fn fill(
        &mut self,
        probs: &Probs<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        wanted: impl Fn(usize) -> bool,
    ) -> bool {
        let classes = probs.classes();
        let is_wanted =
            |row: &usize| wanted(*row) && weights.is_none_or(|weights| weights[*row] > 0.0);
        let rows: Vec<usize> = (0..labels.len()).filter(is_wanted).collect();
        self.features = None;
        self.labels.clear();
        self.labels.extend(rows.iter().map(|&row| labels[row]));
        self.weights = weights.map(|weights| {
            let mean = mean(rows.iter().map(|&row| weights[row]));
            rows.iter().map(|&row| weights[row] / mean).collect()
        });
        let (mut values, _) = std::mem::take(&mut self.probs).into_raw_vec_and_offset();
        if values.capacity() < rows.len() * classes {
            room::give_back(values);
            values = room::stale(rows.len() * classes);
        }
        values.resize(rows.len() * classes, 0.0);
        if let (Some(all), 2) = (probs.as_slice(), classes) {
            let (from, to) = (all.as_chunks::<2>().0, values.as_chunks_mut::<2>().0);
            to.iter_mut().zip(&rows).for_each(|(to, &row)| *to = from[row]);
        } else {
            let cells = values.par_chunks_exact_mut(classes).zip(&rows);
            cells.with_min_len(PART.div_ceil(classes)).for_each(|(to, &row)| probs.read(row, to));
        }
        self.probs = Array2::from_shape_vec((rows.len(), classes), values).unwrap_or_default();
        !rows.is_empty()
    }

    /// Some of the rows, at least one of them, in a given order; weights are scaled again.
    pub(crate) fn select(&self, order: &[u32]) -> Self {
        let classes = self.classes();
        let mut values = room::stale(order.len() * classes);
        let cells = values.par_chunks_exact_mut(classes).zip(order);
        cells
            .with_min_len(PART.div_ceil(classes))
            .for_each(|(to, &row)| to.copy_from_slice(self.row(row as usize)));
        let weights = self.weights.as_ref().map(|weights| {
            let mean = mean(order.iter().map(|&row| weights[row as usize]));
            order.iter().map(|&row| weights[row as usize] / mean).collect()
        });
        Self {
            probs: Array2::from_shape_vec((order.len(), classes), values).unwrap_or_default(),
            labels: order.iter().map(|&row| self.labels[row as usize]).collect(),
            weights,
            features: self.features.as_ref().map(|features| features.select(order)),
        }
    }

    /// The same rows with other predictions and labels.
    pub(crate) fn mapped(
        &self,
        prediction: impl Fn(&[f64]) -> Vec<f64>,
        label: impl Fn(u32) -> u32,
    ) -> Self {
        let values: Vec<f64> = (0..self.rows()).flat_map(|row| prediction(self.row(row))).collect();
        let shape = (self.rows(), values.len() / self.rows().max(1));
        Self {
            probs: Array2::from_shape_vec(shape, values).unwrap_or_default(),
            labels: self.labels.iter().map(|&one| label(one)).collect(),
            weights: self.weights.clone(),
            features: self.features.clone(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probs.ncols()
    }

    /// The predictions, one row a sample.
    pub fn probs(&self) -> ArrayView2<'_, f64> {
        self.probs.view()
    }

    /// One row's prediction.
    pub fn row(&self, row: usize) -> &[f64] {
        let classes = self.classes();
        self.probs.as_slice().map_or(&[], |all| &all[row * classes..(row + 1) * classes])
    }

    /// The observed classes.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// One row's weight; the mean over rows is 1.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// What else is known of the rows, if that was said.
    pub fn features(&self) -> Option<&FeatureRows> {
        self.features.as_ref()
    }

    /// Says what else is known of the rows.
    pub(crate) fn inform(&mut self, features: FeatureRows) {
        self.features = Some(features);
    }

    /// How many unweighted rows carry as much information: (Σw)² / Σw².
    pub fn effective_rows(&self) -> f64 {
        let rows = self.rows() as f64;
        self.weights.as_ref().map_or(rows, |weights| {
            rows * rows / weights.iter().map(|weight| weight * weight).sum::<f64>()
        })
    }

    /// The two-class problem "class `class` or not", by the probability of that class alone.
    pub(crate) fn column(&self, class: usize) -> Column<'_> {
        Column { sample: self, class }
    }
}

/// The mean of positive weights, to the same bits in any order: they are added up as whole numbers, of
/// which the largest weight is 2⁶². What follows from it, such as the order in which rows are drawn,
/// would else depend on the order in which they came. It is not 0 where weights are denormal.
fn mean(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    const ONE: f64 = (1u64 << 62) as f64;
    let largest = weights.clone().fold(0.0, f64::max);
    let (sum, count) = weights.fold((0u128, 0.0), |(sum, count), weight| {
        (sum + (weight / largest * ONE) as u128, count + 1.0)
    });
    // At least an n-th of the largest; the product may yet be too small to hold.
    (largest * (sum as f64 / ONE / count)).max(f64::from_bits(1))
}

/// One class of a sample against the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'a> {
    sample: &'a Sample,
    class: usize,
}

impl Column<'_> {
    /// For each row: the class's probability, 1 if it was observed and 0 if not, the weight.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let rows = self.sample.probs.as_slice().unwrap_or_default();
        let rows = rows.chunks_exact(self.sample.classes()).zip(&self.sample.labels).enumerate();
        rows.map(|(row, (probs, &label))| {
            let observed = if label as usize == self.class { 1.0 } else { 0.0 };
            (probs[self.class], observed, self.sample.weight(row))
        })
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        room::give_back(std::mem::take(&mut self.probs).into_raw_vec_and_offset().0);
    }
}

impl From<&Predictions<'_>> for Sample {
    fn from(predictions: &Predictions<'_>) -> Self {
        let (probs, labels) = (predictions.held(), predictions.labels());
        // Validation has seen to it that a row of positive weight exists.
        let mut sample = Self::empty();
        sample.fill(probs, labels, predictions.weights(), |_| true);
        if let Some(features) = predictions.features() {
            let counts = |row: &u32| {
                predictions.weights().is_none_or(|weights| weights[*row as usize] > 0.0)
            };
            let rows = (0..predictions.rows() as u32).filter(counts);
            sample.inform(FeatureRows::of(std::sync::Arc::clone(features), rows));
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_weights_is_the_same_in_any_order() {
        let weights: Vec<f64> = (0..1000).map(|row| 0.1 + f64::from(row * 37 % 101)).collect();
        let expected = weights.iter().sum::<f64>() / 1000.0;
        let forwards = mean(weights.iter().copied());
        // Sums of a thousand terms, each rounded once.
        assert!((forwards - expected).abs() < 1e-12);
        assert_eq!(forwards.to_bits(), mean(weights.iter().rev().copied()).to_bits());
        assert!(mean([5e-324, 5e-324].into_iter()) > 0.0);
    }
}
