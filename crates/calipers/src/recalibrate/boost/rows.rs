use super::{Forest, LEAST_PROBABILITY};

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
    #[inline]
    pub fn probs(&self, row: usize) -> &[f64] {
        &self.probs[row * self.classes..(row + 1) * self.classes]
    }

    /// The wanted rows.
    pub fn select(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let rows: Vec<usize> = (0..self.len()).filter(|&row| wanted(row)).collect();
        let mut bins = Vec::with_capacity(rows.len() * self.features);
        let mut probs = Vec::with_capacity(rows.len() * self.classes);
        for &row in &rows {
            bins.extend_from_slice(&self.bins[row * self.features..(row + 1) * self.features]);
            probs.extend_from_slice(&self.probs[row * self.classes..(row + 1) * self.classes]);
        }
        Self {
            features: self.features,
            classes: self.classes,
            bins,
            borders: self.borders.clone(),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            weights: rows.iter().map(|&row| self.weights[row]).collect(),
            probs,
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
        let bins = self.bins.chunks_exact(self.features.max(1));
        let probs = self.probs.chunks_exact_mut(self.classes);
        for (bins, probs) in bins.zip(probs) {
            forest.apply(round, bins, probs);
            normalise(probs);
        }
        self.log_loss()
    }

    /// The weighted sum of −ln of the observed classes' probabilities.
    pub fn log_loss(&self) -> f64 {
        let probs = self.probs.chunks_exact(self.classes);
        let rows = probs.zip(&self.labels).zip(&self.weights);
        rows.map(|((probs, &label), weight)| -weight * probs[label as usize].ln()).sum()
    }
}

/// Divides by the sum, and keeps every probability in reach.
#[inline(always)]
pub(super) fn normalise(probs: &mut [f64]) {
    let scale = 1.0 / probs.iter().sum::<f64>();
    probs.iter_mut().for_each(|p| *p = (*p * scale).max(LEAST_PROBABILITY));
}
