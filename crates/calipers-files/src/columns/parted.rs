//! Several models in one file, a row for each model and sample: the rows of each as a table of its own.

use std::collections::{HashMap, HashSet};

use ndarray::Axis;

use super::cells::words;
use super::find::find;
use crate::error::{Error, Result};
use crate::table::{Column, Lists, Table, Text, Values};

/// The table of each model, by the name in a column, in the order in which they appear; the tables are without
/// that column. With a key, rows are in the order of the first model's keys, and every model has the same
/// ones; without, rows are paired as they come. Places in messages are those of the file.
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
/// There is no such column; a key that a model has twice, or that another has not; other numbers of rows;
/// without a key, a column that says that rows which come together are not the same.
pub fn parted(table: Table, model: &str, key: Option<&str>) -> Result<Vec<(String, Table)>> {
    let at = find(&table, model)?;
    let models = cells(&table, at, "model")?;
    let mut all: Vec<Rows<'_>> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (row, name) in models.iter().enumerate() {
        let place = *numbers.entry(name).or_insert_with(|| {
            all.push((name, Vec::new()));
            all.len() - 1
        });
        all[place].1.push(row);
    }
    if all.is_empty() {
        return Err(super::no_rows(&table));
    }
    match key {
        Some(key) => by_key(&table, key, &mut all)?,
        None => by_order(&table, at, &all)?,
    }
    Ok(all.into_iter().map(|(model, rows)| (model.to_owned(), picked(&table, at, &rows))).collect())
}

/// A model, and its rows.
type Rows<'a> = (&'a str, Vec<usize>);

/// Brings the rows of every model into the order of the first one's keys.
fn by_key(table: &Table, key: &str, all: &mut [Rows<'_>]) -> Result<()> {
    let keys = cells(table, find(table, key)?, "key")?;
    let Some((first, own)) = all.first().map(|(first, own)| (*first, own.clone())) else {
        return Ok(());
    };
    for (model, rows) in all {
        let mut places: HashMap<&str, usize> = HashMap::new();
        for &row in rows.iter() {
            if let Some(other) = places.insert(&keys[row], row) {
                let (place, value) = (table.source.cell(row, key), &keys[row]);
                let other = table.source.place(other);
                return Err(Error::input(format!(
                    "{place}: {model} has {value} twice, the first time in {other}"
                ))
                .with_hint("--key names a column that is different in each row of a model"));
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
        if let Some((value, row)) = places.iter().min() {
            let place = table.source.cell(*row, key);
            return Err(Error::input(format!(
                "{place}: {model} has row {value}, but {first} has none"
            )));
        }
    }
    Ok(())
}

/// Refuses rows that cannot be paired as they come: other numbers of them, or a column of which every model
/// has the same values, each once, in another order.
fn by_order(table: &Table, model: usize, all: &[Rows<'_>]) -> Result<()> {
    let Some(((first, own), others)) = all.split_first() else { return Ok(()) };
    let name = &table.source.name;
    if let Some((model, rows)) = others.iter().find(|(_, rows)| rows.len() != own.len()) {
        return Err(Error::input(format!(
            "{name}: {first} has {} rows and {model} has {}",
            own.len(),
            rows.len()
        ))
        .with_hint("--key names the column that says which rows are the same"));
    }
    for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| *at != model) {
        // What has no words, or lacks some, identifies nothing.
        let Ok(words) = cells(table, at, "key") else { continue };
        let Some((other, own_row, row)) = disordered(&words, all) else { continue };
        let column = &column.name;
        return Err(Error::input(format!(
            "{}: {other} has {} where {first} has {}, in {}: the rows come in another order",
            table.source.cell(row, column),
            words[row],
            words[own_row],
            table.source.place(own_row),
        ))
        .with_hint(format!("--key {column} pairs the rows by it")));
    }
    Ok(())
}

/// The first model whose values are those of the first one in another order, with the first two rows that
/// differ; none where any model has other values, or one of them twice.
fn disordered<'a>(words: &[String], all: &[Rows<'a>]) -> Option<(&'a str, usize, usize)> {
    let ((_, own), others) = all.split_first()?;
    let known: HashSet<&str> = own.iter().map(|&row| words[row].as_str()).collect();
    if known.len() < own.len() {
        return None;
    }
    let mut found = None;
    for (model, rows) in others {
        let values: HashSet<&str> = rows.iter().map(|&row| words[row].as_str()).collect();
        if values != known {
            return None;
        }
        let differ = own.iter().zip(rows).find(|(one, other)| words[**one] != words[**other]);
        found = found.or(differ.map(|(one, other)| (*model, *one, *other)));
    }
    found
}

fn cells(table: &Table, at: usize, what: &str) -> Result<Vec<String>> {
    let column = &table.columns[at];
    words(&table.source, &column.name, &column.values, what)
}

/// Some rows of a table, without the column of the models: it is the same in all of them, and may be a number.
fn picked(table: &Table, model: usize, rows: &[usize]) -> Table {
    let others = table.columns.iter().enumerate().filter(|(at, _)| *at != model);
    let columns = others.map(|(_, column)| Column {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Wanted;

    fn parts(text: &str, key: Option<&str>) -> Result<Vec<(String, Table)>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.csv");
        std::fs::write(&file, text).unwrap();
        parted(crate::read(&file, &Wanted::default()).unwrap(), "model", key)
    }

    fn fault(text: &str, key: Option<&str>) -> (String, String) {
        let error = parts(text, key).unwrap_err();
        (error.message().to_owned(), error.hint().unwrap_or_default().to_owned())
    }

    #[test]
    fn the_column_of_models_is_in_no_part() {
        let found = parts("model,y,p\n0,1,.5\n1,1,.5\n", None).unwrap();
        let names: Vec<&str> = found[0].1.columns.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((found[0].0.as_str(), names), ("0", vec!["y", "p"]));
    }

    #[test]
    fn rows_in_another_order_are_not_paired_as_they_come() {
        let turned = "model,id,y,p\na,1,0,.5\na,2,0,.5\nb,2,0,.5\nb,1,0,.5\n";
        let (message, hint) = fault(turned, None);
        assert!(message.contains("line 4, column id: b has 2 where a has 1, in "), "{message}");
        assert!(message.ends_with("line 2: the rows come in another order"), "{message}");
        assert_eq!(hint, "--key id pairs the rows by it");
        assert!(parts(turned, Some("id")).is_ok());
        // Numbers of their own, as of lines, say nothing of which rows are the same; nor does what repeats.
        assert!(parts("model,line,g,y\na,1,u,0\na,2,v,0\nb,3,v,0\nb,4,u,0\n", None).is_err());
        assert!(parts("model,line,y\na,1,0\na,2,1\nb,3,0\nb,4,1\n", None).is_ok());
        assert!(parts("model,g,y\na,u,0\na,u,1\na,v,1\nb,u,0\nb,v,1\nb,u,1\n", None).is_ok());
    }

    #[test]
    fn a_key_that_repeats_is_said_with_both_lines() {
        let (message, hint) = fault("model,id,y\na,1,0\nb,1,0\na,2,0\na,1,0\n", Some("id"));
        assert!(
            message.contains("line 5, column id: a has 1 twice, the first time in "),
            "{message}"
        );
        assert!(
            message.ends_with("line 2") && hint.starts_with("--key names"),
            "{message}, {hint}"
        );
    }
}
