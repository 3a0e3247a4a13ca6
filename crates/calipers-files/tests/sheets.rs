//! What is written can be read again, in every format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use calipers_files::{
    Cells, Column, ErrorKind, Format, Sheet, Table, Text, Unlabelled, Values, Wanted, load, read,
    read_bytes,
};
use ndarray::{Array2, array};
use zip::ZipArchive;

use crate::common::Place;

fn probs() -> Array2<f64> {
    array![[0.75, 0.25], [0.1, 0.9], [1.0 / 3.0, 2.0 / 3.0]]
}

/// Every kind of cells, with gaps where there can be some.
fn sheet<'a>(probs: &'a Array2<f64>, numbers: &'a [f64], text: &'a Text) -> Sheet<'a> {
    let columns = vec![
        ("label".to_owned(), Cells::Whole(vec![0, 1, -9_007_199_254_740_992])),
        ("p_no".to_owned(), Cells::Class(0)),
        ("p_yes".to_owned(), Cells::Class(1)),
        ("number".to_owned(), Cells::Numbers(numbers)),
        ("text".to_owned(), Cells::Text(text)),
    ];
    Sheet { probs: probs.view(), columns }
}

/// The endings of all formats that this build writes.
fn endings() -> impl Iterator<Item = &'static str> {
    let built = Format::all().iter().filter(|format| format.is_built_in());
    built.flat_map(|format| format.extensions()).copied()
}

fn all(path: &Path) -> Table {
    let names = ["label", "probs", "number", "text", "short"].map(str::to_owned).to_vec();
    read(path, &Wanted::new(names, true)).unwrap()
}

fn find<'a>(table: &'a Table, name: &str) -> &'a Column {
    table.columns.iter().find(|column| column.name == name).unwrap()
}

fn bits(values: &Values) -> Vec<u64> {
    let Values::Numbers(numbers) = values else { panic!("{values:?}") };
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// In a browser there are no files.
#[test]
fn what_is_in_memory_is_read_as_from_a_file() {
    let (probs, place) = (probs(), Place::new());
    let text: Text = ["a", "", "c"].into_iter().collect();
    let sheet = sheet(&probs, &[0.5, f64::NAN, -1e300], &text);
    for ending in endings().chain(["csv.gz", "jsonl.gz"]) {
        let path = place.path(&format!("table.{ending}"));
        sheet.write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let found = read_bytes(&path, &bytes, &Wanted::default()).unwrap();
        let expected = read(&path, &Wanted::default()).unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{ending}");
        assert_eq!(found.rows(), 3, "{ending}");
    }
}

#[test]
fn numbers_text_and_gaps_come_back_as_they_were() {
    let place = Place::new();
    let (probs, numbers) = (probs(), [100.1 + 0.2, f64::NAN, -0.0]);
    let text: Text = ["käse", "", "🐈 \"cat\", dog\n"].into_iter().collect();
    for ending in endings() {
        let path = place.path(&format!("sheet.{ending}"));
        sheet(&probs, &numbers, &text).write(&path).unwrap();
        let table = all(&path);
        let labels = [0.0, 1.0, -9_007_199_254_740_992.0].map(f64::to_bits);
        if ["csv", "tsv", "txt"].contains(&ending) {
            // An integer of so many digits is taken for a hash, which stays text.
            assert!(matches!(find(&table, "label").values, Values::Text(_)), "{ending}");
        } else {
            assert_eq!(bits(&find(&table, "label").values), labels, "{ending}");
        }
        assert_eq!(bits(&find(&table, "number").values), numbers.map(f64::to_bits), "{ending}");
        let Values::Text(found) = &find(&table, "text").values else { panic!("{ending}") };
        let trimmed = |cell: &str| cell.trim().to_owned();
        assert!(found.iter().map(trimmed).eq(text.iter().map(trimmed)), "{ending}");
        let mut table = table;
        let again = Unlabelled::of(&mut table, None, false, &|_| {}).unwrap();
        assert_eq!(again.f.probs(), probs, "{ending}");
    }
}

/// The bytes of an array in an archive.
fn entry(path: &Path, name: &str) -> Vec<u8> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn text_in_an_archive_is_as_long_as_its_longest_cell() {
    let place = Place::new();
    let (probs, numbers) = (probs(), [0.0; 3]);
    for (cells, longest) in [(["a", "bcd", "🐈é"], 3), (["", "", ""], 1), (["x", "", "y"], 1)] {
        let text: Text = cells.into_iter().collect();
        let path = place.path("sheet.npz");
        sheet(&probs, &numbers, &text).write(&path).unwrap();
        let bytes = entry(&path, "text.npy");
        let header = String::from_utf8_lossy(&bytes);
        assert!(header.contains(&format!("'<U{longest}'")), "{header}");
        // Three cells of so many letters of four bytes.
        assert_eq!(bytes.len() % 64, 3 * 4 * longest % 64);
        let table = all(&path);
        let Values::Text(found) = &find(&table, "text").values else { panic!("{cells:?}") };
        assert!(found.iter().eq(cells));
    }
}

#[test]
fn a_text_that_would_fill_the_disk_is_refused() {
    let place = Place::new();
    let (probs, numbers) = (probs(), [0.0; 3]);
    let text: Text = ["a", &"x".repeat(513), "b"].into_iter().collect();
    let path = place.path("sheet.npz");
    let error = sheet(&probs, &numbers, &text).write(&path).unwrap_err();
    let words = "text has a text of 513 letters, and an NPZ archive is given 512";
    assert!(error.message().ends_with(words), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_single_column_in_an_archive_is_a_vector() {
    let place = Place::new();
    let probs = probs();
    let columns =
        vec![("labels".to_owned(), Cells::Whole(vec![0, 1, 1])), ("p".to_owned(), Cells::Class(1))];
    let path = place.path("one.npz");
    Sheet { probs: probs.view(), columns }.write(&path).unwrap();
    assert_eq!(bits(&find(&all(&path), "probs").values), [0.25, 0.9, 2.0 / 3.0].map(f64::to_bits));
    let loaded = load(&path, &Default::default(), &|_| {}).unwrap();
    assert_eq!(loaded.predictions.labels(), [0, 1, 1]);
}

#[test]
fn a_table_has_as_many_cells_in_every_column() {
    let place = Place::new();
    let probs = probs();
    let short = |cells: Cells<'static>| {
        let columns = vec![("p".to_owned(), Cells::Class(0)), ("short".to_owned(), cells)];
        Sheet { probs: probs.view(), columns }
    };
    for ending in endings() {
        let path = place.path(&format!("short.{ending}"));
        let error = short(Cells::Class(2)).write(&path).unwrap_err();
        assert_eq!(error.message(), "column short: there is no class 2 of 2");
        let written = short(Cells::Whole(vec![1, 2])).write(&path);
        match Format::of(&path).unwrap().holds_arrays() {
            true => assert_eq!(bits(&find(&all(&path), "short").values).len(), 2),
            false => assert_eq!(
                written.unwrap_err().message(),
                "column short has 2 rows, but the probabilities have 3"
            ),
        }
    }
}

#[test]
fn places_that_are_none_are_the_users_to_mend() {
    let place = Place::new();
    let (probs, numbers) = (probs(), [0.0; 3]);
    let text: Text = ["a", "b", "c"].into_iter().collect();
    for name in ["nowhere/sheet.csv", "sheet.xlsx"] {
        let error = sheet(&probs, &numbers, &text).write(place.path(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    }
}
