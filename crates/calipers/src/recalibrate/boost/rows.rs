use fearless_simd::{Level, dispatch};

use super::by_bin;
use super::{Forest, LEAST_PROBABILITY};
use crate::numeric::simd::ln_in_place;

/// Rows ready for trees.
#[derive(Debug, Clone)]
pub(crate) struct BinnedRows {
    /// How many features a row has.
    pub features: usize,
    /// How many classes there are.
    pub classes: usize,
    /// For each row, the number of borders of each feature that lie below its value.
    pub bins: Vec<u8>,
    /// How many borders each feature has.
    pub borders: Vec<usize>,
    /// The observed classes.
    pub labels: Vec<u32>,
    /// The weights.
    pub weights: Vec<f64>,
    /// For each row, the current probability of each class.
    pub probs: Vec<f64>,
}

impl BinnedRows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// A row's current probabilities.
    #[cfg(test)]
    pub fn probs(&self, row: usize) -> &[f64] {
        &self.probs[row * self.classes..(row + 1) * self.classes]
    }

    /// The wanted rows.
    pub fn select(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let rows: Vec<usize> = (0..self.len()).filter(|&row| wanted(row)).collect();
        Self {
            features: self.features,
            classes: self.classes,
            bins: gather(&self.bins, self.features, &rows),
            borders: self.borders.clone(),
            labels: gather(&self.labels, 1, &rows),
            weights: gather(&self.weights, 1, &rows),
            probs: gather(&self.probs, self.classes, &rows),
        }
    }

    /// Puts those of some rows that lie up to a bin of a feature before the others, and returns their
    /// number; both keep their order. `spare` has room for all of them.
    pub fn divide(&self, rows: &mut [u32], spare: &mut [u32], feature: usize, bin: u8) -> usize {
        let (mut left, mut right) = (0, 0);
        for at in 0..rows.len() {
            let row = rows[at];
            let goes_right = self.bins[row as usize * self.features + feature] > bin;
            // Both are written, and one of them stays: no branch to mispredict.
            rows[left] = row;
            spare[right] = row;
            left += usize::from(!goes_right);
            right += usize::from(goes_right);
        }
        rows[left..].copy_from_slice(&spare[..right]);
        left
    }

    /// The mean weight.
    pub fn mean_weight(&self) -> f64 {
        self.weights.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// Moves the probabilities by a round of a forest, and returns their new log loss.
    pub fn advance(&mut self, forest: &impl Forest, round: usize) -> f64 {
        if let ([borders], 2) = (&*self.borders, self.classes) {
            let factors = by_bin::factors(forest, round, borders + 1);
            for (&bin, pair) in self.bins.iter().zip(self.probs.as_chunks_mut::<2>().0) {
                let factors = factors[bin as usize];
                *pair = [pair[0] * factors[0], pair[1] * factors[1]];
                normalise(pair);
            }
        } else {
            let bins = self.bins.chunks_exact(self.features.max(1));
            for (bins, probs) in bins.zip(self.probs.chunks_exact_mut(self.classes)) {
                forest.apply(round, bins, probs);
                normalise(probs);
            }
        }
        self.log_loss()
    }

    /// The weighted sum of −ln of the observed classes' probabilities.
    pub fn log_loss(&self) -> f64 {
        let probs = self.probs.chunks_exact(self.classes).zip(&self.labels);
        let mut logs: Vec<f64> = probs.map(|(probs, &label)| probs[label as usize]).collect();
        dispatch!(Level::new(), simd => ln_in_place(simd, &mut logs));
        logs.iter().zip(&self.weights).map(|(log, weight)| -weight * log).sum()
    }
}

/// Some rows of a table. Copying one or two numbers takes less than to ask how many there are.
fn gather<T: Copy>(table: &[T], width: usize, rows: &[usize]) -> Vec<T> {
    match width {
        1 => rows.iter().map(|&row| table[row]).collect(),
        2 => {
            let (pairs, _) = table.as_chunks::<2>();
            rows.iter().map(|&row| pairs[row]).collect::<Vec<_>>().into_flattened()
        }
        _ => {
            let mut gathered = Vec::with_capacity(rows.len() * width);
            let each = rows.iter().map(|&row| &table[row * width..(row + 1) * width]);
            each.for_each(|row| gathered.extend_from_slice(row));
            gathered
        }
    }
}

/// Divides by the sum, and keeps every probability in reach.
#[inline(always)]
pub(super) fn normalise(probs: &mut [f64]) {
    let scale = 1.0 / probs.iter().sum::<f64>();
    probs.iter_mut().for_each(|p| *p = (*p * scale).max(LEAST_PROBABILITY));
}
