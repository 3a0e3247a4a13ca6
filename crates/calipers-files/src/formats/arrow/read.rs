//! Arrow IPC, the file format (Feather version 2) and the stream format.

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, SchemaRef};

use super::super::Asked;
use super::super::pieces::{Count, Counted};
use super::ipc;
use super::widen::{loses_digits, widen};
use crate::allowance::{Allowance, CELL};
use crate::error::{Error, Result, unreadable};
use crate::table::{ClassNames, Column, Lists, NOT_READ, Source, Table, Text, Values, Wanted};

/// Reads a file of either format.
pub fn read(file: File, asked: Asked<'_>) -> Result<Table> {
    let Asked { name, wanted, mut allowance, .. } = asked;
    let Batches { schema, batches, .. } = open(file, name, wanted, &allowance)?;
    let mut gathered = Gathered::new(&schema, wanted);
    for batch in batches {
        let batch = batch.map_err(|error| unusable(name, "Arrow", &error))?;
        gathered.add(&batch, name, "Arrow", &mut allowance)?;
    }
    Ok(gathered.take(Source::rows(name)))
}

/// The batches of a file, and the columns of all of it.
pub struct Batches {
    pub schema: SchemaRef,
    pub batches: Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>,
    pub count: Count,
}

/// Opens a file of either format, of which the wanted columns are read.
pub fn open(mut file: File, name: &str, wanted: &Wanted, allowance: &Allowance) -> Result<Batches> {
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
        let (file, count) = Counted::new(file);
        let reader =
            FileReader::try_new(BufReader::new(file), Some(projection)).map_err(damaged)?;
        return Ok(Batches { schema, batches: Box::new(reader), count });
    }
    let schema = StreamReader::try_new(BufReader::new(&file), None).map_err(damaged)?.schema();
    file.rewind().map_err(|error| unreadable(name, &error))?;
    let projection = projection(&schema, wanted);
    let (file, count) = Counted::new(file);
    let reader = StreamReader::try_new(BufReader::new(file), Some(projection)).map_err(damaged)?;
    Ok(Batches { schema, batches: Box::new(reader), count })
}

/// What the library says of a file.
pub fn unusable(name: &str, format: &str, error: &ArrowError) -> Error {
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
    Lists,
}

impl Cells {
    fn of(kind: &DataType) -> Option<Self> {
        match kind {
            // A dictionary of dictionaries could unfold to anything.
            DataType::Dictionary(_, value) if !matches!(**value, DataType::Dictionary(..)) => {
                Self::of(value).filter(|cells| *cells != Self::Lists)
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
                if item.data_type().is_numeric() =>
            {
                Some(Self::Lists)
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

/// Batches of the projected columns, put together.
pub struct Gathered {
    columns: Vec<Column>,
    /// The position among the columns of each that is read.
    read: Vec<usize>,
    /// How many rows there are.
    pub rows: usize,
    /// About how many bytes of text.
    pub letters: u64,
    class_names: ClassNames,
}

impl Gathered {
    /// Nothing yet; `schema` is the whole file's.
    pub fn new(schema: &Schema, wanted: &Wanted) -> Self {
        let column = |field: &FieldRef| {
            let kind = field.data_type();
            let values = match Cells::of(kind) {
                _ if !wanted.wants(field.name()) => Values::Other(NOT_READ.to_owned()),
                None => Values::Other(format!("of type {kind}")),
                Some(Cells::Numbers) => Values::Numbers(Vec::new()),
                Some(Cells::Text) => Values::Text(Text::default()),
                Some(Cells::Lists) => Values::Lists(Lists::default()),
            };
            Column { name: field.name().clone(), values }
        };
        let columns = schema.fields().iter().map(column).collect();
        let class_names = ClassNames::of_note(schema.metadata().get("huggingface"));
        Self { columns, read: projection(schema, wanted), rows: 0, letters: 0, class_names }
    }

    /// Adds the rows of a batch.
    pub fn add(
        &mut self,
        batch: &RecordBatch,
        name: &str,
        format: &str,
        allowance: &mut Allowance,
    ) -> Result<()> {
        let unusable = |error: ArrowError| unusable(name, format, &error);
        let cells = (batch.num_rows() as u64).saturating_mul(self.read.len() as u64);
        allowance.spend(cells.saturating_mul(CELL))?;
        for (&at, array) in self.read.iter().zip(batch.columns()) {
            match &mut self.columns[at].values {
                Values::Text(text) => {
                    self.letters += append_text(text, array, allowance, &unusable)?;
                }
                Values::Lists(lists) => {
                    self.letters += append_lists(lists, array, allowance, &unusable)?;
                }
                values => append(values, array).map_err(unusable)?,
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    /// Hands over what was gathered as a table.
    pub fn take(self, mut source: Source) -> Table {
        source.name_classes(self.class_names);
        Table { source, columns: self.columns }
    }
}

/// Appends an array's cells to numbers; null is NaN.
fn append(values: &mut Values, array: &ArrayRef) -> std::result::Result<(), ArrowError> {
    let Values::Numbers(numbers) = values else { return Ok(()) };
    if !loses_digits(array) {
        return widen(numbers, array);
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

/// Appends an array's lists; a list that is null is empty, a number that is null is NaN. The answer is how many
/// bytes they are.
fn append_lists(
    lists: &mut Lists,
    array: &ArrayRef,
    allowance: &mut Allowance,
    unusable: &dyn Fn(ArrowError) -> Error,
) -> Result<u64> {
    let mut bytes = 0;
    for row in 0..array.len() {
        let list = match array.data_type() {
            _ if array.is_null(row) => None,
            DataType::List(_) => Some(array.as_list::<i32>().value(row)),
            DataType::LargeList(_) => Some(array.as_list::<i64>().value(row)),
            _ => array.as_fixed_size_list_opt().map(|list| list.value(row)),
        };
        let own = CELL.saturating_mul(list.as_ref().map_or(0, |list| list.len() as u64));
        bytes += own;
        allowance.spend(own)?;
        lists
            .push_with(|numbers| list.map_or(Ok(()), |list| widen(numbers, &list)))
            .map_err(unusable)?;
    }
    Ok(bytes)
}

/// Appends an array's cells to text; null is empty.
///
/// The answer is how many bytes they are. Entries of a dictionary, and views, may be one long string over and over: they are counted one by
/// one, and never laid out side by side.
fn append_text(
    text: &mut Text,
    array: &ArrayRef,
    allowance: &mut Allowance,
    unusable: &dyn Fn(ArrowError) -> Error,
) -> Result<u64> {
    let mut letters = 0;
    let mut push = |cell: Option<&str>| {
        let cell = cell.unwrap_or_default();
        letters += cell.len() as u64;
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
        (0..array.len()).try_for_each(|row| {
            let key = keys.get(row).filter(|_| dictionary.keys().is_valid(row));
            push(key.filter(|&&key| entries.is_valid(key)).map(|&key| entries.value(key)))
        })?;
    } else if let Some(views) = array.as_string_view_opt() {
        views.iter().try_for_each(push)?;
    } else if let Some(truths) = array.as_boolean_opt() {
        letters = "false".len() as u64 * truths.len() as u64;
        allowance.spend(letters)?;
        let word = |truth: bool| if truth { "true" } else { "false" };
        truths.iter().for_each(|truth| text.push(truth.map_or("", word)));
    } else {
        let cells = cast(array, &DataType::Utf8).map_err(unusable)?;
        cells.as_string::<i32>().iter().try_for_each(push)?;
    }
    Ok(letters)
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
        let mut gathered = Gathered::new(&schema, &wanted);
        gathered.add(&batch, "a.arrow", "Arrow", &mut allowance).unwrap();
        let table = gathered.take(Source::rows("a.arrow"));
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
