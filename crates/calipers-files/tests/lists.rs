//! A list of scores a row, in every format that has lists.

use std::cell::RefCell;
use std::path::Path;

use calipers_files::{Columns, Inputs, Layout, Scan, Unlabelled, Wanted, load, read};
use ndarray::{Array2, array};

use crate::common::{Place, report, rows};

/// What every file of the same three rows is, with 2, 3 and 1 options.
const RAGGED: &str = "{\"label\": 1, \"probs\": [0.75, 0.25]}\n\
                      {\"label\": 2, \"probs\": [0.5, 0.25, 0.25]}\n\
                      {\"label\": 0, \"probs\": [1]}\n";

fn padded() -> Array2<f64> {
    array![[0.75, 0.25, 0.0], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]
}

fn fault(path: &Path, columns: &Columns) -> String {
    load(path, columns, &|_| {}).unwrap_err().message().replace(&*path.to_string_lossy(), "FILE")
}

/// The same where the file is read some rows at a time.
fn streamed(paths: &[&Path], columns: &Columns) -> Result<usize, String> {
    let paths: Vec<_> = paths.iter().map(|&path| path.to_owned()).collect();
    let inputs = Inputs::find(&paths).unwrap();
    let named = |error: calipers_files::Error| {
        paths.iter().fold(error.message().to_owned(), |said, path| {
            said.replace(&*path.to_string_lossy(), "FILE")
        })
    };
    let layout = Layout::of(&inputs, columns).map_err(named)?;
    let scan = Scan::new(&inputs, &layout);
    let rows = scan.run(
        || 0,
        |rows, batch| {
            assert_eq!(batch.f.classes(), layout.score_columns());
            *rows += batch.rows();
            Ok(())
        },
        &|_, _| {},
    );
    rows.map(|rows| rows.into_iter().sum()).map_err(named)
}

#[test]
fn lists_are_what_columns_are() {
    let place = Place::new();
    let (mut columns, mut lists) = (String::new(), String::new());
    for (label, f) in rows() {
        let keys: Vec<String> = (0..f.len()).map(|at| format!("\"p_{at}\": {:?}", f[at])).collect();
        columns += &format!("{{\"label\": {label}, {}}}\n", keys.join(", "));
        lists += &format!("{{\"label\": {label}, \"confidence\": 0.5, \"probs\": {f:?}}}\n");
    }
    let columns = place.write("columns.jsonl", columns);
    let lists = place.write("lists.jsonl", lists);
    let expected = report(&columns, &Columns::new(), &[]);
    assert_eq!(report(&lists, &Columns::new(), &[]), expected);
    assert_eq!(report(&lists, &Columns::new().probs(["probs"]), &[]), expected);
}

#[test]
fn what_is_beyond_the_end_of_a_list_is_impossible() {
    let place = Place::new();
    let path = place.write("ragged.jsonl", RAGGED);
    let said = RefCell::new(String::new());
    let loaded =
        load(&path, &Columns::new(), &|line| *said.borrow_mut() = line.to_owned()).unwrap();
    assert_eq!(loaded.predictions.probs(), padded());
    assert_eq!(loaded.predictions.labels(), [1, 2, 0]);
    assert_eq!(loaded.predictions.class_names(), ["0", "1", "2"]);
    assert_eq!(
        *said.borrow(),
        "0 of probs -> P(0), 1 of probs -> P(1), 2 of probs -> P(2); labels: label; options: 1 to 3"
    );
    let mut table = read(&path, &Wanted::default()).unwrap();
    let found = Unlabelled::of(&mut table, None, false, &|_| {}).unwrap();
    assert!(found.is_matrix && found.f.probs() == padded());
    assert_eq!(streamed(&[&path], &Columns::new()), Ok(3));
}

#[test]
fn classes_say_how_many_options_there_are() {
    let place = Place::new();
    let short = place.write("a.jsonl", "{\"label\": \"a\", \"probs\": [0.75, 0.25]}\n");
    let long = place.write("b.jsonl", "{\"label\": \"c\", \"probs\": [0.5, 0.25, 0.25]}\n");
    let columns = Columns::new().classes(["a", "b", "c", "d"]);
    let loaded = load(&long, &columns, &|_| {}).unwrap();
    assert_eq!((loaded.predictions.classes(), loaded.predictions.labels()), (4, &[2][..]));
    assert_eq!(streamed(&[&short, &long], &columns), Ok(2));
    let positions = place.write("c.jsonl", "{\"label\": 0, \"probs\": [0.75, 0.25]}\n");
    let more = place.write("d.jsonl", "{\"label\": 2, \"probs\": [0.5, 0.25, 0.25]}\n");
    assert_eq!(streamed(&[&more, &positions], &Columns::new()), Ok(2));
    let said = "FILE, line 1, column probs: 3 options, where there are 2 at most";
    assert_eq!(streamed(&[&positions, &more], &Columns::new()), Err(said.to_owned()));
    let columns = Columns::new().classes(["a", "b"]);
    assert_eq!(fault(&long, &columns), said);
}

#[test]
fn a_label_is_one_of_the_options_of_its_row() {
    let place = Place::new();
    let said = |label: &str| {
        format!("FILE, line 3, column label: label {label} is none of the row's 1 option")
    };
    for label in ["1", "2", "3", "-1", "0.5"] {
        let text = RAGGED.replace("\"label\": 0", &format!("\"label\": {label}"));
        let path = place.write("label.jsonl", text);
        assert_eq!(fault(&path, &Columns::new()), said(label), "{label}");
        assert_eq!(streamed(&[&path], &Columns::new()), Err(said(label)), "{label}");
    }
    let words = RAGGED.replace("\"label\": 0", "\"label\": \"c\"");
    let words = words.replace("\"label\": 1", "\"label\": \"b\"");
    let path = place.write("words.jsonl", words.replace("\"label\": 2", "\"label\": \"a\""));
    let columns = Columns::new().classes(["a", "b", "c"]);
    assert_eq!(fault(&path, &columns), said("2"));
    assert_eq!(streamed(&[&path], &columns), Err(said("c")));
}

#[test]
fn faults_of_lists_have_their_places() {
    let place = Place::new();
    let bad = |list: &str| {
        let path = place.write("bad.jsonl", RAGGED.replace("[1]", list));
        fault(&path, &Columns::new().probs(["probs"]))
    };
    assert_eq!(bad("[0.5, null]"), "FILE, line 3, column 1 of probs: the probability is missing");
    assert_eq!(bad("null"), "FILE, line 3, column probs: the list is missing or empty");
    assert_eq!(bad("[]"), "FILE, line 3, column probs: the list is missing or empty");
    assert_eq!(bad("[2, -1]"), "FILE, line 3, column 0 of probs: probability 2 is above 1");
    assert!(bad("[0.5, 0.25]").starts_with("FILE, line 3: the probabilities sum to 0.75"));
    assert_eq!(
        bad("0.5"),
        "FILE, column probs: a probability cannot be a list of numbers, and a number in line 3"
    );
    assert!(bad("[\"x\"]").ends_with("a list of what is no number in line 3"));
    let two = RAGGED.replace("\"probs\": ", "\"other\": [0.5, 0.5], \"probs\": ");
    let path = place.write("two.jsonl", two);
    assert_eq!(
        fault(&path, &Columns::new()),
        "FILE: other or probs may be the lists of probabilities"
    );
    let columns = Columns::new().probs(["probs", "other"]);
    assert!(fault(&path, &columns).ends_with("a probability cannot be a list of numbers"));
    let label = Columns::new().label("probs").probs(["other"]);
    assert!(fault(&path, &label).ends_with("a label cannot be a list of numbers"));
}

#[test]
fn one_long_list_does_not_fill_the_memory() {
    let place = Place::new();
    let mut text = "{\"label\": 0, \"probs\": [1, 0]}\n".repeat(3_000);
    text += &format!("{{\"label\": 0, \"probs\": [1{}]}}\n", ", 0".repeat(20_000));
    let path = place.write("long.jsonl", text);
    assert_eq!(
        fault(&path, &Columns::new()),
        "FILE, line 3001, column probs: 20001 options, which for 3,001 rows is a table of 60,023,001 \
         cells"
    );
}

#[cfg(feature = "parquet")]
mod tables {
    use std::fs::File;
    use std::sync::Arc;

    use arrow_array::builder::{FixedSizeListBuilder, Float32Builder};
    use arrow_array::types::{Float64Type, Int32Type};
    use arrow_array::{ArrayRef, Int64Array, LargeListArray, ListArray, RecordBatch};
    use arrow_ipc::writer::FileWriter;
    use parquet::arrow::ArrowWriter;

    use super::*;

    fn written(place: &Place, label: Vec<i64>, lists: ArrayRef) -> [std::path::PathBuf; 2] {
        let label: ArrayRef = Arc::new(Int64Array::from(label));
        let columns = [("label", label, true), ("probs", lists, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let paths = ["a.parquet", "a.arrow"].map(|name| place.path(name));
        let file = File::create(&paths[0]).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let file = File::create(&paths[1]).unwrap();
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        paths
    }

    fn cells(lists: &[&[f64]]) -> Vec<Option<Vec<Option<f64>>>> {
        lists.iter().map(|list| Some(list.iter().copied().map(Some).collect())).collect()
    }

    #[test]
    fn lists_of_every_type_are_read() {
        let place = Place::new();
        let ragged = cells(&[&[0.75, 0.25], &[0.5, 0.25, 0.25], &[1.0]]);
        let small = ListArray::from_iter_primitive::<Float64Type, _, _>(ragged.clone());
        let large = LargeListArray::from_iter_primitive::<Float64Type, _, _>(ragged.clone());
        for lists in [Arc::new(small) as ArrayRef, Arc::new(large)] {
            for path in written(&place, vec![1, 2, 0], lists) {
                let loaded = load(&path, &Columns::new(), &|_| {}).unwrap();
                assert_eq!(loaded.predictions.probs(), padded(), "{}", path.display());
                assert_eq!(streamed(&[&path], &Columns::new()), Ok(3));
            }
        }
        let mut fixed = FixedSizeListBuilder::new(Float32Builder::new(), 2);
        for row in [[0.75, 0.25], [0.5, 0.5]] {
            fixed.values().append_slice(&row);
            fixed.append(true);
        }
        for path in written(&place, vec![1, 0], Arc::new(fixed.finish())) {
            let loaded = load(&path, &Columns::new(), &|_| {}).unwrap();
            assert_eq!(loaded.predictions.probs(), array![[0.75, 0.25], [0.5, 0.5]]);
            assert_eq!(loaded.predictions.labels(), [1, 0]);
        }
        let whole = [Some(vec![Some(1), Some(0)]), Some(vec![Some(0), Some(1)])];
        let whole = ListArray::from_iter_primitive::<Int32Type, _, _>(whole);
        for path in written(&place, vec![0, 1], Arc::new(whole)) {
            let loaded = load(&path, &Columns::new(), &|_| {}).unwrap();
            assert_eq!(loaded.predictions.probs(), array![[1.0, 0.0], [0.0, 1.0]]);
        }
    }

    #[test]
    fn nulls_of_lists_are_named_with_their_row() {
        let place = Place::new();
        let mut lists = cells(&[&[0.75, 0.25], &[0.5, 0.5], &[1.0, 0.0]]);
        let array = |lists: &Vec<Option<Vec<Option<f64>>>>| -> ArrayRef {
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists.clone()))
        };
        lists[1] = Some(vec![Some(0.5), None]);
        for path in written(&place, vec![0, 1, 0], array(&lists)) {
            let said = "FILE, row 1, column 1 of probs: the probability is missing";
            assert_eq!(fault(&path, &Columns::new().probs(["probs"])), said);
        }
        lists[1] = None;
        for path in written(&place, vec![0, 1, 0], array(&lists)) {
            let said = "FILE, row 1, column probs: the list is missing or empty";
            assert_eq!(fault(&path, &Columns::new().probs(["probs"])), said);
        }
    }
}
