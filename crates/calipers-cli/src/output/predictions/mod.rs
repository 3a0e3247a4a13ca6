//! Predictions as a file: the column `label`, then one probability a class. One file a format.

#[cfg(feature = "parquet")]
mod arrow;
mod csv;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::File;
use std::io;

use calipers::Predictions;

use crate::error::{Failure, Result};
use crate::format::Format;

/// Prints CSV to standard output.
pub fn print(predictions: &Predictions<'_>) -> Result<()> {
    csv::write(predictions, b',', io::stdout().lock()).map_err(|error| Failure::stdout(&error))
}

/// Writes a file of a format.
pub fn write(predictions: &Predictions<'_>, format: Format, file: &mut File) -> io::Result<()> {
    match format {
        Format::Csv(delimiter) => csv::write(predictions, delimiter.unwrap_or(b','), file),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(predictions, file),
        #[cfg(feature = "parquet")]
        Format::Arrow => arrow::write(predictions, file),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => Err(io::ErrorKind::Unsupported.into()),
        Format::Npz => npz::write(predictions, file),
    }
}
