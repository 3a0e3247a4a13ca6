//! Tables in and sheets out, batch after batch.

use std::fs;
use std::path::{Path, PathBuf};

use calipers_files::{
    Cells, Error, ErrorKind, Format, Inputs, Sheet, SheetWriter, Table, Text, Values, Wanted,
    each_table, read,
};
use ndarray::Array2;

use crate::common::Place;

/// The endings of the formats that can be written batch after batch.
fn endings() -> Vec<&'static str> {
    let built = Format::all().iter().filter(|format| format.is_built_in());
    let tables = built.filter(|format| !format.holds_arrays());
    let mut endings: Vec<&str> = tables.flat_map(|format| format.extensions()).copied().collect();
    endings.extend(["csv.gz", "tsv.gz"]);
    if cfg!(feature = "parquet") {
        endings.push("csv.zst");
    }
    endings
}

/// Writes sheets of one column of cells and one of probabilities.
fn write(path: &Path, sheets: Vec<(&str, Cells<'_>)>) -> Result<(), Error> {
    let mut writer = SheetWriter::begin(path)?;
    for (name, cells) in sheets {
        let probs = Array2::from_elem((cells.rows().unwrap(), 2), 0.5);
        let columns = vec![(name.to_owned(), cells), ("p".to_owned(), Cells::Class(1))];
        writer.append(&Sheet { probs: probs.view(), columns })?;
    }
    writer.finish()
}

/// The cells of the first column, as they are written.
fn cells(path: &Path) -> Vec<String> {
    let table = read(path, &Wanted::default()).unwrap();
    let Table { columns, .. } = table;
    match &columns[0].values {
        Values::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
        Values::Text(text) => text.iter().map(str::to_owned).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sheets_that_were_written_one_by_one_are_read_as_one() {
    let place = Place::new();
    let text: Text = ["a", "", "käse, \"b\""].into_iter().collect();
    let more: Text = ["c"].into_iter().collect();
    for ending in endings() {
        let path = place.path(&format!("sheet.{ending}"));
        write(&path, vec![("t", Cells::Text(&text)), ("t", Cells::Text(&more))]).unwrap();
        assert_eq!(cells(&path), ["a", "", "käse, \"b\"", "c"], "{ending}");
        let gaps = [0.25, f64::NAN];
        write(&path, vec![("n", Cells::Numbers(&gaps)), ("n", Cells::Whole(vec![7]))]).unwrap();
        assert_eq!(cells(&path), ["0.25", "NaN", "7"], "{ending}");
        let whole = [3.0, f64::NAN];
        write(&path, vec![("n", Cells::Whole(vec![7])), ("n", Cells::Numbers(&whole))]).unwrap();
        assert_eq!(cells(&path), ["7", "3", "NaN"], "{ending}");
        write(&path, vec![("t", Cells::Text(&more)), ("t", Cells::Whole(vec![7]))]).unwrap();
        assert_eq!(cells(&path), ["c", "7"], "{ending}");
    }
}

#[test]
fn what_a_type_has_no_room_for_is_refused_and_nothing_is_left() {
    let place = Place::new();
    let text: Text = ["a"].into_iter().collect();
    for ending in endings().into_iter().filter(|ending| ["parquet", "arrow"].contains(ending)) {
        let path = place.path(&format!("Sheet.{ending}"));
        for (cells, words) in [
            (Cells::Text(&text), "column Age has text after rows of numbers"),
            (Cells::Numbers(&[0.5]), "column Age has fractions after rows of whole numbers"),
        ] {
            let error =
                write(&path, vec![("Age", Cells::Whole(vec![1])), ("Age", cells)]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.message().ends_with(words), "{error}");
        }
    }
    assert_eq!(fs::read_dir(place.path("")).unwrap().count(), 0);
}

#[test]
fn a_file_takes_its_place_when_it_is_finished() {
    let place = Place::new();
    let probs = Array2::from_elem((1, 2), 0.5);
    let sheet = |name: &str| Sheet {
        probs: probs.view(),
        columns: vec![(name.to_owned(), Cells::Class(0))],
    };
    for ending in endings() {
        let path = place.write(&format!("sheet.{ending}"), "what was there before");
        let mut writer = SheetWriter::begin(&path).unwrap();
        writer.append(&sheet("p")).unwrap();
        let error = writer.append(&sheet("q")).unwrap_err();
        assert!(
            error.message().ends_with("the columns are not the same in all batches"),
            "{error}"
        );
        drop(writer);
        let error = SheetWriter::begin(&path).unwrap().finish().unwrap_err();
        assert!(error.message().ends_with("there are no rows"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"what was there before");
    }
    let refused = |name: &str| SheetWriter::begin(place.path(name)).err().unwrap();
    let archive = refused("sheet.npz");
    assert!(
        archive.message().ends_with("NPZ files are written at once, and not batch after batch")
    );
    assert!(refused("nowhere/sheet.csv").message().ends_with("there is no such directory"));
    assert_eq!(fs::read_dir(place.path("")).unwrap().count(), endings().len());
}

#[test]
fn tables_of_many_files_come_in_order() {
    let place = Place::new();
    let mut text = "id,p\n".to_owned();
    for row in 0..70_000 {
        text.push_str(&format!("{row},0.5\n"));
    }
    let given: Vec<PathBuf> = vec![
        place.write("a.csv", text),
        place.write("b.csv", "id,p\n"),
        place.write("c.csv", "id,p\n7,0.5\n"),
    ];
    let inputs = Inputs::find(&given).unwrap();
    let mut seen = Vec::new();
    let wanted = Wanted::new(vec!["id".to_owned()], false);
    each_table(&inputs, &wanted, &mut |file, table| {
        assert!(matches!(table.columns[1].values, Values::Other(_)));
        seen.push((file, table.source.first(), table.rows()));
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, [(0, 0, 65_536), (0, 65_536, 4_464), (2, 0, 1)]);
    let stopped = each_table(&inputs, &wanted, &mut |_, _| Err(Error::input("enough")));
    assert_eq!(stopped.unwrap_err().message(), "enough");
}
