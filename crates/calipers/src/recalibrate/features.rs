//! The rows that a linear map reads, laid out for vectors.

use ndarray::{ArrayView2, ArrayViewMut2};

use crate::data::Sample;
use crate::numeric::simd::{floored_logs, padded};
use crate::numeric::simplex::FLOOR;
use crate::run::stop;

/// Rows that are handled together: few enough that what is computed of them is still in the nearest
/// cache when it is read again.
pub(super) const BLOCK: usize = 64;

/// (x, 1, 0, …) of each row: k features, the constant that the intercept multiplies, and zeros that
/// fill the row up to whole vectors. Rows of x = 0 fill the table up to a multiple of four.
#[derive(Debug, Clone)]
pub(super) struct Features {
    values: Vec<f64>,
    classes: usize,
}

impl Features {
    /// The features of rows that follow each other.
    pub fn new(rows: &[f64], classes: usize) -> Self {
        let stride = padded(classes + 1);
        let mut values = vec![0.0; padded(rows.len() / classes) * stride];
        let pairs = values.chunks_exact_mut(stride).zip(rows.chunks_exact(classes));
        for (number, (row, features)) in pairs.enumerate() {
            if stop::requested_at(number) {
                return Self { values, classes };
            }
            row[..classes].copy_from_slice(features);
        }
        values.chunks_exact_mut(stride).for_each(|row| row[classes] = 1.0);
        Self { values, classes }
    }

    /// ln f, floored, of predictions that follow each other.
    pub fn logs(f: &[f64], classes: usize) -> Self {
        Self::new(&floored_logs(f.iter().copied(), FLOOR), classes)
    }

    /// ln f, floored, of the training rows.
    pub fn log_probs(sample: &Sample) -> Self {
        Self::logs(sample.probs().as_slice().unwrap_or_default(), sample.classes())
    }

    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many rows there are, with those that fill up.
    pub fn rows(&self) -> usize {
        self.values.len() / self.stride()
    }

    /// The length of a row.
    pub fn stride(&self) -> usize {
        padded(self.classes + 1)
    }

    /// The features of each row, without what fills it up.
    pub fn each_row(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.stride()).map(|row| &row[..self.classes])
    }

    /// The rows, [`BLOCK`] at a time.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks(BLOCK * self.stride())
    }

    /// The rows, [`BLOCK`] at a time.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        let stride = self.stride();
        self.values.chunks_mut(BLOCK * stride)
    }
}

/// Calls `map` with the rows of f and g, some of them at a time: whole tables of intermediate
/// results would not stay in a cache.
pub(super) fn by_blocks(
    f: ArrayView2<'_, f64>,
    mut g: ArrayViewMut2<'_, f64>,
    mut map: impl FnMut(&[f64], &mut [f64]),
) {
    let block = 4 * BLOCK * f.ncols();
    let f = f.as_standard_layout();
    if let (Some(f), Some(g)) = (f.as_slice(), g.as_slice_mut()) {
        let blocks = f.chunks(block).zip(g.chunks_mut(block));
        blocks.take_while(|_| !stop::requested()).for_each(|(f, g)| map(f, g));
    }
}
