//! Arrow files and streams whose numbers are not true.

use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int8Array, NullArray, RecordBatch};
use arrow_array::{Int64Array, StringArray};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, root_as_footer};

use super::refused;
use crate::common::Place;

/// The length of the letters that a short file repeats.
const LETTERS: usize = 8 << 20;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn plain() -> RecordBatch {
    let numbers = Float64Array::from_iter_values((0..100).map(|row| f64::from(row) / 100.0));
    let labels = Int64Array::from_iter_values((0..100).map(|row| row % 2));
    batch(vec![("label", Arc::new(labels)), ("p", Arc::new(numbers))])
}

/// Writes the batch as a file and as a stream, compressed.
fn write(place: &Place, batch: &RecordBatch) {
    let options =
        || IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let file = File::create(place.path("a.arrow")).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    let stream = File::create(place.path("a.arrows")).unwrap();
    let mut writer =
        StreamWriter::try_new_with_options(stream, &batch.schema(), options()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// Puts other bytes wherever these are.
fn replace(place: &Place, name: &str, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(place.path(name)).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "nothing to replace in {name}");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    place.write(name, bytes);
}

fn refused_both(place: &Place, words: &[&str]) {
    refused(place, "a.arrow", words);
    refused(place, "a.arrows", words);
}

#[test]
fn compressed_buffers_that_say_they_are_huge() {
    // A hundred numbers of eight bytes are what a buffer says that it holds.
    for length in [1i64 << 40, 1 << 60, i64::MAX] {
        let place = Place::new();
        write(&place, &plain());
        for name in ["a.arrow", "a.arrows"] {
            replace(&place, name, &800i64.to_le_bytes(), &length.to_le_bytes());
        }
        refused_both(&place, &["it unfolds to ", "may unfold to 1.0 GiB at most"]);
    }
}

#[test]
fn rows_without_number() {
    // Nulls take no bytes, however many they are.
    for rows in [1usize << 32, 1 << 60] {
        let place = Place::new();
        write(&place, &batch(vec![("label", Arc::new(NullArray::new(rows)))]));
        refused_both(&place, &["it unfolds to ", "may unfold to 1.0 GiB at most"]);
    }
}

#[test]
fn text_that_is_repeated_by_reference() {
    let rows = 1_000;
    let letters = "x".repeat(LETTERS);
    let entries: ArrayRef = Arc::new(StringArray::from(vec![letters.as_str()]));
    let keys = Int8Array::from(vec![0; rows]);
    let dictionary = DictionaryArray::try_new(keys, entries).unwrap();
    let mut views = StringViewBuilder::new();
    let block = views.append_block(letters.as_bytes().into());
    (0..rows).for_each(|_| views.try_append_view(block, 0, LETTERS as u32).unwrap());
    let columns: [ArrayRef; 2] = [Arc::new(dictionary), Arc::new(views.finish())];
    for (column, name) in columns.into_iter().zip(["a.arrow", "a.arrows"]) {
        let place = Place::new();
        write(&place, &batch(vec![("label", column)]));
        let words = ["it unfolds to 1.0 GiB or more", "may unfold to 1.0 GiB at most"];
        refused(&place, name, &words);
    }
}

#[test]
fn parts_beyond_the_end() {
    let place = Place::new();
    write(&place, &plain());
    let bytes = fs::read(place.path("a.arrow")).unwrap();
    let end = bytes.len() - 10;
    let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let start = end - footer;
    let length = root_as_footer(&bytes[start..end]).unwrap().recordBatches().unwrap();
    let length = length.get(0).bodyLength().to_le_bytes();
    let at = (start..end - 8).find(|&at| bytes[at..].starts_with(&length)).unwrap();
    let mut longer = bytes.clone();
    longer[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
    place.write("block.arrow", longer);
    refused(
        &place,
        "block.arrow",
        &["the file is damaged (a part of it is not where it should be)"],
    );
    let mut longer = bytes;
    longer[end..end + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    place.write("footer.arrow", longer);
    refused(
        &place,
        "footer.arrow",
        &["the file is damaged (a part of it is not where it should be)"],
    );
}
