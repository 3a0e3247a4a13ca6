//! Columns as an Arrow IPC file, which is Feather version 2.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};

use crate::sheet::{Cells, Sheet};
use crate::table::Text;

/// Rows of a batch: few enough to add nothing to the memory, enough to be fast.
const ROWS: usize = 1 << 16;

/// Writes the file.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let schema = schema(sheet);
    let mut writer = FileWriter::try_new_buffered(file, &schema).map_err(failed)?;
    for batch in batches(sheet, &schema) {
        writer.write(&batch.map_err(failed)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// Names and types; only what was read from elsewhere can have gaps.
pub fn schema(sheet: &Sheet<'_>) -> Arc<Schema> {
    let field = |(name, cells): &(String, Cells<'_>)| match cells {
        Cells::Class(_) => Field::new(name, DataType::Float64, false),
        Cells::Whole(_) => Field::new(name, DataType::Int64, false),
        Cells::Numbers(_) => Field::new(name, DataType::Float64, true),
        Cells::Text(_) => Field::new(name, DataType::Utf8, true),
    };
    Arc::new(Schema::new(sheet.columns.iter().map(field).collect::<Vec<_>>()))
}

/// The columns, some rows at a time.
pub fn batches<'a>(
    sheet: &'a Sheet<'_>,
    schema: &'a Arc<Schema>,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + 'a {
    (0..sheet.rows()).step_by(ROWS).map(move |start| {
        let rows = start..sheet.rows().min(start + ROWS);
        let columns = sheet.columns.iter().map(|(_, cells)| array(sheet, cells, rows.clone()));
        RecordBatch::try_new(Arc::clone(schema), columns.collect())
    })
}

fn array(sheet: &Sheet<'_>, cells: &Cells<'_>, rows: Range<usize>) -> ArrayRef {
    match cells {
        Cells::Class(class) => {
            let column = sheet.probs.column(*class);
            Arc::new(Float64Array::from_iter_values(rows.map(|row| column[row])))
        }
        Cells::Whole(numbers) => {
            Arc::new(Int64Array::from_iter_values(numbers[rows].iter().copied()))
        }
        Cells::Numbers(numbers) => {
            let given = |&number: &f64| (!number.is_nan()).then_some(number);
            Arc::new(numbers[rows].iter().map(given).collect::<Float64Array>())
        }
        Cells::Text(text) => Arc::new(words(text, rows)),
    }
}

fn words(text: &Text, rows: Range<usize>) -> StringArray {
    rows.map(|row| Some(text.get(row)).filter(|cell| !cell.is_empty())).collect()
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
