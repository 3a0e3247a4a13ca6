//! Rows of large and of damaged tables are named by their place in the file.

#![cfg(feature = "parquet")]

use std::fs;
use std::path::PathBuf;

use calipers_files::{Inputs, Layout, Scan};

use super::same::{arrow, columns, rows};
use crate::common::Place;
use crate::scan::fault;

#[test]
fn a_row_of_a_later_group_is_named_by_its_number_in_the_file() {
    let place = Place::new();
    for (name, bad) in [("a.parquet", 707), ("a.arrow", 707), ("a.arrows", 3)] {
        let mut rows = rows();
        rows[bad].p = f64::NAN;
        let path = place.path(name);
        arrow::write(&path, &rows);
        let error = fault(&[path], &columns());
        let words = format!("{name}, row {bad}, column p: the probability is missing");
        assert!(error.message().ends_with(&words), "{error}");
    }
}

/// Many files of several groups, one of them with a bad row in its middle.
fn files(place: &Place, bad: usize) -> Vec<PathBuf> {
    let mut rows = rows();
    rows[777].p = f64::NAN;
    (0..20)
        .map(|file| {
            let path = place.path(&format!("{file:02}.parquet"));
            arrow::write(&path, if file == bad { &rows } else { &rows[..500] });
            path
        })
        .collect()
}

#[test]
fn the_first_fault_is_the_same_on_any_number_of_threads() {
    let place = Place::new();
    let given = files(&place, 9);
    // Damaged as well, and later.
    let mut bytes = fs::read(&given[10]).unwrap();
    bytes.truncate(bytes.len() - 20);
    fs::write(&given[10], bytes).unwrap();
    let error = fault(&given, &columns());
    assert!(error.message().ends_with("09.parquet, row 777, column p: the probability is missing"));
}

#[test]
fn damaged_files_among_many_are_told() {
    let place = Place::new();
    let given = files(&place, 20);
    let whole = fs::read(&given[9]).unwrap();
    // Every kind of damage gives an error that names the file, or is not noticed.
    let mut told = 0;
    for step in 0..40 {
        let mut bytes = whole.clone();
        let start = step * whole.len() / 40;
        let end = (start + 13).min(whole.len());
        bytes[start..end].fill(0xa7);
        fs::write(&given[9], bytes).unwrap();
        let inputs = Inputs::find(&given[8..11]).unwrap();
        let layout = Layout::of(&inputs, &columns()).unwrap();
        let bad = Scan::new(&inputs, &layout).bad_files();
        for (file, error) in &bad {
            assert_eq!(*file, 1);
            assert!(error.message().contains("09.parquet"), "{error}");
        }
        told += bad.len();
    }
    assert!(told > 10, "{told}");
    for length in [0, 3, 100, whole.len() - 1] {
        fs::write(&given[9], &whole[..length]).unwrap();
        assert!(fault(&given, &columns()).message().contains("09.parquet"));
    }
}

#[test]
fn rows_of_parquet_files_are_known_beforehand() {
    let place = Place::new();
    let given = files(&place, 20);
    let inputs = Inputs::find(&given).unwrap();
    assert_eq!(inputs.rows().unwrap(), Some(10_000));
    let text = place.write("a.csv", "y,p\n1,0.5\n");
    let mixed = [given[0].clone(), text];
    assert_eq!(Inputs::find(&mixed).unwrap().rows().unwrap(), None);
}

#[test]
fn a_table_without_rows_is_fine() {
    let place = Place::new();
    let (empty, full) = (place.path("a.parquet"), place.path("b.parquet"));
    arrow::write(&empty, &[]);
    arrow::write(&full, &rows());
    assert_eq!(crate::scan::rows(&[empty.clone(), full], &columns()), 1000);
    let error = fault(&[empty.clone(), empty], &columns());
    assert_eq!(error.message(), "there are no rows in any of 2 files");
}

#[test]
fn a_column_of_another_kind_is_named() {
    let place = Place::new();
    let table = place.path("a.parquet");
    arrow::write(&table, &rows());
    let text = place.write("b.csv", "y,p,w,g,id\nyes,half,1,2,3\n");
    let error = fault(&[table, text], &columns());
    let words = "b.csv, line 2, column p: probability \"half\" is not a number";
    assert!(error.message().ends_with(words), "{error}");
}
