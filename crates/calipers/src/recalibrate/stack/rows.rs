//! Rows as the trees see them.

use ndarray::{ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::bins;
use super::training::Training;

/// Vectors are this long.
pub(super) const LANES: usize = 8;

/// A vector in memory. A row is a few of them.
pub(super) type Lanes = [f32; LANES];

/// How many vectors a row of so many classes takes, and one number more.
pub(super) fn width(classes: usize) -> usize {
    classes / LANES + 1
}

/// Copies rows into whole vectors, filled up by zeros.
pub(super) fn pad(rows: &[f32], classes: usize) -> Vec<Lanes> {
    let width = width(classes);
    let mut out = vec![[0.0; LANES]; rows.len() / classes * width];
    for (to, row) in out.chunks_exact_mut(width).zip(rows.chunks_exact(classes)) {
        to.as_flattened_mut()[..classes].copy_from_slice(row);
    }
    out
}

/// Borders between the values of each feature. The features are the probabilities; of two classes
/// the second alone, which tells all there is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Borders(Vec<Vec<f64>>);

impl Borders {
    pub fn choose(f: ArrayView2<'_, f64>) -> Self {
        let columns = Self::columns(f.ncols());
        Self(columns.map(|class| bins::borders(f.column(class).iter().copied())).collect())
    }

    fn columns(classes: usize) -> std::ops::Range<usize> {
        if classes == 2 { 1..2 } else { 0..classes }
    }

    /// For each feature, each row's place between its borders.
    pub fn places(&self, f: ArrayView2<'_, f64>) -> Vec<Vec<u8>> {
        let columns = Self::columns(f.ncols()).zip(&self.0);
        columns
            .map(|(class, borders)| {
                f.column(class).iter().map(|&p| bins::place(borders, p)).collect()
            })
            .collect()
    }

    /// How many borders each feature has.
    pub fn counts(&self) -> Vec<usize> {
        self.0.iter().map(Vec::len).collect()
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        self.0.len() == Self::columns(classes).len()
            && self.0.iter().all(|borders| {
                borders.len() < bins::BINS
                    && borders.is_sorted_by(|a, b| a < b)
                    && borders.iter().all(|border| border.is_finite())
            })
    }
}

/// Training rows.
pub(super) struct StackRows {
    pub classes: usize,
    /// For each feature, each row's place between its borders.
    pub places: Vec<Vec<u8>>,
    /// How many borders each feature has.
    pub borders: Vec<usize>,
    pub labels: Vec<u32>,
    pub weights: Vec<f32>,
    /// The probabilities that the trees start from.
    pub start: Vec<Lanes>,
}

impl StackRows {
    /// The first training rows, as many as there are rows of T.
    pub fn new(training: &Training, borders: &Borders, tempered: &[f32]) -> Self {
        let classes = training.classes();
        let rows = tempered.len() / classes;
        let f = training.sample.probs();
        Self {
            classes,
            places: borders.places(f.slice_axis(Axis(0), (0..rows).into())),
            borders: borders.counts(),
            labels: training.sample.labels()[..rows].to_vec(),
            weights: training.weights[..rows].to_vec(),
            start: pad(tempered, classes),
        }
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn width(&self) -> usize {
        width(self.classes)
    }
}
