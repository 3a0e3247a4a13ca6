//! Folders as the Python package `datasets` saves them; `tests/dataset` is one that it saved
//! (`studies/oracles/hf_dataset.py`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use calipers_files::{Columns, Inputs, Layout};
#[cfg(feature = "parquet")]
use calipers_files::{Values, Wanted, each_table, load};

use super::{fault, scanned};
use crate::common::Place;

fn saved() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dataset")
}

/// A copy, with one of its files changed.
fn copy(place: &Place, changed: &str, from: &str, to: &str) -> PathBuf {
    for file in fs::read_dir(saved()).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        let mut bytes = fs::read(&file).unwrap();
        if name == changed {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains(from));
            bytes = text.replacen(from, to, 1).into_bytes();
        }
        place.write(name, bytes);
    }
    place.path("")
}

#[cfg(feature = "parquet")]
#[test]
fn a_dataset_is_its_files_and_their_classes_have_names() {
    let inputs = Inputs::find(&[saved()]).unwrap();
    assert_eq!(inputs.len(), 2);
    let layout = Layout::of(&inputs, &Columns::new()).unwrap();
    assert_eq!((layout.scores(), layout.label()), (&["probs".to_owned()][..], "label"));
    let rows = Mutex::new(Vec::new());
    let see = |batch: &calipers_files::Batch| {
        let found = batch.f.probs().column(0).to_vec();
        rows.lock().unwrap().extend(found.into_iter().zip(batch.labels.clone()));
    };
    scanned(&[saved()], &Columns::new(), 1, &see).unwrap();
    let expected = [(0.75, 0), (0.5, 1), (0.125, 1), (1.0, 0), (0.25, 1), (0.625, 0)];
    assert_eq!(rows.into_inner().unwrap(), expected);
    let scan = calipers_files::Scan::new(&inputs, &layout);
    scan.run(|| (), |(), _| Ok::<(), calipers_files::Error>(()), &|_, _| {}).unwrap();
    let words = scan.label_book().words();
    let mut counts: Vec<_> = words.iter().map(|entry| (entry.text.as_str(), entry.count)).collect();
    counts.sort_unstable();
    assert_eq!(counts, [("ham", 3), ("spam", 3)]);
}

#[cfg(feature = "parquet")]
#[test]
fn one_file_of_a_dataset_is_read_as_all_of_them_are() {
    let shard = saved().join("data-00000-of-00002.arrow");
    let loaded = load(&shard, &Columns::new(), &|_| {}).unwrap().predictions;
    // As their numbers are, and not as they are sorted.
    assert_eq!(loaded.class_names(), ["spam", "ham"]);
    let mut labels = Vec::new();
    let inputs = Inputs::find(std::slice::from_ref(&shard)).unwrap();
    each_table(&inputs, &Wanted::default(), &mut |_, table| {
        let label = table.columns.iter().find(|column| column.name == "label").unwrap();
        let Values::Text(words) = &label.values else { panic!("{label:?}") };
        labels.extend(words.iter().map(str::to_owned));
        Ok(())
    })
    .unwrap();
    let names = loaded.class_names();
    let own = loaded.labels().iter().map(|&label| &names[label as usize]);
    assert!(own.eq(&labels) && labels.len() == 3, "{labels:?}");
}

#[test]
fn a_folder_with_another_list_of_that_name_is_any_folder() {
    let place = Place::new();
    place.write("state.json", "{\"epoch\": 3}");
    place.write("dataset_info.json", "[]");
    let path = place.write("a.csv", "label,p\n1,0.75\n0,0.5\n");
    assert_eq!(Inputs::find(&[place.path("")]).unwrap().len(), 1);
    let loaded = calipers_files::load(&path, &Columns::new(), &|_| {}).unwrap();
    assert_eq!(loaded.predictions.rows(), 2);
}

#[cfg(feature = "parquet")]
#[test]
fn the_list_says_which_files_there_are() {
    let place = Place::new();
    let folder = copy(&place, "state.json", "data-00000-of-00002", "data-00001-of-00002");
    let inputs = Inputs::find(&[folder]).unwrap();
    assert!(inputs.len() == 2 && inputs.name(0).ends_with("data-00001-of-00002.arrow"));
    let place = Place::new();
    let folder = copy(&place, "dataset_info.json", "\"spam\",", "");
    let said = fault(&[folder], &Columns::new()).message().to_owned();
    assert!(said.ends_with("label 1 is none of the 1 classes that the dataset names"), "{said}");
}

#[test]
fn what_is_no_dataset_says_why() {
    let refused = |changed: &str, from: &str, to: &str| {
        let place = Place::new();
        let folder = copy(&place, changed, from, to);
        Inputs::find(&[folder]).unwrap_err().message().to_owned()
    };
    let said = refused("state.json", "data-00000-of-00002", "../data");
    assert!(
        said.ends_with("state.json: \"../data.arrow\" is no name of a file beside it"),
        "{said}"
    );
    let said = refused("state.json", "data-00000-of-00002", "/data");
    assert!(said.ends_with("is no name of a file beside it"), "{said}");
    let said = refused("state.json", "data-00000-of-00002", "nothing");
    assert!(said.ends_with("nothing.arrow: no such file or directory"), "{said}");
    assert!(refused("state.json", "{", "").contains("cannot read "));
    assert!(refused("dataset_info.json", "{", "").contains("dataset_info.json: "));
    let indices = "{\"_indices_files\": [{}], ";
    assert!(refused("state.json", "{", indices).contains("chooses rows of its files"));
    let place = Place::new();
    place.write("dataset_dict.json", "{\"splits\": [\"train\", \"test\"]}");
    let error = Inputs::find(&[place.path("")]).unwrap_err();
    assert!(error.message().ends_with("there are several datasets in it, one a split"));
    assert!(error.list()[0].ends_with("train") && error.list()[1].ends_with("test"));
}
