//! Arrow IPC, the file format (Feather version 2) and the stream format.

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};

use super::wanted::NOT_READ;
use super::{Column, Source, Table, Text, Values, Wanted, unreadable};
use crate::error::{Failure, Result};

/// Reads a file of either format.
pub fn read(mut file: File, name: &str, wanted: &Wanted) -> Result<Table> {
    let mut magic = Vec::new();
    let start = Read::by_ref(&mut file).take(6).read_to_end(&mut magic).and_then(|_| file.rewind());
    start.map_err(|error| unreadable(name, &error))?;
    let damaged = |error: ArrowError| unusable(name, "Arrow", &error);
    if magic.starts_with(b"FEA1") {
        return Err(Failure::input(format!("{name}: Feather version 1 is not supported"))
            .hint("write it as version 2, which is Arrow IPC"));
    }
    if magic == b"ARROW1" {
        let schema = FileReader::try_new(BufReader::new(&file), None).map_err(damaged)?.schema();
        let projection = projection(&schema, wanted);
        let reader =
            FileReader::try_new(BufReader::new(&file), Some(projection)).map_err(damaged)?;
        return collect(&schema, reader, name, "Arrow", wanted);
    }
    let schema = StreamReader::try_new(BufReader::new(&file), None).map_err(damaged)?.schema();
    file.rewind().map_err(|error| unreadable(name, &error))?;
    let projection = projection(&schema, wanted);
    let reader = StreamReader::try_new(BufReader::new(&file), Some(projection)).map_err(damaged)?;
    collect(&schema, reader, name, "Arrow", wanted)
}

fn unusable(name: &str, format: &str, error: &ArrowError) -> Failure {
    Failure::input(format!("cannot read {name} as {format}: {error}"))
}

/// The columns to read: wanted, and of a type that can be used.
pub fn projection(schema: &Schema, wanted: &Wanted) -> Vec<usize> {
    let fields = schema.fields().iter().enumerate();
    fields
        .filter(|(_, field)| wanted.wants(field.name()) && Cells::of(field.data_type()).is_some())
        .map(|(at, _)| at)
        .collect()
}

/// What the cells of a type become.
#[derive(Clone, Copy, PartialEq)]
enum Cells {
    Numbers,
    Text,
}

impl Cells {
    fn of(kind: &DataType) -> Option<Self> {
        match kind {
            DataType::Dictionary(_, value) => Self::of(value),
            DataType::Null => Some(Self::Numbers),
            kind if kind.is_numeric() => Some(Self::Numbers),
            DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Some(Self::Text)
            }
            kind if kind.is_temporal() => Some(Self::Text),
            _ => None,
        }
    }
}

/// Puts batches of the projected columns together; `schema` is the whole file's.
pub fn collect(
    schema: &Schema,
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    name: &str,
    format: &str,
    wanted: &Wanted,
) -> Result<Table> {
    let read = projection(schema, wanted);
    let mut columns: Vec<Column> = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let kind = field.data_type();
            let values = match Cells::of(kind) {
                _ if !wanted.wants(field.name()) => Values::Other(NOT_READ.to_owned()),
                None => Values::Other(format!("of type {kind}")),
                Some(Cells::Numbers) if read.contains(&at) => Values::Numbers(Vec::new()),
                Some(_) => Values::Text(Text::default()),
            };
            Column { name: field.name().clone(), values }
        })
        .collect();
    for batch in batches {
        let batch = batch.map_err(|error| unusable(name, format, &error))?;
        for (&at, array) in read.iter().zip(batch.columns()) {
            append(&mut columns[at].values, array)
                .map_err(|error| unusable(name, format, &error))?;
        }
    }
    Ok(Table { source: Source::rows(name), columns })
}

/// Appends an array's cells; null is NaN or empty.
fn append(values: &mut Values, array: &ArrayRef) -> std::result::Result<(), ArrowError> {
    if let Values::Numbers(numbers) = values {
        if !loses_digits(array) {
            let cells = cast(array, &DataType::Float64)?;
            let cells = cells.as_primitive::<Float64Type>();
            numbers.extend(cells.iter().map(|cell| cell.unwrap_or(f64::NAN)));
            return Ok(());
        }
        let before = numbers.iter().map(f64::to_string).collect::<Vec<_>>();
        let text = before.iter().map(|cell| if cell == "NaN" { "" } else { cell.as_str() });
        *values = Values::Text(text.collect());
    }
    if let Values::Text(text) = values {
        let cells = cast(array, &DataType::Utf8)?;
        let cells = cells.as_string::<i32>();
        cells.iter().for_each(|cell| text.push(cell.unwrap_or_default()));
    }
    Ok(())
}

/// Whether an array holds integers that a double cannot: hashes, which as doubles would collide.
fn loses_digits(array: &dyn Array) -> bool {
    const EXACT: u64 = 1 << 53;
    match array.data_type() {
        DataType::Int64 => array
            .as_primitive::<Int64Type>()
            .iter()
            .flatten()
            .any(|value| value.unsigned_abs() > EXACT),
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().flatten().any(|value| value > EXACT)
        }
        _ => false,
    }
}
