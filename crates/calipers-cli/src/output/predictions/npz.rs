//! Predictions as NumPy's archive: `probs` and `labels`.

use std::fs::File;
use std::io;

use calipers::Predictions;
use ndarray::Array1;
use ndarray_npy::{NpzWriter, WriteNpzError};

/// Writes the arrays uncompressed: probabilities hardly compress.
pub fn write(predictions: &Predictions<'_>, file: &mut File) -> io::Result<()> {
    let labels: Array1<i64> = predictions.labels().iter().map(|&label| label.into()).collect();
    let mut archive = NpzWriter::new(file);
    archive.add_array("probs", &predictions.probs()).map_err(failed)?;
    archive.add_array("labels", &labels).map_err(failed)?;
    archive.finish().map_err(failed)?;
    Ok(())
}

fn failed(error: WriteNpzError) -> io::Error {
    io::Error::other(error)
}
