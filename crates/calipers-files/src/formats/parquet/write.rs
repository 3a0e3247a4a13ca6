//! Columns as Parquet.

use std::fs::File;
use std::io;

use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::super::arrow::write::{batches, schema};
use crate::output::steady::Steady;
use crate::sheet::{Cells, Sheet};

/// Writes the file with Snappy, which every reader knows.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let schema = schema(sheet);
    let mut settings = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Probabilities hardly repeat: a dictionary of them would only cost.
        .set_dictionary_enabled(false);
    for (name, cells) in &sheet.columns {
        if let Cells::Text(_) = cells {
            settings =
                settings.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), true);
        }
    }
    let mut steady = Steady::new(file);
    let mut writer = ArrowWriter::try_new(&mut steady, schema.clone(), Some(settings.build()))?;
    for batch in batches(sheet, &schema) {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.close()?;
    steady.finish()
}
