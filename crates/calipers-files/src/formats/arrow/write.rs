//! Columns as an Arrow IPC file, which is Feather version 2.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema};

use super::super::growing::Growing;
use super::cells::{batches, growing_schema, schema};
use crate::sheet::Sheet;

/// Writes the file.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let schema = schema(sheet);
    let mut writer = FileWriter::try_new_buffered(file, &schema).map_err(failed)?;
    for batch in batches(sheet, &schema) {
        writer.write(&batch?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// A file that sheets are added to.
pub enum Writer {
    /// Nothing is written yet: the first sheet says what the columns are.
    New(Option<File>),
    Begun {
        schema: Arc<Schema>,
        writer: Box<FileWriter<BufWriter<File>>>,
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
            let writer = FileWriter::try_new_buffered(file, &schema).map_err(failed)?;
            *self = Self::Begun { schema, writer: Box::new(writer) };
        }
        if let Self::Begun { schema, writer } = self {
            for batch in batches(sheet, schema) {
                writer.write(&batch?).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        match *self {
            Self::New(_) => Ok(()),
            Self::Begun { mut writer, .. } => writer.finish().map_err(failed),
        }
    }
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
