//! Several models in one file, a row for each model and sample: the rows of each as a table of its own.

use std::collections::HashMap;

use ndarray::Axis;

use super::cells::words;
use super::find::find;
use crate::error::{Error, Result};
use crate::table::{Column, Lists, Table, Text, Values};

/// The table of each model, by the name in a column, in the order in which they appear. With a key, rows are
/// in the order of the first model's keys, and every model has the same ones; without, rows are paired as
/// they come. Places in messages are those of the file.
///
/// ```
/// use calipers_files::{Wanted, parted, read};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("long.csv");
/// std::fs::write(&file, "model,id,y,p\nold,1,0,0.5\nnew,2,1,0.9\nold,2,1,0.6\nnew,1,0,0.1\n")?;
/// let models = parted(read(&file, &Wanted::default())?, "model", Some("id"))?;
/// assert_eq!(models[1].0, "new");
/// assert!(models[1].1.source.place(0).ends_with("line 5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// There is no such column; a key that a model has twice, or that another has not; other numbers of rows.
pub fn parted(table: Table, model: &str, key: Option<&str>) -> Result<Vec<(String, Table)>> {
    let models = cells(&table, model, "model")?;
    let mut rows: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (row, name) in models.iter().enumerate() {
        let at = *numbers.entry(name).or_insert_with(|| {
            rows.push((name, Vec::new()));
            rows.len() - 1
        });
        rows[at].1.push(row);
    }
    let name = &table.source.name;
    let Some((first, own)) = rows.first().map(|(first, own)| (*first, own.clone())) else {
        return Err(super::no_rows(&table));
    };
    match key {
        Some(key) => {
            let keys = cells(&table, key, "key")?;
            for (model, rows) in &mut rows {
                let mut places: HashMap<&str, usize> = HashMap::new();
                for &row in rows.iter() {
                    if places.insert(&keys[row], row).is_some() {
                        let place = table.source.cell(row, key);
                        return Err(Error::input(format!(
                            "{place}: {model} has {} twice",
                            keys[row]
                        )));
                    }
                }
                *rows = own
                    .iter()
                    .map(|&row| {
                        places.remove(keys[row].as_str()).ok_or_else(|| {
                            let place = table.source.cell(row, key);
                            Error::input(format!("{place}: {model} has no row {}", keys[row]))
                        })
                    })
                    .collect::<Result<_>>()?;
                if let Some((key, _)) = places.iter().min() {
                    return Err(Error::input(format!(
                        "{name}: {first} has no row {key}, but {model} has"
                    )));
                }
            }
        }
        None => {
            if let Some((model, rows)) = rows.iter().find(|(_, rows)| rows.len() != own.len()) {
                return Err(Error::input(format!(
                    "{name}: {first} has {} rows and {model} has {}",
                    own.len(),
                    rows.len()
                ))
                .with_hint("--key names the column that says which rows are the same"));
            }
        }
    }
    Ok(rows.into_iter().map(|(model, rows)| (model.to_owned(), picked(&table, &rows))).collect())
}

fn cells(table: &Table, name: &str, what: &str) -> Result<Vec<String>> {
    let column = &table.columns[find(table, name)?];
    words(&table.source, &column.name, &column.values, what)
}

/// Some rows of a table.
fn picked(table: &Table, rows: &[usize]) -> Table {
    let columns = table.columns.iter().map(|column| Column {
        name: column.name.clone(),
        values: match &column.values {
            Values::Numbers(numbers) => {
                Values::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            Values::Text(text) => {
                Values::Text(rows.iter().map(|&row| text.get(row)).collect::<Text>())
            }
            Values::Matrix(matrix) => Values::Matrix(matrix.select(Axis(0), rows)),
            Values::Lists(lists) => {
                let mut own = Lists::default();
                rows.iter().for_each(|&row| own.push(lists.get(row)));
                Values::Lists(own)
            }
            Values::Other(kind) => Values::Other(kind.clone()),
        },
    });
    Table { source: table.source.picked(rows), columns: columns.collect() }
}
