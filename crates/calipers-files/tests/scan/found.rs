//! Which files are meant.

use std::fs;
use std::path::PathBuf;

use calipers_files::{Columns, Inputs};

use crate::common::Place;
use crate::scan::{fault, rows};

const TEXT: &str = "y,p\n1,0.75\n0,0.5\n";

/// A tree of files as a cluster writes them.
fn tree(place: &Place) {
    for folder in ["day=1", "day=2", "_temporary", ".hidden", "empty"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    for name in ["day=2/part-0.csv", "day=1/part-1.csv", "day=1/part-0.csv", "_temporary/a.csv"] {
        place.write(name, TEXT);
    }
    for name in ["day=1/_SUCCESS", "day=1/.part-0.csv.crc", "day=1/notes.md", ".hidden/a.csv"] {
        place.write(name, "nothing to read");
    }
}

fn names(place: &Place, given: &[&str]) -> Vec<String> {
    let given: Vec<PathBuf> = given.iter().map(|name| place.path(name)).collect();
    let inputs = Inputs::find(&given).unwrap();
    let root = place.path("");
    let name = |file| inputs.path(file).strip_prefix(&root).unwrap().display().to_string();
    (0..inputs.len()).map(name).collect()
}

fn message(place: &Place, given: &str) -> String {
    Inputs::find(&[place.path(given)]).unwrap_err().message().to_owned()
}

#[test]
fn directories_and_patterns_are_sorted_by_path() {
    let place = Place::new();
    tree(&place);
    let all = ["day=1/part-0.csv", "day=1/part-1.csv", "day=2/part-0.csv"];
    assert_eq!(names(&place, &[""]), all);
    assert_eq!(names(&place, &["day=*/part-*.csv"]), all);
    assert_eq!(names(&place, &["**/part-*.csv"]), all);
    assert_eq!(names(&place, &["day=*"]), all);
    assert_eq!(names(&place, &["**/part-[0].csv"]), [all[0], all[2]]);
    let order = names(&place, &["day=2/part-0.csv", "day=1", "day=2/part-0.csv"]);
    assert_eq!(order, [all[2], all[0], all[1], all[2]]);
    // What is asked for by its name is read, whatever that is.
    assert_eq!(names(&place, &["_temporary/a.csv"]), ["_temporary/a.csv"]);
}

#[test]
fn a_name_that_is_there_is_no_pattern() {
    let place = Place::new();
    place.write("a[1].csv", TEXT);
    place.write("a1.csv", TEXT);
    assert_eq!(names(&place, &["a[1].csv"]), ["a[1].csv"]);
    assert_eq!(names(&place, &["a[1-2].csv"]), ["a1.csv"]);
}

#[test]
fn what_is_not_found_is_named() {
    let place = Place::new();
    tree(&place);
    assert!(message(&place, "day=*/*.parquet").ends_with("day=*/*.parquet: no file matches"));
    assert!(message(&place, "empty").contains("empty: no file in the directory ends in .csv"));
    assert!(message(&place, "day=1/notes.md").contains("notes.md: files that end in .md"));
    assert!(message(&place, "day=1/*.md").contains("notes.md: files that end in .md"));
    assert!(message(&place, "none.csv").contains("none.csv: no such file or directory"));
    assert!(message(&place, "a[.csv").contains("a[.csv: no such file"));
}

#[test]
fn sizes_are_known_and_files_can_be_left_out() {
    let place = Place::new();
    tree(&place);
    let inputs = Inputs::find(&[place.path("")]).unwrap();
    assert_eq!((inputs.bytes(), inputs.rows().unwrap()), (3 * TEXT.len() as u64, None));
    assert!(!inputs.is_empty() && inputs.without(&[0, 1, 2]).is_empty());
    let rest = inputs.without(&[1]);
    assert_eq!((rest.len(), rest.name(1)), (2, inputs.name(2)));
}

#[test]
fn folders_are_columns() {
    let place = Place::new();
    tree(&place);
    let columns = Columns::new().label("y").probs(["p"]);
    assert_eq!(rows(&[place.path("")], &columns.clone().group("day").key("day")), 6);
    // The column of the file is the one that counts.
    place.write("day=2/part-1.csv", "y,p,day\n1,0.75,\n");
    let message = fault(&[place.path("")], &columns.group("day")).message().to_owned();
    assert!(message.ends_with("part-1.csv, line 2, column day: the group is missing"), "{message}");
}

#[test]
fn a_folder_may_hold_no_value() {
    let place = Place::new();
    fs::create_dir(place.path("site=__HIVE_DEFAULT_PARTITION__")).unwrap();
    let path = place.write("site=__HIVE_DEFAULT_PARTITION__/a.csv", TEXT);
    let error = fault(&[path], &Columns::new().label("y").probs(["p"]).group("site"));
    assert!(error.message().ends_with("line 2, column site: the group is missing"), "{error}");
}

#[test]
#[cfg(not(feature = "cloud"))]
fn a_url_is_refused_by_a_build_without_stores() {
    for url in ["s3://bucket/a.csv", "gs://bucket/day=*/", "abfss://box@account/*.parquet"] {
        let found = Inputs::find(&[PathBuf::from(url)]).unwrap_err();
        let read = calipers_files::predictions(url.trim_end_matches('/')).unwrap_err();
        for error in [found, read] {
            let message = ": this build of calipers has no support for object stores";
            assert!(error.message().starts_with(url.trim_end_matches('/')), "{error}");
            assert!(error.message().ends_with(message), "{error}");
            assert_eq!(error.hint(), Some("build it with the feature cloud"));
        }
    }
}
