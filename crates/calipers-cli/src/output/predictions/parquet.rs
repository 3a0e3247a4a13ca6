//! Predictions as Parquet.

use std::fs::File;
use std::io;

use calipers::Predictions;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::arrow::{batches, schema};

/// Writes the file with Snappy, which every reader knows.
pub fn write(predictions: &Predictions<'_>, file: &mut File) -> io::Result<()> {
    let schema = schema(predictions);
    let settings = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Probabilities hardly repeat: a dictionary of them would only cost.
        .set_dictionary_enabled(false)
        .build();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(settings))?;
    for batch in batches(predictions, &schema) {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.close()?;
    Ok(())
}
