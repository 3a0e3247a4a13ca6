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
            // A single column is that of class 1.
            assert_eq!(batch.f.classes(), layout.score_columns().max(2));
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
    assert_eq!(streamed(&[&positions, &more], &Columns::new()), Ok(2));
    let said = "FILE, line 1, column probs: 3 options, where there are 2 at most";
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
fn labels_mean_the_same_whether_or_not_a_file_is_streamed() {
    let place = Place::new();
    let three = Columns::new().classes(["a", "b", "c"]);
    let two = Columns::new().classes(["no", "yes"]);
    let ragged = [(1, "[0.75, 0.25]"), (2, "[0.5, 0.25, 0.25]"), (0, "[1]")];
    let pairs = [(1, "[0.75, 0.25]"), (1, "[0.5, 0.5]"), (0, "[1]")];
    type Spelt = fn(usize) -> String;
    type Rows = [(usize, &'static str); 3];
    let cases: [(&Columns, &Rows, Spelt); 5] = [
        (&three, &ragged, |class| class.to_string()),
        (&three, &ragged, |class| (class + 1).to_string()),
        (&three, &ragged, |class| format!("{:?}", ["A", "B", "C"][class])),
        (&two, &pairs, |class| (class == 1).to_string()),
        (&two, &pairs, |class| format!("{:?}", ["0", "1"][class])),
    ];
    for (number, (columns, rows, spelt)) in cases.into_iter().enumerate() {
        let line = |&(label, list): &(usize, &str)| {
            format!("{{\"label\": {}, \"probs\": {list}}}\n", spelt(label))
        };
        let text: String = rows.iter().map(line).collect();
        let path = place.write("good.jsonl", &text);
        let loaded = load(&path, columns, &|_| {}).unwrap();
        assert_eq!(loaded.predictions.labels(), rows.map(|(label, _)| label as u32), "{number}");
        assert_eq!(streamed(&[&path], columns), Ok(3), "{number}");
        // One row whose label is beyond its list, among files.
        let bad = place.write("bad.jsonl", text.clone() + &line(&(1, "[1]")));
        assert!(fault(&bad, columns).starts_with("FILE, line 4, column label: label "), "{number}");
        let said = streamed(&[&path, &bad, &path], columns).unwrap_err();
        assert!(said.starts_with("FILE, line 4, column label: label "), "{number}: {said}");
        assert!(said.ends_with("is none of the row's 1 option"), "{number}: {said}");
    }
}

#[test]
fn a_list_further_down_may_be_the_longest() {
    let place = Place::new();
    let mut text = "{\"label\": 1, \"probs\": [0.75, 0.25]}\n".repeat(70_000);
    text += "{\"label\": 2, \"probs\": [0.5, 0.25, 0.25]}\n";
    let path = place.write("long.jsonl", text);
    assert_eq!(streamed(&[&path], &Columns::new()), Ok(70_001));
    assert_eq!(streamed(&[&path], &Columns::new().classes(["a", "b", "c"])), Ok(70_001));
}

#[test]
fn lists_of_one_are_the_probability_of_class_1() {
    let place = Place::new();
    let text = "{\"label\": 1, \"probs\": [0.75]}\n{\"label\": 0, \"probs\": [0.5]}\n";
    let path = place.write("one.jsonl", text);
    let named = Columns::new().classes(["no", "yes"]);
    for columns in [Columns::new(), Columns::new().probs(["probs"]), named] {
        let loaded = load(&path, &columns, &|_| {}).unwrap().predictions;
        assert_eq!(loaded.probs(), array![[0.25, 0.75], [0.5, 0.5]]);
        assert_eq!(loaded.labels(), [1, 0]);
        assert_eq!(streamed(&[&path], &columns), Ok(2));
    }
    let path = place.write("two.jsonl", text.replace("\"label\": 1", "\"label\": 2"));
    let said = "FILE, line 1, column label: label 2 is none of the row's 2 options";
    assert_eq!(fault(&path, &Columns::new()), said);
}

#[test]
fn a_broken_column_of_lists_is_never_passed_over_for_another() {
    let place = Place::new();
    let line = |label: usize, name: &str, list: &str| {
        format!("{{\"label\": {label}, \"{name}\": {list}, \"conf\": 0.7}}\n")
    };
    let text = |name: &str, list: &str, bad: &str| -> String {
        (0..40).map(|row| line(row % 2, name, if row == 7 { bad } else { list })).collect()
    };
    let said = |text: String| {
        let path = place.write("a.jsonl", text);
        let read = fault(&path, &Columns::new());
        assert_eq!(streamed(&[&path], &Columns::new()), Err(read.clone()));
        let mut table = self::read(&path, &Wanted::default()).unwrap();
        assert!(Unlabelled::of(&mut table, None, false, &|_| {}).is_err());
        read
    };
    let good = "[0.25, 0.75]";
    for (bad, what) in [
        ("[\"0.3\", 0.7]", "\"0.3\" in the list is no number"),
        ("0.3", "0.3 is a number, where other rows have a list"),
        ("\"n/a\"", "\"n/a\" is text, where other rows have a list"),
        ("{}", "an object, where other rows have a list"),
        ("[[0.3, 0.7]]", "a list of what is no number, where other rows have a list"),
    ] {
        assert_eq!(said(text("p", good, bad)), format!("FILE, line 8, column p: {what}"));
    }
    let first = |name: &str, list: &str| {
        let said = said(text(name, list, list));
        said.strip_prefix(&format!("FILE, line 1, column {name}: ")).unwrap().to_owned()
    };
    assert!(first("p", "[25, 75]").starts_with("25 in the list is no probability"));
    assert!(first("p", "[\"0.3\", \"0.7\"]").ends_with("in the list is no number"));
    assert!(first("logits", "[0.5, 0]").starts_with("the list sums to 0.5"));
    assert!(first("z", "[-1.5, 0]").starts_with("-1.5 in the list is no probability"));
    assert!(first("p", "\"[0.3, 0.7]\"").starts_with("the cell is a list that is written as text"));
    let object = said(text("probs", "{\"a\": 0.3}", "{\"a\": 0.3}"));
    assert_eq!(object, "FILE, column probs: a probability cannot be an object in line 1");
    let path =
        place.write("a.csv", "label,probs,conf\n1,\"[0.3, 0.7]\",0.7\n0,\"[0.5, 0.5]\",0.5\n");
    assert!(
        fault(&path, &Columns::new()).starts_with("FILE, line 2, column probs: the cell is a list")
    );
    // Words are no predictions, whatever they are of.
    for list in ["[\"a\", \"b\"]", "[]", "\"text\""] {
        let path = place.write("a.jsonl", text("options", list, list));
        let loaded = load(&path, &Columns::new(), &|_| {}).unwrap();
        assert_eq!(loaded.scores, ["conf"], "{list}");
    }
    // Who names the columns is not in doubt.
    let path = place.write("a.jsonl", text("embedding", "[3, 4]", "[3, 4]"));
    assert!(load(&path, &Columns::new().probs(["conf"]), &|_| {}).is_ok());
}

#[test]
fn a_logit_may_be_that_of_what_is_impossible() {
    let place = Place::new();
    let columns = Columns::new().logits(["z"]);
    let good =
        "{\"label\": 1, \"z\": [-Infinity, 0.5, 0.5]}\n{\"label\": 0, \"z\": [1, \"-inf\", 1]}\n";
    let path = place.write("a.jsonl", good);
    let loaded = load(&path, &columns, &|_| {}).unwrap().predictions;
    assert_eq!(loaded.probs(), array![[0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]);
    let bad = "{\"label\": 0, \"z\": [-Infinity, -Infinity, -Infinity]}\n";
    let path = place.write("b.jsonl", good.to_owned() + bad);
    let said = "FILE, line 3: no option of the row is possible: all of its logits are -inf";
    assert_eq!(fault(&path, &columns), said);
    let path = place.write("c.jsonl", good.to_owned() + &bad.replace("-Infinity,", "NaN,"));
    assert_eq!(fault(&path, &columns), "FILE, line 3, column 0 of z: the logit is missing");
}

#[test]
fn a_model_says_how_many_options_there_may_be() {
    let place = Place::new();
    let path = place.write("a.jsonl", RAGGED);
    let mut table = read(&path, &Wanted::default()).unwrap();
    let found = Unlabelled::of_classes(&mut table, None, false, 5, &|_| {}).unwrap();
    assert_eq!((found.count(), found.f.classes()), (5, 5));
    let mut table = read(&path, &Wanted::default()).unwrap();
    assert!(Unlabelled::of_classes(&mut table, None, false, 2, &|_| {}).is_err());
    // What is one number of class 1 in a whole file is an only option where others had two.
    let path = place.write("b.jsonl", "{\"probs\": [1]}\n");
    let mut table = read(&path, &Wanted::default()).unwrap();
    let found = Unlabelled::of_classes(&mut table, None, false, 2, &|_| {}).unwrap();
    assert_eq!(found.f.probs(), array![[0.0, 1.0]]);
    let mut table = read(&path, &Wanted::default()).unwrap();
    let found = Unlabelled::of_columns(&mut table, None, false, 2, &|_| {}).unwrap();
    assert_eq!(found.f.probs(), array![[1.0, 0.0]]);
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
        "FILE, line 3, column probs: 0.5 is a number, where other rows have a list"
    );
    assert_eq!(
        bad("[\"x\"]"),
        "FILE, line 3, column probs: a list of what is no number, where other rows have a list"
    );
    let label = Columns::new().probs(["probs"]);
    let path = place.write("label.jsonl", RAGGED.replace("\"label\": 2", "\"label\": {}"));
    let said = "FILE, line 2, column label: an object, where other rows have a number";
    assert_eq!(fault(&path, &label), said);
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
    use std::collections::HashMap;
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
    fn a_table_of_a_dataset_says_what_its_labels_stand_for() {
        let place = Place::new();
        let note = "{\"info\": {\"features\": {\"label\": {\"names\": [\"ham\", \"eggs\"], \"_type\": \
                    \"ClassLabel\"}, \"probs\": {\"feature\": {}, \"_type\": \"Sequence\"}}}}";
        let written = |name: &str, columns: Vec<(&str, ArrayRef)>| {
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let notes = HashMap::from([("huggingface".to_owned(), note.to_owned())]);
            let schema = Arc::new(batch.schema().as_ref().clone().with_metadata(notes));
            let batch = batch.with_schema(Arc::clone(&schema)).unwrap();
            let path = place.path(name);
            let file = File::create(&path).unwrap();
            let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            path
        };
        let label: ArrayRef = Arc::new(Int64Array::from(vec![1, 0]));
        let lists = cells(&[&[0.25, 0.75], &[0.5, 0.5]]);
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists));
        let numbers = |numbers: [f64; 2]| -> ArrayRef {
            Arc::new(arrow_array::Float64Array::from(numbers.to_vec()))
        };
        let names = |first: &str, second: &str| {
            let columns = [("label", label.clone()), (first, numbers([0.25, 0.5]))];
            let more = (second, numbers([0.75, 0.5]));
            written(&format!("{first}.parquet"), columns.into_iter().chain([more]).collect())
        };
        let one = vec![("label", label.clone()), ("p", numbers([0.75, 0.5]))];
        let paths = [
            written("lists.parquet", vec![("label", label.clone()), ("probs", lists)]),
            written("one.parquet", one),
            names("p_0", "p_1"),
            names("p_ham", "p_eggs"),
        ];
        for path in paths {
            let loaded = load(&path, &Columns::new(), &|_| {}).unwrap().predictions;
            assert_eq!(loaded.class_names(), ["ham", "eggs"], "{}", path.display());
            assert_eq!(loaded.probs(), array![[0.25, 0.75], [0.5, 0.5]], "{}", path.display());
            assert_eq!(loaded.labels(), [1, 0], "{}", path.display());
            assert_eq!(streamed(&[&path], &Columns::new()), Ok(2));
        }
        // Columns in another order than the labels' numbers: were these positions, they would be swapped.
        let swapped = names("p_eggs", "p_ham");
        let loaded = load(&swapped, &Columns::new(), &|_| {}).unwrap().predictions;
        assert_eq!(
            (loaded.class_names(), loaded.labels()),
            (&["eggs".to_owned(), "ham".to_owned()][..], &[0, 1][..])
        );
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
