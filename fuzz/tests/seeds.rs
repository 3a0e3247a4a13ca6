//! Writes the seeds that are no text of a line or two: `cargo test --package calipers-fuzz --test
//! seeds -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../crates/calipers-files/tests/common/npy.rs"]
mod npy;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
    NullArray, RecordBatch, StringArray, StringViewArray, types::Int8Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use calipers::{
    Estimator, Identities, ModelNotes, Plan, Predictions, Probabilities, Rows, Sample, Sampler,
    neighbours, recalibrator, recalibrators, save_model, simulate,
};
use calipers_files::Format;
use calipers_fuzz::TARGETS;
use ndarray::Array2;
use npy::{archive, array};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use zip::CompressionMethod;

/// Bytes; a stack of trees takes the most.
const LONGEST: usize = 1 << 15;

fn write(target: &str, name: &str, bytes: impl AsRef<[u8]>) {
    let folder = folder(target);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target)
}

#[test]
fn every_target_has_seeds_that_are_small() {
    for (target, _) in TARGETS {
        let seeds: Vec<_> = fs::read_dir(folder(target)).unwrap().collect();
        assert!(!seeds.is_empty(), "{target}");
        for seed in seeds {
            let seed = seed.unwrap();
            assert!(seed.metadata().unwrap().len() <= LONGEST as u64, "{}", seed.path().display());
        }
    }
}

#[test]
fn every_format_is_a_target() {
    for format in Format::all() {
        let name = format.name().to_lowercase();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "{name}");
    }
}

#[test]
#[ignore = "it writes files"]
fn write_the_seeds() {
    tables();
    archives();
    names();
    models();
    tallies();
    let mut chance = ChaCha8Rng::seed_from_u64(0);
    for (at, info) in recalibrators().enumerate() {
        let mut bytes = vec![at as u8];
        bytes.extend((0..120).map(|_| chance.random::<u8>()));
        write("estimate", info.name, bytes);
    }
    for door in 0..7u8 {
        // Four rows of three classes; even numbers, and then anything.
        let mut bytes = vec![door, 4, 3, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1];
        bytes.extend((0..100).map(|_| chance.random::<u8>()));
        write("predictions", &format!("door-{door}"), bytes);
    }
}

/// Two classes with weights and words, three classes in single precision, and what else a table has.
fn batches() -> Vec<(&'static str, RecordBatch)> {
    let words: DictionaryArray<Int8Type> = ["no", "yes", "no", "yes"].into_iter().collect();
    let two: [(&str, ArrayRef); 4] = [
        ("label", Arc::new(words)),
        ("p_no", Arc::new(Float64Array::from(vec![0.75, 0.5, 1.0, 0.0]))),
        ("p_yes", Arc::new(Float64Array::from(vec![0.25, 0.5, 0.0, 1.0]))),
        ("weight", Arc::new(Int8Array::from(vec![1, 2, 3, 0]))),
    ];
    let three: [(&str, ArrayRef); 4] = [
        ("y", Arc::new(Int64Array::from(vec![0, 2, 1, 1]))),
        ("a", Arc::new(Float32Array::from(vec![Some(0.5), Some(0.25), Some(0.0), Some(1.0)]))),
        ("b", Arc::new(Float32Array::from(vec![0.25, 0.25, 1.0, 0.0]))),
        ("c", Arc::new(Float32Array::from(vec![0.25, 0.5, 0.0, 0.0]))),
    ];
    let other: [(&str, ArrayRef); 4] = [
        ("label", Arc::new(StringViewArray::from(vec!["no", "a longer word than twelve", "no"]))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("p", Arc::new(Float64Array::from(vec![Some(0.5), None, Some(0.125)]))),
        ("note", Arc::new(StringArray::from(vec!["x", "y", "z"]))),
    ];
    let batch =
        |columns: [(&'static str, ArrayRef); 4]| RecordBatch::try_from_iter(columns).unwrap();
    vec![("two", batch(two)), ("three", batch(three)), ("other", batch(other))]
}

fn tables() {
    let nulls: ArrayRef = Arc::new(NullArray::new(5));
    let nulls = RecordBatch::try_from_iter_with_nullable([("label", nulls, true)]);
    let batches = [batches(), vec![("nulls", nulls.unwrap())]].concat();
    let codecs = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    for (at, (name, batch)) in batches.iter().enumerate() {
        let options = || IpcWriteOptions::default().try_with_compression(codecs[at % 3]).unwrap();
        let mut bytes = Vec::new();
        let schema = batch.schema();
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        write("arrow", &format!("{name}-file"), &bytes);
        let mut bytes = Vec::new();
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &schema, options()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        write("arrow", &format!("{name}-stream"), &bytes);
    }
    let compressions =
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())];
    for (at, (name, batch)) in batches.iter().enumerate() {
        let mut properties = WriterProperties::builder()
            .set_compression(compressions[at % 3])
            .set_created_by(String::new())
            .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None);
        if *name == "three" {
            properties = properties
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_dictionary_enabled(false)
                .set_encoding(Encoding::BYTE_STREAM_SPLIT)
                .set_column_encoding("y".into(), Encoding::DELTA_BINARY_PACKED);
        }
        if *name == "other" {
            properties = properties
                .set_dictionary_enabled(false)
                .set_column_encoding("note".into(), Encoding::DELTA_BYTE_ARRAY);
        }
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        write("parquet", name, &bytes);
    }
}

fn archives() {
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
    let probs: Vec<u8> = bytes(&[0.75, 0.25, 0.5, 0.5, 0.0, 1.0]);
    let labels: Vec<u8> = [0i64, 1, 1].iter().flat_map(|label| label.to_le_bytes()).collect();
    let weights: Vec<u8> = [1.0f32, 2.0, 0.5].iter().flat_map(|one| one.to_le_bytes()).collect();
    let two =
        [("probs", array("'<f8'", "(3, 2)", &probs)), ("labels", array("'<i8'", "(3,)", &labels))];
    write("npz", "stored", archive(&two, CompressionMethod::Stored));
    let more = [
        ("weights", array("'<f4'", "(3,)", &weights)),
        ("folds", array("'|u1'", "(3,)", &[0, 1, 0])),
    ];
    write("npz", "deflated", archive(&[two, more].concat(), CompressionMethod::Deflated));
}

fn names() {
    for info in recalibrators() {
        let parameters: Vec<String> =
            info.parameters.iter().map(|one| format!("{}={}", one.name, one.default)).collect();
        let text = match parameters.is_empty() {
            true => info.name.to_owned(),
            false => format!("{}:{}", info.name, parameters.join(",")),
        };
        write("recalibrator", info.name, text);
    }
    for info in neighbours() {
        let parameters: Vec<String> =
            info.parameters.iter().map(|one| format!("{}={}", one.name, one.default)).collect();
        let text = match parameters.is_empty() {
            true => format!("top-{}", info.name),
            false => format!("classwise-{}:{}", info.name, parameters.join(",")),
        };
        write("neighbour", info.name, text);
    }
    for (name, text) in
        [("power", "top-over-l1.5"), ("log", "classwise-under-log"), ("most", "linf")]
    {
        write("metric", name, text);
    }
    for (name, text) in [
        ("two", "label,p_no,p_yes\nno,0.75,0.25\nyes,1e-3,0.999\n"),
        ("three", "y;a;b;c\n2;0.5;0.25;0.25\n0;1;0;0\n"),
        ("quoted", "\"label\",\"p, \"\"q\"\"\",weight\r\n1,0.5,2\r\n\r\n0,.25,NA\r\n"),
        ("tab", "target\tscore\tfold\n-1\t0.5\t1\n1\t1\t2"),
    ] {
        write("csv", name, text);
    }
    for (name, text) in [
        (
            "two",
            "{\"label\": \"no\", \"p_no\": 0.75, \"p_yes\": 0.25}\n{\"label\": \"yes\", \"p_no\": 0, \"p_yes\": 1}\n",
        ),
        (
            "lists",
            "{\"label\": 1, \"probs\": [0.5, 0.5]}\n{\"label\": 2, \"probs\": [0.25, 0.5, 0.25]}\n",
        ),
        (
            "other",
            "{\"y\": true, \"p\": 0.5, \"note\": {\"a\": [null]}}\r\n\r\n{\"p\": 1e-3, \"y\": false, \"tags\": [\"x\"]}",
        ),
    ] {
        write("jsonl", name, text);
    }
}

/// A plan and a tally of two classes, with and without weights, and of three.
fn tallies() {
    for (name, setting, weights) in [
        ("two", "binary-overconfident", None),
        ("weighted", "binary-overconfident", Some(vec![0.5; 60])),
        ("three", "multiclass-overconfident-3", None),
    ] {
        let stream = simulate(setting, 60, 0).unwrap();
        let f = Probabilities::new(stream.probs().into_owned()).unwrap();
        let who = Identities::Numbered { part: 0, first: 0 };
        let mut rows = Rows::new(&f, stream.labels(), who).unwrap();
        if let Some(weights) = &weights {
            rows = rows.weights(weights).unwrap();
        }
        let mut sampler = Sampler::new(30, 0);
        sampler.add(&rows).unwrap();
        let asked =
            Estimator::new().recalibrator(recalibrator("temperature").unwrap()).draws(0).folds(2);
        let classes: Vec<u32> = (0..stream.classes() as u32).collect();
        let drawn = sampler.finish().unwrap();
        let plan = Plan::fit(&asked, drawn, &classes, stream.class_names(), &[]).unwrap();
        let mut tally = plan.tally();
        tally.add(&plan, &rows).unwrap();
        let bytes = plan.to_bytes().unwrap();
        let length = (bytes.len() as u32).to_le_bytes();
        write("tally", name, [&length[..], &bytes, &tally.to_bytes().unwrap()].concat());
    }
}

/// Every kind of model, fitted to a few rows of two classes and of three.
fn models() {
    let two = ndarray::array![[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7], [0.5, 0.5]];
    let two = Predictions::new(two, &[0, 1, 1, 1, 0]).unwrap();
    let three: Array2<f64> = ndarray::array![
        [0.5, 0.25, 0.25],
        [0.0, 1.0, 0.0],
        [0.125, 0.125, 0.75],
        [0.25, 0.5, 0.25],
        [0.375, 0.375, 0.25]
    ];
    let three = Predictions::new(three, &[0, 1, 2, 1, 0]).unwrap();
    for info in recalibrators() {
        let text = match info.name {
            name if name.starts_with("boost") => format!("{name}:trees=1"),
            name => name.to_owned(),
        };
        for (classes, predictions) in [("two", &two), ("three", &three)] {
            let fitted = recalibrator(&text).unwrap().fit(&Sample::from(predictions), 0).unwrap();
            let saved = save_model(fitted.as_ref(), &ModelNotes::default()).unwrap();
            // `auto` is one of the others; the stack of three classes is that of two, and longer.
            if info.name != "auto" && saved.len() <= LONGEST {
                write("model", &format!("{}-{classes}", info.name), saved);
            }
        }
    }
}
