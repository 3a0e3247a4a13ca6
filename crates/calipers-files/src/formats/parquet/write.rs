//! Columns as Parquet.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::Schema;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::super::arrow::cells::{batches, growing_schema, schema};
use super::super::growing::Growing;
use crate::output::steady::Steady;
use crate::sheet::{Cells, Sheet};

/// Writes the file with Snappy, which every reader knows.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let mut steady = Steady::new(file);
    let mut writer = begin(&mut steady, sheet, &schema(sheet))?;
    append(&mut writer, sheet, &schema(sheet))?;
    writer.close()?;
    steady.finish()
}

fn begin<W: Write + Send>(
    file: W,
    sheet: &Sheet<'_>,
    schema: &Arc<Schema>,
) -> io::Result<ArrowWriter<W>> {
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
    Ok(ArrowWriter::try_new(file, Arc::clone(schema), Some(settings.build()))?)
}

fn append<W: Write + Send>(
    writer: &mut ArrowWriter<W>,
    sheet: &Sheet<'_>,
    schema: &Arc<Schema>,
) -> io::Result<()> {
    batches(sheet, schema).try_for_each(|batch| Ok(writer.write(&batch?)?))
}

/// A file that sheets are added to; the library gathers rows until they make a group.
pub enum Writer {
    /// Nothing is written yet: the first sheet says what the columns are.
    New(Option<File>),
    Begun {
        schema: Arc<Schema>,
        writer: Box<ArrowWriter<Steady<File>>>,
    },
}

impl Writer {
    /// Nothing is written yet.
    pub fn new(file: File) -> Self {
        Self::New(Some(file))
    }
}

impl Growing for Writer {
    fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()> {
        if let Self::New(file) = self
            && let Some(file) = file.take()
        {
            let schema = growing_schema(sheet);
            let writer = begin(Steady::new(file), sheet, &schema)?;
            *self = Self::Begun { schema, writer: Box::new(writer) };
        }
        match self {
            Self::New(_) => Ok(()),
            Self::Begun { schema, writer } => append(writer, sheet, schema),
        }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        match *self {
            Self::New(_) => Ok(()),
            Self::Begun { writer, .. } => writer.into_inner()?.finish(),
        }
    }
}
