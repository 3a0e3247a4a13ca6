//! The same predictions through every format give the same report.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs::File;

use common::{Place, delimited, rows};
use ndarray::{Array1, Array2, ShapeBuilder};
use ndarray_npy::NpzWriter;
use serde_json::Value;

fn matrix() -> Array2<f64> {
    let rows = rows();
    Array2::from_shape_fn((rows.len(), 3), |(row, class)| rows[row].1[class])
}

fn labels() -> Array1<i64> {
    rows().iter().map(|row| row.0).collect()
}

fn expected(place: &Place) -> Value {
    let csv = place.write("expected.csv", delimited(",", "\n"));
    let report = place.estimate(csv, &[]);
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
        assert_eq!(place.estimate(file, &[]), expected, "{name}");
    }
    let options = ["estimate", "-", "--format", "json", "--recalibrator", "temperature"];
    assert_eq!(place.pipe(&options, delimited(",", "\n").as_bytes()).json(), expected);
    assert_eq!(place.pipe(&options, delimited("\t", "\r\n").as_bytes()).json(), expected);
}

#[test]
fn npz_of_any_type_and_layout() {
    let place = Place::new();
    let expected = expected(&place);
    let write = |name: &str, fill: &dyn Fn(&mut NpzWriter<File>)| {
        let path = place.path(name);
        let mut archive = NpzWriter::new_compressed(File::create(&path).unwrap());
        fill(&mut archive);
        archive.finish().unwrap();
        path
    };
    let mut fortran = Array2::zeros((60, 3).f());
    fortran.assign(&matrix());
    for path in [
        write("double.npz", &|archive| {
            archive.add_array("probs", &matrix()).unwrap();
            archive.add_array("labels", &labels()).unwrap();
        }),
        write("single.npz", &|archive| {
            archive.add_array("probs", &matrix().mapv(|value| value as f32)).unwrap();
            archive.add_array("labels", &labels().mapv(|label| label as u8)).unwrap();
        }),
        write("fortran.npz", &|archive| {
            archive.add_array("probs", &fortran).unwrap();
            archive.add_array("labels", &labels().mapv(|label| label as f32)).unwrap();
        }),
        write("column.npz", &|archive| {
            archive.add_array("labels", &labels().into_shape_with_order((60, 1)).unwrap()).unwrap();
            archive.add_array("probs", &matrix()).unwrap();
        }),
    ] {
        assert_eq!(place.estimate(&path, &[]), expected, "{path:?}");
    }
    let renamed = write("renamed.npz", &|archive| {
        archive.add_array("q", &matrix()).unwrap();
        archive.add_array("truth", &labels()).unwrap();
    });
    assert_eq!(place.estimate(renamed, &["--label", "truth", "--probs", "q"]), expected);
}

#[test]
fn npz_of_two_classes() {
    let place = Place::new();
    let first = matrix().column(0).to_owned();
    let truth = labels().mapv(|label| label == 0);
    let path = place.path("binary.npz");
    let mut archive = NpzWriter::new(File::create(&path).unwrap());
    archive.add_array("probs", &first).unwrap();
    archive.add_array("labels", &truth).unwrap();
    archive.finish().unwrap();
    let mut text = "y,p\n".to_owned();
    for (p, y) in first.iter().zip(&truth) {
        text.push_str(&format!("{y},{p}\n"));
    }
    let csv = place.estimate(place.write("binary.csv", text), &[]);
    let npz = place.estimate(path, &[]);
    assert_eq!(csv["metrics"], npz["metrics"]);
}

#[test]
fn what_is_simulated_can_be_estimated() {
    let place = Place::new();
    let mut reports = Vec::new();
    for extension in ["csv", "tsv", "txt", "npz", "parquet", "arrow", "feather", "ipc"] {
        if cfg!(not(feature = "parquet")) && !["csv", "tsv", "txt", "npz"].contains(&extension) {
            continue;
        }
        let name = format!("drawn.{extension}");
        let seed = ["--seed", "5", "-o", &name];
        let ran = place
            .run(&[&["simulate", "multiclass-overconfident-3", "-n", "300"], &seed[..]].concat());
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
        reports.push(place.estimate(name, &[]));
    }
    assert_eq!(reports[0]["n"], 300);
    assert!(reports.iter().all(|report| *report == reports[0]));
}

#[cfg(feature = "parquet")]
mod arrow {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
        ListArray, RecordBatch, StringArray,
    };
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;

    use super::common::{Place, rows};
    use super::{expected, labels, matrix};

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
                    assert_eq!(place.estimate(&path, &[]), expected, "{name} {kind} {single}");
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
        let report = place.estimate(path, &[]);
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
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
            (0..60).map(|row| Some(vec![Some(row)])),
        );
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
            write(&place.path(name), &RecordBatch::try_from_iter(columns.clone()).unwrap());
            place.estimate(name, &["--probs", "p"]);
            let ran = place.run(&["estimate", name, "--probs", "gap"]);
            assert_eq!(ran.status, 2);
            let message = format!("error: {name}, row 7, column gap: the probability is missing\n");
            assert!(ran.stderr.ends_with(&message), "{}", ran.stderr);
            let ran = place.run(&["estimate", name, "--probs", "list"]);
            assert_eq!(ran.status, 2);
            assert!(
                ran.stderr.contains("column list: a probability cannot be of type List"),
                "{ran:?}"
            );
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
        let report = place.estimate(path, &["--probs", "p", "--fold-column", "hash"]);
        assert_eq!(report["folds"], 2);
    }
}
