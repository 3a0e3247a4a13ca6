//! One pass over the rows of a two-class problem: how many there are along f.

use crate::estimate::Problem;

/// Sums in bins of equal width on [0, 1].
pub(crate) struct Histogram {
    /// Each bin's share of the weight.
    pub share: Vec<f64>,
    /// Each bin's sum of share × f.
    pub f: Vec<f64>,
    /// Each bin's sum of share × Y.
    pub y: Vec<f64>,
}

impl Histogram {
    /// Adds up all rows.
    pub fn of(problem: &Problem<'_>, bins: usize) -> Self {
        let mut sums = Self { share: vec![0.0; bins], f: vec![0.0; bins], y: vec![0.0; bins] };
        let mut buffer = [0.0; 2];
        let mut total = 0.0;
        for row in 0..problem.rows() {
            let f = problem.prediction(row, &mut buffer)[1];
            let (weight, bin) = (problem.weight(row), bin_of(f, bins));
            total += weight;
            sums.share[bin] += weight;
            sums.f[bin] += weight * f;
            sums.y[bin] += if problem.label(row) == 1 { weight } else { 0.0 };
        }
        for column in [&mut sums.share, &mut sums.f, &mut sums.y] {
            column.iter_mut().for_each(|sum| *sum /= total);
        }
        sums
    }
}

/// The bin that a probability falls into; 1 belongs to the last.
pub(crate) fn bin_of(f: f64, bins: usize) -> usize {
    ((f * bins as f64) as usize).min(bins - 1)
}

/// Where bins begin and end.
pub(crate) fn edges(bins: usize) -> Vec<f64> {
    (0..=bins).map(|edge| edge as f64 / bins as f64).collect()
}
