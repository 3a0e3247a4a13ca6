//! Columns of a sheet as Arrow's arrays.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::sheet::{Cells, Sheet, whole};
use crate::table::Text;

/// Rows of a batch: few enough to add nothing to the memory, enough to be fast.
const ROWS: usize = 1 << 16;

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

/// As [`schema`], for a file to which more sheets are added: they may have gaps where this one has none.
pub fn growing_schema(sheet: &Sheet<'_>) -> Arc<Schema> {
    let fields = schema(sheet);
    let fields = fields.fields().iter().zip(&sheet.columns).map(|(field, (_, cells))| {
        field.as_ref().clone().with_nullable(!matches!(cells, Cells::Class(_)))
    });
    Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
}

/// The columns, some rows at a time, in the types of the schema.
pub fn batches<'a>(
    sheet: &'a Sheet<'_>,
    schema: &'a Arc<Schema>,
) -> impl Iterator<Item = io::Result<RecordBatch>> + 'a {
    (0..sheet.rows()).step_by(ROWS).map(move |start| {
        let rows = start..sheet.rows().min(start + ROWS);
        let columns = sheet.columns.iter().zip(schema.fields());
        let columns = columns.map(|((name, cells), field)| {
            array(sheet, cells, field.data_type(), rows.clone()).map_err(|reason| {
                io::Error::new(ErrorKind::InvalidInput, format!("{name} {reason}"))
            })
        });
        RecordBatch::try_new(Arc::clone(schema), columns.collect::<io::Result<_>>()?)
            .map_err(io::Error::other)
    })
}

/// Some cells of a column as an array of a type, which is that of the file's first sheet: what it is not
/// for the cells of this one is made of them, or a reason why not.
fn array(
    sheet: &Sheet<'_>,
    cells: &Cells<'_>,
    kind: &DataType,
    rows: Range<usize>,
) -> Result<ArrayRef, &'static str> {
    let given = |&number: &f64| (!number.is_nan()).then_some(number);
    Ok(match (cells, kind) {
        (Cells::Class(class), _) => {
            let column = sheet.probs.column(*class);
            Arc::new(Float64Array::from_iter_values(rows.map(|row| column[row])))
        }
        (Cells::Whole(numbers), DataType::Int64) => {
            Arc::new(Int64Array::from_iter_values(numbers[rows].iter().copied()))
        }
        (Cells::Whole(numbers), DataType::Float64) => Arc::new(
            numbers[rows].iter().map(|&number| Some(number as f64)).collect::<Float64Array>(),
        ),
        (Cells::Whole(numbers), _) => Arc::new(
            numbers[rows].iter().map(|number| Some(number.to_string())).collect::<StringArray>(),
        ),
        (Cells::Numbers(numbers), DataType::Float64) => {
            Arc::new(numbers[rows].iter().map(given).collect::<Float64Array>())
        }
        (Cells::Numbers(numbers), DataType::Int64) => {
            let there: Vec<f64> = numbers[rows.clone()].iter().filter_map(given).collect();
            whole(&there).ok_or("has fractions after rows of whole numbers")?;
            let cells =
                numbers[rows].iter().map(|number| given(number).map(|number| number as i64));
            Arc::new(cells.collect::<Int64Array>())
        }
        (Cells::Numbers(numbers), _) => {
            let cells = numbers[rows].iter().map(|number| given(number).map(|one| one.to_string()));
            Arc::new(cells.collect::<StringArray>())
        }
        (Cells::Text(text), DataType::Utf8) => Arc::new(words(text, rows)),
        (Cells::Text(_), _) => return Err("has text after rows of numbers"),
    })
}

fn words(text: &Text, rows: Range<usize>) -> StringArray {
    rows.map(|row| Some(text.get(row)).filter(|cell| !cell.is_empty())).collect()
}
