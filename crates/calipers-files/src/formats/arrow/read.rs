//! Arrow IPC, the file format (Feather version 2) and the stream format.

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};

use super::super::Asked;
use super::ipc;
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};
use crate::table::{Column, NOT_READ, Source, Table, Text, Values, Wanted};

/// Reads a file of either format.
pub fn read(mut file: File, asked: Asked<'_>) -> Result<Table> {
    let Asked { name, wanted, mut allowance, .. } = asked;
    let mut magic = Vec::new();
    let start = Read::by_ref(&mut file).take(6).read_to_end(&mut magic).and_then(|_| file.rewind());
    start.map_err(|error| unreadable(name, &error))?;
    let damaged = |error: ArrowError| unusable(name, "Arrow", &error);
    if magic.starts_with(b"FEA1") {
        return Err(Error::input(format!("{name}: Feather version 1 is not supported"))
            .with_hint("write it as version 2, which is Arrow IPC"));
    }
    ipc::measure(&file, magic == b"ARROW1", name, allowance.clone())?;
    if magic == b"ARROW1" {
        let schema = FileReader::try_new(BufReader::new(&file), None).map_err(damaged)?.schema();
        let projection = projection(&schema, wanted);
        let reader =
            FileReader::try_new(BufReader::new(&file), Some(projection)).map_err(damaged)?;
        return collect(&schema, reader, name, "Arrow", wanted, &mut allowance);
    }
    let schema = StreamReader::try_new(BufReader::new(&file), None).map_err(damaged)?.schema();
    file.rewind().map_err(|error| unreadable(name, &error))?;
    let projection = projection(&schema, wanted);
    let reader = StreamReader::try_new(BufReader::new(&file), Some(projection)).map_err(damaged)?;
    collect(&schema, reader, name, "Arrow", wanted, &mut allowance)
}

fn unusable(name: &str, format: &str, error: &ArrowError) -> Error {
    Error::input(format!("cannot read {name} as {format}: {error}"))
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
            // A dictionary of dictionaries could unfold to anything.
            DataType::Dictionary(_, value) if !matches!(**value, DataType::Dictionary(..)) => {
                Self::of(value)
            }
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
    allowance: &mut Allowance,
) -> Result<Table> {
    let read = projection(schema, wanted);
    let mut columns: Vec<Column> = schema
        .fields()
        .iter()
        .map(|field| {
            let kind = field.data_type();
            let values = match Cells::of(kind) {
                _ if !wanted.wants(field.name()) => Values::Other(NOT_READ.to_owned()),
                None => Values::Other(format!("of type {kind}")),
                Some(Cells::Numbers) => Values::Numbers(Vec::new()),
                Some(Cells::Text) => Values::Text(Text::default()),
            };
            Column { name: field.name().clone(), values }
        })
        .collect();
    let unusable = |error: ArrowError| unusable(name, format, &error);
    for batch in batches {
        let batch = batch.map_err(unusable)?;
        allowance.spend((batch.num_rows() as u64).saturating_mul(CELL * read.len() as u64))?;
        for (&at, array) in read.iter().zip(batch.columns()) {
            match &mut columns[at].values {
                Values::Text(text) => append_text(text, array, allowance, &unusable)?,
                values => append(values, array).map_err(unusable)?,
            }
        }
    }
    Ok(Table { source: Source::rows(name), columns })
}

/// Appends an array's cells to numbers; null is NaN.
fn append(values: &mut Values, array: &ArrayRef) -> std::result::Result<(), ArrowError> {
    let Values::Numbers(numbers) = values else { return Ok(()) };
    if !loses_digits(array) {
        let cells = cast(array, &DataType::Float64)?;
        let cells = cells.as_primitive::<Float64Type>();
        numbers.extend(cells.iter().map(|cell| cell.unwrap_or(f64::NAN)));
        return Ok(());
    }
    let mut text = Text::default();
    for number in numbers {
        text.push(&if number.is_nan() { String::new() } else { number.to_string() });
    }
    let cells = cast(array, &DataType::Utf8)?;
    cells.as_string::<i32>().iter().for_each(|cell| text.push(cell.unwrap_or_default()));
    *values = Values::Text(text);
    Ok(())
}

/// Appends an array's cells to text; null is empty.
///
/// Entries of a dictionary, and views, may be one long string over and over: they are counted one by
/// one, and never laid out side by side.
fn append_text(
    text: &mut Text,
    array: &ArrayRef,
    allowance: &mut Allowance,
    unusable: &dyn Fn(ArrowError) -> Error,
) -> Result<()> {
    let mut push = |cell: Option<&str>| {
        let cell = cell.unwrap_or_default();
        allowance.spend(cell.len() as u64)?;
        text.push(cell);
        Ok(())
    };
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let entries = match dictionary.values() {
            views if *views.data_type() == DataType::Utf8View => views.clone(),
            others => cast(others, &DataType::Utf8)
                .and_then(|text| cast(&text, &DataType::Utf8View))
                .map_err(unusable)?,
        };
        let entries = entries.as_string_view();
        let keys = if entries.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        return (0..array.len()).try_for_each(|row| {
            let key = keys.get(row).filter(|_| dictionary.keys().is_valid(row));
            push(key.filter(|&&key| entries.is_valid(key)).map(|&key| entries.value(key)))
        });
    }
    if let Some(views) = array.as_string_view_opt() {
        return views.iter().try_for_each(push);
    }
    let cells = cast(array, &DataType::Utf8).map_err(unusable)?;
    cells.as_string::<i32>().iter().try_for_each(push)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        BooleanArray, Date32Array, DictionaryArray, Int8Array, StringArray, StringViewArray,
    };

    use super::*;

    fn text(array: ArrayRef) -> Vec<String> {
        let batch = RecordBatch::try_from_iter_with_nullable([("a", array, true)]).unwrap();
        let (schema, wanted) = (batch.schema(), Wanted::default());
        let mut allowance = Allowance::of("a.arrow", 1, 1 << 20);
        let batches = [Ok(batch)].into_iter();
        let table = collect(&schema, batches, "a.arrow", "Arrow", &wanted, &mut allowance).unwrap();
        let Values::Text(text) = &table.columns[0].values else { panic!("{table:?}") };
        text.iter().map(str::to_owned).collect()
    }

    fn dictionary(keys: &[Option<i8>], values: ArrayRef) -> ArrayRef {
        let keys = Int8Array::from(keys.to_vec());
        Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values).unwrap())
    }

    #[test]
    fn text_of_every_kind_is_read() {
        let keys = [Some(1), None, Some(0), Some(1)];
        let words = StringArray::from(vec![None, Some("yes")]);
        assert_eq!(text(dictionary(&keys, Arc::new(words))), ["yes", "", "", "yes"]);
        let views = StringViewArray::from(vec!["no", "a word of more than twelve letters"]);
        let long = "a word of more than twelve letters";
        assert_eq!(text(Arc::new(views.clone())), ["no", long]);
        assert_eq!(text(dictionary(&keys, Arc::new(views))), [long, "", "no", long]);
        let days = Date32Array::from(vec![0, 1]);
        let first_days = ["1970-01-02", "", "1970-01-01", "1970-01-02"];
        assert_eq!(text(dictionary(&keys, Arc::new(days))), first_days);
        let truths = BooleanArray::from(vec![Some(true), None]);
        assert_eq!(text(Arc::new(truths.clone())), ["true", ""]);
        assert_eq!(text(dictionary(&keys, Arc::new(truths))), ["", "", "true", ""]);
        let none = StringArray::from(Vec::<&str>::new());
        assert_eq!(text(dictionary(&[None, None], Arc::new(none))), ["", ""]);
    }
}
