//! Parquet files whose numbers are not true, or true and too large.

use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::properties::WriterProperties;

use super::refused;
use crate::common::Place;

const MANY: i64 = 1 << 60;

fn write(place: &Place, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(1 << 30)
        .build();
    let file = File::create(place.path("a.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn plain(place: &Place) {
    let numbers = Float64Array::from_iter_values((0..100).map(|row| f64::from(row) / 100.0));
    let labels = Int64Array::from_iter_values((0..100).map(|row| row % 2));
    write(place, vec![("label", Arc::new(labels)), ("p", Arc::new(numbers))]);
}

/// Writes the file with another footer.
fn with_footer(place: &Place, other: impl FnOnce(ParquetMetaData) -> ParquetMetaData) {
    let path = place.path("a.parquet");
    let footer =
        ParquetMetaDataReader::new().parse_and_finish(&File::open(&path).unwrap()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let [.., a, b, c, d, _, _, _, _] = bytes[..] else { panic!("no footer") };
    bytes.truncate(bytes.len() - 8 - u32::from_le_bytes([a, b, c, d]) as usize);
    let mut end = Vec::new();
    ParquetMetaDataWriter::new(&mut end, &other(footer)).finish().unwrap();
    bytes.extend(end);
    place.write("a.parquet", bytes);
}

/// The footer with other groups.
fn footer(
    footer: &ParquetMetaData,
    group: impl Fn(RowGroupMetaData) -> RowGroupMetaData,
) -> ParquetMetaData {
    let file = footer.file_metadata().clone();
    ParquetMetaData::new(file, footer.row_groups().iter().cloned().map(group).collect())
}

/// The group with its columns changed.
fn columns(
    group: RowGroupMetaData,
    column: impl Fn(ColumnChunkMetaData) -> ColumnChunkMetaData,
) -> RowGroupMetaData {
    let columns = group.columns().iter().cloned().map(column).collect();
    group.into_builder().set_column_metadata(columns).build().unwrap()
}

#[test]
fn more_rows_than_there_are_atoms() {
    let place = Place::new();
    plain(&place);
    // The library writes the sum over the groups, whatever it is told.
    let mut bytes = fs::read(place.path("a.parquet")).unwrap();
    let rows = [&[0x16][..], &varint(100), &[0x19]].concat();
    let at = (0..bytes.len()).rev().find(|&at| bytes[at..].starts_with(&rows)).unwrap();
    let many = [&[0x16][..], &varint(MANY), &[0x19]].concat();
    let longer = (many.len() - rows.len()) as u32;
    bytes.splice(at..at + rows.len(), many);
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) + longer;
    bytes[end..end + 4].copy_from_slice(&length.to_le_bytes());
    place.write("a.parquet", bytes);
    let promise =
        "a.parquet: it promises 1,152,921,504,606,846,976 rows of 2 columns, which is 16.0";
    refused(&place, "a.parquet", &[promise, "may unfold to 1.0 GiB at most"]);

    plain(&place);
    with_footer(&place, |whole| {
        footer(&whole, |group| group.into_builder().set_num_rows(MANY).build().unwrap())
    });
    refused(&place, "a.parquet", &[promise]);

    plain(&place);
    with_footer(&place, |whole| {
        footer(&whole, |group| {
            let group = group.into_builder().set_num_rows(MANY).build().unwrap();
            columns(group, |column| column.into_builder().set_num_values(MANY).build().unwrap())
        })
    });
    refused(&place, "a.parquet", &[promise]);
}

#[test]
fn columns_beyond_the_end() {
    let place = Place::new();
    plain(&place);
    with_footer(&place, |whole| {
        footer(&whole, |group| {
            columns(group, |column| {
                column.into_builder().set_total_compressed_size(MANY).build().unwrap()
            })
        })
    });
    refused(&place, "a.parquet", &["the file is damaged (a column lies beyond its end)"]);
}

/// A number as Thrift writes it.
fn varint(value: i64) -> Vec<u8> {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// A page's header: its kind, its size unfolded and stored, and the number of its values.
fn header(kind: i64, unfolded: i64, stored: i64, values: i64) -> Vec<u8> {
    let (number, encodings) = match kind {
        // A dictionary has one encoding, a page of values has three.
        2 => (0x4c, vec![0x15, 0]),
        _ => (0x2c, vec![0x15, 16, 0x15, 6, 0x15, 6]),
    };
    [
        vec![0x15],
        varint(kind),
        vec![0x15],
        varint(unfolded),
        vec![0x15],
        varint(stored),
        vec![number, 0x15],
        varint(values),
        encodings,
        vec![0, 0],
    ]
    .concat()
}

/// Replaces the columns by these bytes, and says where they are.
fn with_pages(place: &Place, pages: &[u8]) {
    plain(place);
    let start = fs::metadata(place.path("a.parquet")).unwrap().len() as i64;
    let mut bytes = fs::read(place.path("a.parquet")).unwrap();
    let [.., a, b, c, d, _, _, _, _] = bytes[..] else { panic!("no footer") };
    let tail = 8 + i64::from(u32::from_le_bytes([a, b, c, d]));
    let at = bytes.len() - tail as usize;
    bytes.splice(at..at, pages.iter().copied());
    place.write("a.parquet", bytes);
    let length = pages.len() as i64;
    with_footer(place, |whole| {
        footer(&whole, |group| {
            columns(group, |column| {
                let column = column.into_builder();
                let column = column.set_dictionary_page_offset(None);
                let column = column.set_data_page_offset(start - tail);
                column.set_total_compressed_size(length).build().unwrap()
            })
        })
    });
}

#[test]
fn pages_that_say_they_are_huge() {
    let place = Place::new();
    let huge = i64::from(i32::MAX);
    // A page that unfolds to two gibibytes; one of as many values; a dictionary of as many entries.
    with_pages(&place, &[header(0, huge, 8, 100), vec![0; 8]].concat());
    refused(&place, "a.parquet", &["it unfolds to 2.0 GiB or more"]);
    with_pages(&place, &[header(0, 8, 8, huge), vec![0; 8]].concat());
    refused(&place, "a.parquet", &["it unfolds to 16.0 GiB or more"]);
    with_pages(&place, &[header(2, 8, 8, huge), vec![0; 8]].concat());
    refused(&place, "a.parquet", &["the file is damaged (a dictionary shorter than its entries)"]);
    with_pages(&place, &[header(0, -1, 8, 100), vec![0; 8]].concat());
    refused(&place, "a.parquet", &["the file is damaged (a page of negative size)"]);
    with_pages(&place, &[0xff; 64]);
    refused(&place, "a.parquet", &["the file is damaged (a page's header)"]);
}

#[test]
fn a_long_text_in_every_row() {
    let place = Place::new();
    let letters = "x".repeat(8 << 20);
    let labels = StringArray::from(vec![letters.as_str(); 5]);
    write(&place, vec![("label", Arc::new(labels))]);
    // The same five rows forty times.
    with_footer(&place, |whole| {
        let groups = vec![whole.row_group(0).clone(); 40];
        ParquetMetaData::new(whole.file_metadata().clone(), groups)
    });
    refused(
        &place,
        "a.parquet",
        &["it unfolds to 1.0 GiB or more", "may unfold to 1.0 GiB at most"],
    );
}

/// A file that is nothing but a footer of these nodes: how many children each has.
fn tree(place: &Place, children: &[i64]) {
    let node = |&count: &i64| {
        // 3: optional; 4: the name; 5: the number of children.
        [vec![0x35, 2, 0x18, 1, b'x', 0x15], varint(count), vec![0]].concat()
    };
    let mut length = Vec::new();
    let mut rest = children.len();
    while rest >= 0x80 {
        length.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    length.push(rest as u8);
    let nodes: Vec<u8> = children.iter().flat_map(node).collect();
    // 1: version; 2: the nodes; 3: rows; 4: groups, of which there are none.
    let footer = [&[0x15, 2, 0x19, 0xfc][..], &length, &nodes, &[0x16, 0, 0x19, 0x0c, 0]].concat();
    let size = (footer.len() as u32).to_le_bytes();
    place.write("a.parquet", [b"PAR1", footer.as_slice(), &size, b"PAR1"].concat());
}

#[test]
fn columns_that_are_no_tree() {
    let place = Place::new();
    let words = ["the file is damaged (its columns are no tree)"];
    tree(&place, &vec![1; 100_000]);
    refused(&place, "a.parquet", &words);
    tree(&place, &[i64::from(i32::MAX), 0, 0]);
    refused(&place, "a.parquet", &words);
}
