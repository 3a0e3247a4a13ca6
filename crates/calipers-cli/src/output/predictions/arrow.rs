//! Predictions as an Arrow IPC file, which is Feather version 2.

use std::fs::File;
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use calipers::Predictions;

/// Rows of a batch: few enough to add nothing to the memory, enough to be fast.
const ROWS: usize = 1 << 16;

/// Writes the file.
pub fn write(predictions: &Predictions<'_>, file: &mut File) -> io::Result<()> {
    let schema = schema(predictions);
    let mut writer = FileWriter::try_new_buffered(file, &schema).map_err(failed)?;
    for batch in batches(predictions, &schema) {
        writer.write(&batch.map_err(failed)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// `label`, then one probability a class.
pub fn schema(predictions: &Predictions<'_>) -> Arc<Schema> {
    let mut fields = vec![Field::new("label", DataType::Int64, false)];
    let probability = |class| Field::new(format!("p_{class}"), DataType::Float64, false);
    fields.extend((0..predictions.classes()).map(probability));
    Arc::new(Schema::new(fields))
}

/// The predictions, some rows at a time.
pub fn batches<'a>(
    predictions: &'a Predictions<'_>,
    schema: &'a Arc<Schema>,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + 'a {
    (0..predictions.rows()).step_by(ROWS).map(move |start| {
        let rows = start..predictions.rows().min(start + ROWS);
        let labels = &predictions.labels()[rows.clone()];
        let labels = Int64Array::from_iter_values(labels.iter().map(|&label| label.into()));
        let mut columns: Vec<ArrayRef> = vec![Arc::new(labels)];
        for column in predictions.probs().columns() {
            let values = rows.clone().map(|row| column[row]);
            columns.push(Arc::new(Float64Array::from_iter_values(values)));
        }
        RecordBatch::try_new(Arc::clone(schema), columns)
    })
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
