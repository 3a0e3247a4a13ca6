//! The rows that a linear map reads, laid out for vectors.

use fearless_simd::{Level, dispatch};
use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use crate::data::Sample;
use crate::numeric::simd::{ln_in_place, padded};
use crate::numeric::simplex::FLOOR;
use crate::run::{room, stop};

/// Rows that are handled together: few enough that what is computed of them is still in the nearest
/// cache when it is read again.
pub(super) const BLOCK: usize = 64;

/// Numbers of f that are mapped together, unless the rows are short.
const BLOCK_NUMBERS: usize = 1 << 15;

/// Numbers whose logarithms one thread takes at a time.
const PART: usize = 1 << 16;

/// (x, 1, 0, …) of each row: k features, the constant that the intercept multiplies, and zeros that
/// fill the row up to whole vectors. Rows of x = 0 fill the table up to a multiple of four.
#[derive(Debug, Clone)]
pub(super) struct Features {
    values: Vec<f64>,
    classes: usize,
}

impl Features {
    /// ln f of predictions that follow each other, none taken for less than the floor.
    pub fn logs_above(f: &[f64], classes: usize, floor: f64) -> Self {
        let stride = padded(classes + 1);
        let mut values = room::stale(padded(f.len() / classes) * stride);
        let (written, unwritten) = values.split_at_mut(f.len() / classes * stride);
        let level = Level::new();
        let size = (PART / classes).max(1);
        let parts = written.par_chunks_mut(size * stride).zip(f.par_chunks(size * classes));
        parts.for_each(|(rows, f)| {
            if stop::requested() {
                return rows.fill(0.0);
            }
            for (row, f) in rows.chunks_exact_mut(stride).zip(f.chunks_exact(classes)) {
                let (logs, rest) = row.split_at_mut(classes);
                logs.iter_mut().zip(f).for_each(|(log, f)| *log = f.max(floor));
                dispatch!(level, simd => ln_in_place(simd, logs));
                fill_up(rest);
            }
        });
        for row in unwritten.chunks_exact_mut(stride) {
            let (logs, rest) = row.split_at_mut(classes);
            logs.fill(0.0);
            fill_up(rest);
        }
        Self { values, classes }
    }

    /// ln f, floored, of predictions that follow each other.
    pub fn logs(f: &[f64], classes: usize) -> Self {
        Self::logs_above(f, classes, FLOOR)
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

    /// Those of some rows, in this order.
    pub fn select(&self, rows: impl ExactSizeIterator<Item = usize>) -> Self {
        let stride = self.stride();
        let mut values = room::empty(padded(rows.len()) * stride);
        rows.for_each(|row| {
            values.extend_from_slice(&self.values[row * stride..(row + 1) * stride])
        });
        values.resize(padded(values.len() / stride) * stride, 0.0);
        Self { values, classes: self.classes }
    }

    /// The features of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.stride()..][..self.classes]
    }

    /// The features of each row, to be changed.
    pub fn par_each_row_mut(&mut self) -> impl IndexedParallelIterator<Item = &mut [f64]> {
        let (stride, classes) = (self.stride(), self.classes);
        self.values.par_chunks_exact_mut(stride).map(move |row| &mut row[..classes])
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

impl Drop for Features {
    fn drop(&mut self) {
        room::give_back(std::mem::take(&mut self.values));
    }
}

/// The constant that the intercept multiplies, and zeros.
#[inline]
fn fill_up(rest: &mut [f64]) {
    rest.fill(0.0);
    rest[0] = 1.0;
}

/// Calls `map` with the rows of f and g, some of them at a time: whole tables of intermediate
/// results would not stay in a cache.
pub(super) fn by_blocks(
    f: ArrayView2<'_, f64>,
    mut g: ArrayViewMut2<'_, f64>,
    map: impl Fn(&[f64], &mut [f64]) + Sync,
) {
    // A multiple of four rows: so many fill up vectors.
    let rows = (BLOCK_NUMBERS / f.ncols().max(1)).clamp(4, 4 * BLOCK) / 4 * 4;
    let block = rows * f.ncols();
    let f = f.as_standard_layout();
    if let (Some(f), Some(g)) = (f.as_slice(), g.as_slice_mut()) {
        let blocks = f.par_chunks(block).zip(g.par_chunks_mut(block));
        blocks.filter(|_| !stop::requested()).for_each(|(f, g)| map(f, g));
    }
}
