//! The same rows in any number of files of any format are the same rows, on any number of threads.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use calipers_files::{Batch, Columns, Entry, Error, Inputs, Layout, Scan};

use crate::common::Place;

/// What a row holds, as it is written.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub struct Row {
    pub p: f64,
    pub label: String,
    pub weight: f64,
    pub group: String,
    pub key: i64,
}

/// Rows whose groups are numbers in some files and words in others.
pub fn rows() -> Vec<Row> {
    (0..1000_u32)
        .map(|row| Row {
            p: f64::from(1 + row * 7919 % 998) / 1000.0,
            label: ["no", "yes"][(row * row % 7 % 2) as usize].to_owned(),
            weight: f64::from(row % 5) / 4.0,
            group: if row % 97 == 96 { "far".to_owned() } else { (row % 3).to_string() },
            key: i64::from(row) - 20,
        })
        .collect()
}

pub fn columns() -> Columns {
    Columns::new().label("y").probs(["p"]).weight("w").group("g").fold("g").key("id")
}

pub fn text(rows: &[Row]) -> String {
    let mut text = "note,y,p,w,g,id\n".to_owned();
    for Row { p, label, weight, group, key } in rows {
        writeln!(text, "x,{label},{p},{weight},{group},{key}").unwrap();
    }
    text
}

/// Writes rows to files of an ending, as many files as `files`.
fn files(place: &Place, ending: &str, files: usize) -> Vec<PathBuf> {
    let rows = rows();
    let parts = rows.chunks(rows.len().div_ceil(files));
    let path = |number: usize| place.path(&format!("{files}-{number:03}.{ending}"));
    parts
        .enumerate()
        .map(|(number, part)| {
            write(&path(number), ending, part);
            path(number)
        })
        .collect()
}

fn write(path: &std::path::Path, ending: &str, part: &[Row]) {
    match ending {
        "csv" => std::fs::write(path, text(part)).unwrap(),
        "csv.gz" => std::fs::write(path, gzip(&text(part))).unwrap(),
        #[cfg(feature = "parquet")]
        "csv.zst" => {
            std::fs::write(path, zstd::encode_all(text(part).as_bytes(), 1).unwrap()).unwrap()
        }
        #[cfg(feature = "parquet")]
        _ => arrow::write(path, part),
        #[cfg(not(feature = "parquet"))]
        other => panic!("{other}"),
    }
}

/// Two members, as files that were put together have them.
fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write as _;
    let half = text.len() / 2;
    let member = |part: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    [member(&text[..half]), member(&text[half..])].concat()
}

#[cfg(feature = "parquet")]
pub mod arrow {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    use super::Row;

    pub fn batch(rows: &[Row]) -> RecordBatch {
        let words = |word: &dyn Fn(&Row) -> String| -> ArrayRef {
            Arc::new(rows.iter().map(|row| Some(word(row))).collect::<StringArray>())
        };
        let numbers = |number: &dyn Fn(&Row) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(rows.iter().map(number)))
        };
        let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.key)));
        let columns = [
            ("note", words(&|_| "x".to_owned())),
            ("y", words(&|row| row.label.clone())),
            ("p", numbers(&|row| row.p)),
            ("w", numbers(&|row| row.weight)),
            ("g", words(&|row| row.group.clone())),
            ("id", keys),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// Writes several groups of rows, or several batches.
    pub fn write(path: &Path, rows: &[Row]) {
        let batch = batch(rows);
        let file = File::create(path).unwrap();
        let pieces =
            (0..rows.len()).step_by(47).map(|start| batch.slice(start, 47.min(rows.len() - start)));
        match path.extension().unwrap().to_str().unwrap() {
            "parquet" => {
                let groups =
                    WriterProperties::builder().set_max_row_group_row_count(Some(101)).build();
                let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(groups)).unwrap();
                pieces.for_each(|piece| writer.write(&piece).unwrap());
                writer.close().unwrap();
            }
            "arrows" => {
                let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
                pieces.for_each(|piece| writer.write(&piece).unwrap());
                writer.finish().unwrap();
            }
            _ => {
                let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
                pieces.for_each(|piece| writer.write(&piece).unwrap());
                writer.finish().unwrap();
            }
        }
    }
}

/// What a scan found: the rows with their places, and the words of each book by their texts.
struct Found {
    rows: Vec<(usize, u64, Row)>,
    labels: Vec<Entry>,
    groups: Vec<Entry>,
    folds: Vec<Entry>,
    seen: (u64, u64),
}

fn found(given: &[PathBuf], threads: usize) -> Found {
    let inputs = Inputs::find(given).unwrap();
    let layout = Layout::of(&inputs, &columns()).unwrap();
    assert!(!layout.is_guessed());
    let scan = Scan::new(&inputs, &layout).threads(threads);
    let (rows, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let batches = scan.run(
        Vec::new,
        |batches: &mut Vec<Batch>, batch| {
            batches.push(batch);
            Ok::<(), Error>(())
        },
        &|more, read| {
            rows.fetch_add(more, Ordering::Relaxed);
            bytes.fetch_add(read, Ordering::Relaxed);
        },
    );
    let sorted = |mut words: Vec<Entry>| {
        words.sort_by(|one, other| one.text.cmp(&other.text));
        words
    };
    let (labels, groups) = (scan.label_book().words(), scan.group_book().words());
    let mut found = Vec::new();
    for batch in batches.unwrap().into_iter().flatten() {
        let probs = batch.f.probs();
        let (weights, codes) = (batch.weights.as_ref().unwrap(), batch.groups.as_ref().unwrap());
        assert_eq!(batch.folds.as_ref().map(Vec::len), Some(batch.rows()));
        batch.keys.as_ref().unwrap().each(|row, key| {
            let read = Row {
                p: probs[[row, 1]],
                label: labels[batch.labels[row] as usize].text.clone(),
                weight: weights[row],
                group: groups[codes[row] as usize].text.clone(),
                key: key.parse().unwrap(),
            };
            found.push((batch.file, batch.first + row as u64, read));
        });
    }
    found.sort_by_key(|(file, row, _)| (*file, *row));
    Found {
        rows: found,
        labels: sorted(labels),
        groups: sorted(groups),
        folds: sorted(scan.fold_book().words()),
        seen: (rows.into_inner(), bytes.into_inner()),
    }
}

fn endings() -> Vec<&'static str> {
    let mut endings = vec!["csv", "csv.gz"];
    if cfg!(feature = "parquet") {
        endings.extend(["csv.zst", "parquet", "arrow", "arrows"]);
    }
    endings
}

#[test]
fn rows_are_the_same_in_any_number_of_files_of_any_format() {
    let place = Place::new();
    let expected = rows();
    for ending in endings() {
        for count in [1, 7, 100] {
            let given = files(&place, ending, count);
            let size = expected.len().div_ceil(count);
            for threads in [1, 8] {
                let case = format!("{count} {ending} on {threads}");
                let found = found(&given, threads);
                assert!(found.rows.iter().map(|(_, _, row)| row).eq(&expected), "{case}");
                let places = found.rows.iter().map(|(file, row, _)| file * size + *row as usize);
                assert!(places.eq(0..expected.len()), "{case}");
                assert_eq!(found.seen.0, expected.len() as u64, "{case}");
                let bytes: u64 = given.iter().map(|path| path.metadata().unwrap().len()).sum();
                // Arrow's readers pass over some bytes and read others twice.
                if !ending.starts_with("arrow") {
                    assert_eq!(found.seen.1, bytes, "{case}");
                }
            }
        }
    }
}

#[test]
fn words_are_the_same_on_any_number_of_threads() {
    let place = Place::new();
    for ending in endings() {
        let given = files(&place, ending, 7);
        let (one, many) = (found(&given, 1), found(&given, 8));
        assert_eq!(one.labels, many.labels, "{ending}");
        assert_eq!(one.groups, many.groups, "{ending}");
        assert_eq!(one.groups, one.folds, "{ending}");
        let far = one.groups.iter().find(|entry| entry.text == "far").unwrap();
        assert_eq!((far.first, far.count, far.number), (Some((0, 96)), 10, None), "{ending}");
        let counts: u64 = one.groups.iter().map(|entry| entry.count).sum();
        assert_eq!((one.groups.len(), counts), (4, 1000), "{ending}");
    }
}

#[test]
fn a_file_that_is_given_twice_is_read_twice() {
    let place = Place::new();
    let given = files(&place, "csv", 1);
    let twice = found(&[given[0].clone(), given[0].clone()], 2);
    assert_eq!(twice.rows.len(), 2000);
    assert_eq!(twice.labels[0].first.map(|(file, _)| file), Some(0));
    assert_eq!(twice.labels.iter().map(|entry| entry.count).sum::<u64>(), 2000);
}
