//! Columns as a file, with probabilities among them. One file a format.

#[cfg(feature = "parquet")]
mod arrow;
mod csv;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::File;
use std::io;
use std::path::Path;

use ndarray::ArrayView2;

use super::file;
use crate::error::{Failure, Result};
use crate::format::Format;
use crate::input::{Text, Values};

/// Columns to write, in order, and the probabilities that some of them are.
pub struct Sheet<'a> {
    /// One row a sample, one column a class.
    pub probs: ArrayView2<'a, f64>,
    /// The names of the columns with what they hold.
    pub columns: Vec<(String, Cells<'a>)>,
}

/// What a column holds.
pub enum Cells<'a> {
    /// The probabilities of a class.
    Class(usize),
    /// Whole numbers, all of them there.
    Whole(Vec<i64>),
    /// Numbers; NaN where one is missing.
    Numbers(&'a [f64]),
    /// Text; empty where it is missing.
    Text(&'a Text),
}

impl<'a> Cells<'a> {
    /// The cells of a column that was read; `None` if they are neither numbers nor text.
    pub fn of(values: &'a Values) -> Option<Self> {
        match values {
            Values::Numbers(numbers) => Some(match whole(numbers) {
                Some(whole) => Self::Whole(whole),
                None => Self::Numbers(numbers),
            }),
            Values::Text(text) => Some(Self::Text(text)),
            Values::Matrix(_) | Values::Other(_) => None,
        }
    }
}

/// The numbers as integers if that is what all of them are: readers make doubles of both.
fn whole(numbers: &[f64]) -> Option<Vec<i64>> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let integer = |&number: &f64| {
        (number.abs() <= EXACT && number.fract().abs() <= 0.0).then_some(number as i64)
    };
    numbers.iter().map(integer).collect()
}

impl Sheet<'_> {
    /// Writes the file, whole or not at all; `-` prints CSV to standard output.
    pub fn write(&self, path: &Path, format: Format) -> Result<()> {
        if path == Path::new("-") {
            let printed = csv::write(self, b',', io::stdout().lock());
            return printed.map_err(|error| Failure::stdout(&error));
        }
        file::write(path, |file| self.fill(format, file))
    }

    fn fill(&self, format: Format, file: &mut File) -> io::Result<()> {
        match format {
            Format::Csv(delimiter) => csv::write(self, delimiter.unwrap_or(b','), file),
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::write(self, file),
            #[cfg(feature = "parquet")]
            Format::Arrow => arrow::write(self, file),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Arrow => Err(io::ErrorKind::Unsupported.into()),
            Format::Npz => npz::write(self, file),
        }
    }

    fn rows(&self) -> usize {
        self.probs.nrows()
    }
}
