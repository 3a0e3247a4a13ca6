//! The same predictions through every format give the same report.

use calipers_files::Columns;
use ndarray::{Array1, Array2};
use serde_json::Value;
use zip::CompressionMethod;

use crate::common::npy::{archive, array, ordered};
use crate::common::{Place, delimited, report, rows};

fn matrix() -> Array2<f64> {
    let rows = rows();
    Array2::from_shape_fn((rows.len(), 3), |(row, class)| rows[row].1[class])
}

fn labels() -> Array1<i64> {
    rows().iter().map(|row| row.0).collect()
}

fn expected(place: &Place) -> Value {
    let csv = place.write("expected.csv", delimited(",", "\n"));
    let report = report(csv, &Columns::new(), &[]);
    assert_eq!((&report["n"], &report["classes"][2]), (&Value::from(60), &Value::from("2")));
    report
}

#[test]
fn text_in_every_guise() {
    let place = Place::new();
    let expected = expected(&place);
    let quoted = delimited("\",\"", "\"\n\"");
    let quoted = format!("\"{}", quoted.strip_suffix("\n\"").unwrap());
    for (name, text) in [
        ("tab.tsv", delimited("\t", "\n")),
        ("tab.txt", delimited("\t", "\n")),
        ("comma.txt", delimited(",", "\n")),
        ("semicolon.csv", delimited(";", "\n")),
        ("windows.csv", delimited(",", "\r\n")),
        ("mark.csv", format!("\u{feff}{}", delimited(",", "\r\n"))),
        ("no_end.csv", delimited(",", "\n").trim_end().to_owned()),
        ("blank.csv", delimited(",", "\n\n")),
        ("quoted.csv", quoted),
        ("no_extension", delimited(",", "\n")),
        ("UPPER.CSV", delimited(",", "\n")),
    ] {
        let file = place.write(name, text);
        assert_eq!(report(file, &Columns::new(), &[]), expected, "{name}");
    }
}

/// The bytes of numbers, one after the other.
fn bytes<const SIZE: usize>(numbers: impl IntoIterator<Item = [u8; SIZE]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

fn double_matrix() -> Vec<u8> {
    array("'<f8'", "(60, 3)", &bytes(matrix().iter().map(|value| value.to_le_bytes())))
}

fn integers(shape: &str) -> Vec<u8> {
    array("'<i8'", shape, &bytes(labels().iter().map(|label| label.to_le_bytes())))
}

#[test]
fn npz_of_any_type_and_layout() {
    let place = Place::new();
    let expected = expected(&place);
    let single = bytes(matrix().iter().map(|&value| (value as f32).to_le_bytes()));
    let fortran = bytes(matrix().t().iter().map(|value| value.to_le_bytes()));
    let small = bytes(labels().iter().map(|&label| [label as u8]));
    let floats = bytes(labels().iter().map(|&label| (label as f32).to_le_bytes()));
    let wrong_way = bytes(matrix().iter().map(|value| value.to_be_bytes()));
    for (name, arrays) in [
        ("double", [("probs", double_matrix()), ("labels", integers("(60,)"))]),
        (
            "single",
            [
                ("probs", array("'<f4'", "(60, 3)", &single)),
                ("labels", array("'|u1'", "(60,)", &small)),
            ],
        ),
        (
            "fortran",
            [
                ("probs", ordered("'<f8'", true, "(60, 3)", &fortran)),
                ("labels", array("'<f4'", "(60,)", &floats)),
            ],
        ),
        (
            "big_endian",
            [("probs", array("'>f8'", "(60, 3)", &wrong_way)), ("labels", integers("(60,)"))],
        ),
        ("column", [("labels", integers("(60, 1)")), ("probs", double_matrix())]),
    ] {
        let name = format!("{name}.npz");
        for compression in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let path = place.write(&name, archive(&arrays, compression));
            assert_eq!(report(path, &Columns::new(), &[]), expected, "{name} {compression}");
        }
    }
    let renamed = [("q", double_matrix()), ("truth", integers("(60,)"))];
    let renamed = place.write("renamed.npz", archive(&renamed, CompressionMethod::Deflated));
    assert_eq!(report(renamed, &Columns::new().label("truth").probs(["q"]), &[]), expected);
}

#[test]
fn npz_of_two_classes() {
    let place = Place::new();
    let first = matrix().column(0).to_owned();
    let truth = labels().mapv(|label| label == 0);
    let probs = bytes(first.iter().map(|value| value.to_le_bytes()));
    let truths = bytes(truth.iter().map(|&truth| [u8::from(truth)]));
    let arrays =
        [("probs", array("'<f8'", "(60,)", &probs)), ("labels", array("'|b1'", "(60,)", &truths))];
    let path = place.write("binary.npz", archive(&arrays, CompressionMethod::Stored));
    let mut text = "y,p\n".to_owned();
    for (p, y) in first.iter().zip(&truth) {
        text.push_str(&format!("{y},{p}\n"));
    }
    let csv = report(place.write("binary.csv", text), &Columns::new(), &[]);
    let npz = report(path, &Columns::new(), &[]);
    assert_eq!(csv["metrics"], npz["metrics"]);
}

#[cfg(feature = "parquet")]
mod arrow {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
        RecordBatch, StringArray,
    };
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use calipers_files::{Columns, Error, ErrorKind, load};
    use parquet::arrow::ArrowWriter;

    use super::{expected, labels, matrix};
    use crate::common::{Place, report, rows};

    fn batch(label: ArrayRef, single: bool) -> RecordBatch {
        let mut columns = vec![("label".to_owned(), label)];
        for class in 0..3 {
            let values = matrix().column(class).to_vec();
            let column: ArrayRef = if single {
                Arc::new(Float32Array::from_iter_values(values.iter().map(|&value| value as f32)))
            } else {
                Arc::new(Float64Array::from(values))
            };
            columns.push((format!("p_{class}"), column));
        }
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn write(path: &Path, batch: &RecordBatch) {
        let file = File::create(path).unwrap();
        let schema = batch.schema();
        // Two batches, so that putting them together is tested too.
        let halves = [batch.slice(0, 25), batch.slice(25, batch.num_rows() - 25)];
        match path.extension().unwrap().to_str().unwrap() {
            "parquet" => {
                let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
                halves.iter().for_each(|half| writer.write(half).unwrap());
                writer.close().unwrap();
            }
            "arrows" => {
                let mut writer = StreamWriter::try_new(file, &schema).unwrap();
                halves.iter().for_each(|half| writer.write(half).unwrap());
                writer.finish().unwrap();
            }
            _ => {
                let mut writer = FileWriter::try_new(file, &schema).unwrap();
                halves.iter().for_each(|half| writer.write(half).unwrap());
                writer.finish().unwrap();
            }
        }
    }

    #[test]
    fn parquet_arrow_file_and_arrow_stream() {
        let place = Place::new();
        let expected = expected(&place);
        let integers: ArrayRef = Arc::new(Int64Array::from(labels().to_vec()));
        let bytes: ArrayRef =
            Arc::new(Int8Array::from_iter_values(labels().iter().map(|&label| label as i8)));
        let words: Vec<String> = labels().iter().map(i64::to_string).collect();
        let text: ArrayRef = Arc::new(StringArray::from(words.clone()));
        let categories: ArrayRef =
            Arc::new(words.iter().map(String::as_str).collect::<DictionaryArray<Int32Type>>());
        for label in [integers, bytes, text, categories] {
            for single in [false, true] {
                for name in ["table.parquet", "table.arrow", "table.arrows"] {
                    let path = place.path(name);
                    write(&path, &batch(label.clone(), single));
                    let kind = label.data_type();
                    let found = report(&path, &Columns::new(), &[]);
                    assert_eq!(found, expected, "{name} {kind} {single}");
                }
            }
        }
    }

    #[test]
    fn booleans_are_labels() {
        let place = Place::new();
        let truth: Vec<bool> = labels().iter().map(|&label| label == 0).collect();
        let columns: [(&str, ArrayRef); 2] = [
            ("label", Arc::new(BooleanArray::from(truth.clone()))),
            ("p", Arc::new(Float64Array::from(matrix().column(0).to_vec()))),
        ];
        let path = place.path("bools.parquet");
        write(&path, &RecordBatch::try_from_iter(columns).unwrap());
        let report = report(path, &Columns::new(), &[]);
        assert_eq!(report["classes"][1], "true");
    }

    #[test]
    fn nulls_are_faults_only_where_they_are_used() {
        let place = Place::new();
        let gaps = |gap: usize| -> ArrayRef {
            let values = rows().into_iter().enumerate();
            let cells = values.map(|(row, (_, f))| (row != gap).then_some(f[0]));
            Arc::new(cells.collect::<Float64Array>())
        };
        let words = (0..60).map(|_| Some(vec![Some("x")]));
        let mut lists = ListBuilder::new(StringBuilder::new());
        lists.extend(words);
        let lists = lists.finish();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("label", Arc::new(Int64Array::from(labels().to_vec()))),
            ("p", gaps(60)),
            ("gap", gaps(7)),
            ("list", Arc::new(lists)),
        ];
        let truth: Int64Array = labels().iter().map(|&label| Some(label.min(1))).collect();
        let mut columns = columns;
        columns[0].1 = Arc::new(truth);
        for name in ["nulls.parquet", "nulls.arrow"] {
            let path = place.path(name);
            write(&path, &RecordBatch::try_from_iter(columns.clone()).unwrap());
            report(&path, &Columns::new().probs(["p"]), &[]);
            let fault = |column: &str| -> Error {
                let error = load(&path, &Columns::new().probs([column]), &|_| {}).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Input);
                error
            };
            let place = format!("{}, row 7, column gap", path.display());
            assert_eq!(fault("gap").message(), format!("{place}: the probability is missing"));
            let words = "column list: a probability cannot be of type List";
            assert!(fault("list").message().contains(words), "{}", fault("list"));
        }
    }

    #[test]
    fn groups_that_a_double_cannot_tell_apart() {
        let place = Place::new();
        let hashes = (0..60).map(|row| 9_007_199_254_740_992 + row % 2);
        let columns: [(&str, ArrayRef); 3] = [
            ("label", Arc::new(labels().iter().map(|&l| Some(l.min(1))).collect::<Int64Array>())),
            ("p", Arc::new(Float64Array::from(matrix().column(0).to_vec()))),
            ("hash", Arc::new(Int64Array::from_iter_values(hashes))),
        ];
        let path = place.path("hashes.parquet");
        write(&path, &RecordBatch::try_from_iter(columns).unwrap());
        let report = report(path, &Columns::new().probs(["p"]).fold("hash"), &[]);
        assert_eq!(report["folds"], 2);
    }
}
