//! The probabilities or logits as one matrix.

use calipers::labels::class_names;
use calipers::words::thousands;
use ndarray::{Array2, Axis};

use super::cells::{not_a_number, wrong_kind};
use super::choose::ScoreChoice;
use super::list::spelt_list;
use super::options::Options;
use crate::error::{Error, Result};
use crate::table::{Table, Values};

/// Rows that are put together at a time: of a thousand columns, a quarter of a megabyte.
const TILE: usize = 32;

/// Cells that lists of different lengths may be padded to, or 16 times the numbers that are there: one long list
/// among many short ones would fill the memory.
const WIDEST: usize = 1 << 25;

/// One row a sample; one column a class, or a single one for class 1.
pub struct Scores {
    /// The numbers, none of them missing.
    pub values: Array2<f64>,
    /// What each column is called where a place in the file is named.
    pub columns: Vec<String>,
    /// What each column is called, if it has a name of its own.
    pub named: Option<Vec<String>>,
    /// What each column's class is called, if that is known.
    pub classes: Option<Vec<String>>,
    /// How many of the columns each row has, where they came as lists.
    pub options: Option<Options>,
}

/// Takes the scores out of the table, so that they are not in memory twice for long. Lists are of at most
/// `most` options, if that is known; where none has more than one, and these may be two, they are a single
/// column.
pub fn take(table: &mut Table, choice: &ScoreChoice, most: Option<usize>) -> Result<Scores> {
    let named = classes_of_labels(table, choice).map(|names| names.len());
    let most = most.or(named);
    let single = match choice.columns.as_slice() {
        &[only] => match &table.columns[only].values {
            Values::Lists(lists) => lists.longest() <= 1 && most.is_none_or(|most| most <= 2),
            _ => false,
        },
        _ => false,
    };
    take_of(table, choice, if single { Some(1) } else { most })
}

/// As [`take`], where lists make so many columns.
pub fn take_of(table: &mut Table, choice: &ScoreChoice, width: Option<usize>) -> Result<Scores> {
    let what = if choice.logits { "logit" } else { "probability" };
    let scores = match choice.columns.as_slice() {
        &[only] if matches!(table.columns[only].values, Values::Lists(_)) => {
            take_lists(table, only, choice, width)?
        }
        &[only] if matches!(table.columns[only].values, Values::Matrix(_)) => {
            take_matrix(table, only)?
        }
        columns => take_columns(table, columns, what)?,
    };
    let scores = with_classes(scores, classes_of_labels(table, choice));
    // Nearly always there is none, and looking for its place would take longer than anything else.
    if !scores.values.iter().fold(false, |any, value| any | value.is_nan()) {
        return Ok(scores);
    }
    match scores.values.indexed_iter().find(|(_, value)| value.is_nan()) {
        None => Ok(scores),
        Some(((row, column), _)) => {
            let place = table.source.cell(row, &scores.columns[column]);
            Err(Error::input(format!("{place}: the {what} is missing")))
        }
    }
}

/// What the dataset of a file calls the classes that its labels stand for.
fn classes_of_labels<'a>(table: &'a Table, choice: &ScoreChoice) -> Option<&'a [String]> {
    table.source.class_names().get(&table.columns[choice.label?].name)
}

/// Columns that have no names of their own but positions are of the classes that labels stand for, in their order;
/// a single one is that of the second.
fn with_classes(scores: Scores, classes: Option<&[String]>) -> Scores {
    let Some(classes) = classes else { return scores };
    let names = match (scores.columns.len(), classes) {
        (1, [_, second]) => std::slice::from_ref(second),
        (count, _) if count == classes.len() => classes,
        _ => return scores,
    };
    let own = scores.classes.as_deref().or(scores.named.as_deref()).unwrap_or_default();
    let same = |one: &String| classes.iter().any(|class| class.eq_ignore_ascii_case(one));
    let positions = own.iter().enumerate().all(|(at, name)| *name == at.to_string());
    let free = if own.len() == 1 { !same(&own[0]) && own[0] != "0" } else { positions };
    match free {
        true => Scores { named: Some(names.to_vec()), classes: Some(names.to_vec()), ..scores },
        false => scores,
    }
}

fn take_matrix(table: &mut Table, at: usize) -> Result<Scores> {
    let class_names = classes_array(table);
    let column = &mut table.columns[at];
    let Values::Matrix(values) = &mut column.values else { return Ok(nothing()) };
    let values = std::mem::take(values);
    let count = values.ncols();
    if count == 0 {
        let name = &table.source.name;
        return Err(Error::input(format!("{name}: {} has no columns", column.name)));
    }
    let columns = (0..count).map(|class| format!("{class} of {}", column.name)).collect();
    if let Some(names) = class_names.as_ref().filter(|names| names.len() != count) {
        return Err(Error::input(format!(
            "{}: classes has {} names, but {} has {count} columns",
            table.source.name,
            names.len(),
            column.name
        )));
    }
    Ok(Scores { values, columns, named: class_names.clone(), classes: class_names, options: None })
}

/// A list a row as a row of a matrix. What is beyond the end of a list is impossible there: of probability 0,
/// of logit −∞. Labels are positions.
fn take_lists(
    table: &mut Table,
    at: usize,
    choice: &ScoreChoice,
    width: Option<usize>,
) -> Result<Scores> {
    let column = &mut table.columns[at];
    let Values::Lists(lists) = &mut column.values else { return Ok(nothing()) };
    let (lists, name) = (std::mem::take(lists), &column.name);
    let empty = lists.iter().position(<[f64]>::is_empty);
    if let Some((row, what)) = lists.fault().filter(|(row, _)| empty.is_none_or(|own| *row < own)) {
        return Err(Error::input(format!("{}: {what}", table.source.cell(row, name))));
    }
    if let Some(row) = empty {
        let place = table.source.cell(row, name);
        return Err(Error::input(format!("{place}: the list is missing or empty")));
    }
    let longest = lists.longest();
    let width = width.unwrap_or(longest);
    if let Some(row) = lists.iter().position(|list| list.len() > width) {
        let (place, own) = (table.source.cell(row, name), lists.get(row).len());
        return Err(Error::input(format!(
            "{place}: {own} options, where there are {width} at most"
        ))
        .with_hint("--classes names as many classes as the longest list has options"));
    }
    // A list of one and a row of a wide matrix take the same room.
    if let Some(cells) =
        lists.len().checked_mul(width).filter(|cells| *cells > WIDEST.max(16 * lists.count()))
    {
        let (row, rows) = (lists.iter().position(|list| list.len() == longest), lists.len());
        let place = table.source.cell(row.unwrap_or(0), name);
        return Err(Error::input(format!(
            "{place}: {longest} options, which for {} rows is a table of {} cells",
            thousands(rows),
            thousands(cells)
        )));
    }
    let beyond = if choice.logits { f64::NEG_INFINITY } else { 0.0 };
    let mut values = Array2::from_elem((lists.len(), width), beyond);
    for (list, mut row) in lists.iter().zip(values.rows_mut()) {
        row.iter_mut().zip(list).for_each(|(value, number)| *value = *number);
    }
    let columns: Vec<String> = (0..width).map(|class| format!("{class} of {name}")).collect();
    let named = match width {
        1 => vec![name.clone()],
        _ => (0..width).map(|class| class.to_string()).collect(),
    };
    let options = Some(Options::of(&lists, width));
    Ok(Scores { values, columns, named: Some(named), classes: None, options })
}

/// The class names that an archive may hold in an array `classes`.
fn classes_array(table: &Table) -> Option<Vec<String>> {
    let column = table.columns.iter().find(|column| column.name == "classes")?;
    match &column.values {
        Values::Text(text) => Some(text.iter().map(str::to_owned).collect()),
        Values::Numbers(numbers) => Some(numbers.iter().map(f64::to_string).collect()),
        Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => None,
    }
}

fn take_columns(table: &mut Table, columns: &[usize], what: &str) -> Result<Scores> {
    let mut taken: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
    for &at in columns {
        let name = table.columns[at].name.clone();
        match &mut table.columns[at].values {
            Values::Numbers(numbers) => taken.push(std::mem::take(numbers)),
            Values::Text(text) => {
                let text = std::mem::take(text);
                return Err(spelt_list(&table.source, &name, &text)
                    .unwrap_or_else(|| not_a_number(&table.source, &name, &text, what)));
            }
            Values::Lists(lists) if lists.fault().is_some() => {
                let (row, what) = lists.fault().unwrap_or_default();
                return Err(Error::input(format!("{}: {what}", table.source.cell(row, &name))));
            }
            other @ (Values::Matrix(_) | Values::Lists(_) | Values::Other(_)) => {
                return Err(wrong_kind(&table.source, &name, other, what));
            }
        }
    }
    let rows = taken.first().map_or(0, Vec::len);
    let values = if let [only] = taken.as_mut_slice() {
        // One column is a table as it is.
        Array2::from_shape_vec((rows, 1), std::mem::take(only)).unwrap_or_default()
    } else {
        side_by_side(rows, &taken)
    };
    let names: Vec<&str> = columns.iter().map(|&at| table.columns[at].name.as_str()).collect();
    let classes = Some(class_names(&names));
    let columns: Vec<String> = names.into_iter().map(str::to_owned).collect();
    Ok(Scores { values, named: Some(columns.clone()), columns, classes, options: None })
}

/// Columns as the columns of a table: a few rows of all of them, so that what is written of a row is still
/// in a cache when the next column adds to it.
fn side_by_side(rows: usize, columns: &[Vec<f64>]) -> Array2<f64> {
    let mut values = Array2::zeros((rows, columns.len()));
    for (block, mut values) in values.axis_chunks_iter_mut(Axis(0), TILE).enumerate() {
        for (column, mut values) in columns.iter().zip(values.columns_mut()) {
            let from = &column[block * TILE..];
            values.iter_mut().zip(from).for_each(|(value, from)| *value = *from);
        }
    }
    values
}

fn nothing() -> Scores {
    Scores {
        values: Array2::zeros((0, 0)),
        columns: Vec::new(),
        named: None,
        classes: None,
        options: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Lists, Source};

    fn taken(lists: &[&[f64]], logits: bool, most: Option<usize>) -> Result<Scores> {
        let mut own = Lists::default();
        lists.iter().for_each(|list| own.push(list));
        let columns = vec![Column { name: "z".to_owned(), values: Values::Lists(own) }];
        let mut table = Table { source: Source::rows("a.parquet"), columns };
        take(
            &mut table,
            &ScoreChoice { columns: vec![0], label: None, logits, guessed: false },
            most,
        )
    }

    #[test]
    fn what_is_beyond_a_list_is_impossible() {
        let none = f64::NEG_INFINITY;
        let found = taken(&[&[0.5, -1.0], &[2.0, 0.0, 1.0]], true, None).unwrap();
        assert_eq!(found.values, ndarray::array![[0.5, -1.0, none], [2.0, 0.0, 1.0]]);
        assert_eq!(found.options.unwrap().range(3).as_deref(), Some("2 to 3"));
        let found = taken(&[&[0.5, 0.5]], false, Some(3)).unwrap();
        assert_eq!(found.values, ndarray::array![[0.5, 0.5, 0.0]]);
        assert_eq!(found.named.unwrap(), ["0", "1", "2"]);
        assert_eq!(found.options.unwrap().range(3).as_deref(), Some("2 of 3"));
        let found = taken(&[&[0.5], &[0.25]], false, None).unwrap();
        assert_eq!((found.values.dim(), found.named.unwrap()), ((2, 1), vec!["z".to_owned()]));
        let error = taken(&[&[0.5, 0.5]], false, Some(1)).err().unwrap();
        assert_eq!(
            error.message(),
            "a.parquet, row 0, column z: 2 options, where there are 1 at most"
        );
    }
}
