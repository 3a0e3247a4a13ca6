//! From a table of columns to predictions: which column is what, and what its cells mean.
//!
//! The steps: [`choose`] picks the columns (by the flags, or by guess), [`score`] takes the numbers
//! out of them, [`labels`] turns the labels into classes, and here they become
//! [`Predictions`], which checks the numbers.

mod choose;
mod find;
mod labels;
mod locate;
mod score;

use calipers::labels::ClassColumns;
use calipers::{Folds, Predictions};
use ndarray::Array2;

use crate::args::{ColumnArgs, ScoreArgs};
use crate::error::{Failure, Result};
use crate::input::{Source, Table, Text, Values};
use choose::{Choice, ScoreChoice, choose, choose_scores, guess_label};
use labels::Labels;

/// What was read: predictions, and folds if the file has them.
pub struct Loaded {
    /// The predictions with everything known about their rows.
    pub predictions: Predictions<'static>,
    /// The folds, if the file gave them.
    pub folds: Option<Folds>,
    /// The columns of the predictions.
    pub scores: Vec<String>,
    /// Whether they are logits.
    pub logits: bool,
}

/// Predictions of a file that need not say what was observed.
pub struct Unlabelled {
    /// The predictions; the labels mean nothing.
    pub f: Predictions<'static>,
    /// Their columns, by the position in the table.
    pub columns: Vec<usize>,
    /// Whether they came as a matrix, which is one column of the table.
    pub is_matrix: bool,
    /// Whether they came as logits.
    pub logits: bool,
    /// What each column's class is called, if that is known.
    pub classes: Option<Vec<String>>,
    count: usize,
}

impl Unlabelled {
    /// How many columns of predictions there were: one, or as many as classes.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Which folds to look for in the file.
pub enum FoldSource<'a> {
    /// A column, by its name.
    Column(&'a str),
    /// Nothing was said: an archive may have its own.
    Unsaid,
    /// A number was asked for: none.
    Shuffled,
}

/// Picks the columns and makes predictions of them; `say` is told what was guessed.
pub fn load(
    mut table: Table,
    request: &ColumnArgs,
    folds: &FoldSource<'_>,
    say: &dyn Fn(&str),
) -> Result<Loaded> {
    let choice = choose(&table, request, folds)?;
    if let Some(said) = choice.said(&table) {
        say(&said);
    }
    check_lengths(&table, &choice)?;
    let mut scores = score::take(&mut table, &choice.scores)?;
    let Table { source, columns } = &table;
    let label = &columns[choice.label];
    let classes = match scores.classes.as_deref() {
        Some([one]) => ClassColumns::One(Some(one)),
        Some(many) => ClassColumns::Named(many),
        None => ClassColumns::Unnamed(scores.columns.len()),
    };
    let labels = labels::resolve(&label.values, &classes, &|row| source.cell(row, &label.name))?;
    if let Some(remark) = &labels.remark {
        say(remark);
    }
    let values = std::mem::take(&mut scores.values);
    let mut predictions = predict(values, labels, choice.scores.logits)
        .map_err(|error| locate::scores(error, source, &scores, &choice.scores))?;
    if let Some(weight) = choice.weight {
        let weight = &columns[weight];
        let numbers = numbers(source, &weight.name, &weight.values, "weight")?;
        predictions = predictions
            .with_weights(numbers.to_vec())
            .map_err(|error| locate::weights(error, source, &weight.name))?;
    }
    if let Some(group) = choice.group {
        let group = &columns[group];
        let cells: Vec<String> = words(source, &group.name, &group.values, "group")?;
        predictions =
            predictions.with_groups(&cells).map_err(|error| locate::other(&error, source))?;
    }
    let folds = choice.folds.map(|folds| &columns[folds]).map(|column| {
        let ids = fold_ids(source, &column.name, &column.values)?;
        Folds::from_ids(&ids).map_err(|error| locate::folds(error, source, &column.name))
    });
    let scores = choice.scores.columns.iter().map(|&at| columns[at].name.clone()).collect();
    Ok(Loaded { predictions, folds: folds.transpose()?, scores, logits: choice.scores.logits })
}

/// Takes the predictions out of a table, whatever else it holds; `say` is told what was guessed.
pub fn unlabelled(
    table: &mut Table,
    request: &ScoreArgs,
    say: &dyn Fn(&str),
) -> Result<Unlabelled> {
    if table.columns.first().and_then(|column| column.values.rows()) == Some(0) {
        return Err(no_rows(table));
    }
    // A label of 0 and 1 is no probability.
    let label = guess_label(table).ok();
    let choice = choose_scores(table, request, label.as_slice())?;
    if choice.guessed {
        say(&choice.said(table));
    }
    let is_matrix = matches!(
        choice.columns.as_slice(),
        &[only] if matches!(table.columns[only].values, Values::Matrix(_))
    );
    let mut scores = score::take(table, &choice)?;
    let values = std::mem::take(&mut scores.values);
    let (rows, count) = values.dim();
    let classes = (0..count.max(2)).map(|class| class.to_string()).collect();
    let labels = Labels { codes: vec![0; rows], classes, remark: None };
    let f = predict(values, labels, choice.logits)
        .map_err(|error| locate::scores(error, &table.source, &scores, &choice))?;
    let ScoreChoice { columns, logits, .. } = choice;
    Ok(Unlabelled { f, columns, is_matrix, logits, classes: scores.classes, count })
}

fn no_rows(table: &Table) -> Failure {
    Failure::input(format!("{}: there are no rows", table.source.name))
}

fn predict(
    values: Array2<f64>,
    labels: Labels,
    logits: bool,
) -> calipers::Result<Predictions<'static>> {
    let predictions = if logits {
        Predictions::from_logits(values.view(), &labels.codes)?
    } else if values.ncols() == 1 {
        // The column is handed over as it is: the table holds nothing else.
        let (column, _) = values.into_flat().into_raw_vec_and_offset();
        Predictions::binary(column, &labels.codes)?
    } else {
        Predictions::new(values, &labels.codes)?
    };
    predictions.with_class_names(labels.classes)
}

/// Only an archive's arrays can differ in length, and rows must pair up.
fn check_lengths(table: &Table, choice: &Choice) -> Result<()> {
    let first = &table.columns[choice.label];
    let Some(rows) = first.values.rows() else { return Ok(()) };
    if rows == 0 {
        return Err(no_rows(table));
    }
    for column in choice.columns().map(|at| &table.columns[at]) {
        if let Some(other) = column.values.rows().filter(|&other| other != rows) {
            return Err(Failure::input(format!(
                "{}: {} has {rows} rows, but {} has {other}",
                table.source.name, first.name, column.name
            )));
        }
    }
    Ok(())
}

/// The numbers of a column in which none may be missing.
fn numbers<'a>(source: &Source, name: &str, values: &'a Values, what: &str) -> Result<&'a [f64]> {
    let numbers = match values {
        Values::Numbers(numbers) => numbers,
        Values::Text(text) => return Err(not_a_number(source, name, text, what)),
        Values::Matrix(_) | Values::Other(_) => return Err(wrong_kind(source, name, values, what)),
    };
    match numbers.iter().position(|number| number.is_nan()) {
        None => Ok(numbers),
        Some(row) => {
            Err(Failure::input(format!("{}: the {what} is missing", source.cell(row, name))))
        }
    }
}

/// Names the first cell of a text that made it one.
fn not_a_number(source: &Source, name: &str, text: &Text, what: &str) -> Failure {
    let culprit = text.iter().enumerate().find(|(_, cell)| cell.parse::<f64>().is_err());
    let (row, cell) = culprit.or_else(|| text.iter().enumerate().next()).unwrap_or((0, ""));
    let place = source.cell(row, name);
    if cell.is_empty() {
        return Failure::input(format!("{place}: the {what} is missing"));
    }
    Failure::input(format!("{place}: {what} {cell:?} is not a number"))
}

fn wrong_kind(source: &Source, name: &str, values: &Values, what: &str) -> Failure {
    let kind = match values {
        Values::Matrix(matrix) => format!("a matrix of {} columns", matrix.ncols()),
        Values::Other(kind) => kind.clone(),
        Values::Numbers(_) => "numbers".to_owned(),
        Values::Text(_) => "text".to_owned(),
    };
    Failure::input(format!("{}, column {name}: a {what} cannot be {kind}", source.name))
}

/// The cells as text, of a column in which none may be missing.
fn words(source: &Source, name: &str, values: &Values, what: &str) -> Result<Vec<String>> {
    let words: Vec<String> = match values {
        Values::Numbers(_) => {
            numbers(source, name, values, what)?.iter().map(f64::to_string).collect()
        }
        Values::Text(text) => text.iter().map(str::to_owned).collect(),
        Values::Matrix(_) | Values::Other(_) => return Err(wrong_kind(source, name, values, what)),
    };
    match words.iter().position(String::is_empty) {
        None => Ok(words),
        Some(row) => {
            Err(Failure::input(format!("{}: the {what} is missing", source.cell(row, name))))
        }
    }
}

/// Fold ids: whole numbers as they are, anything else numbered in sorted order.
fn fold_ids(source: &Source, name: &str, values: &Values) -> Result<Vec<i64>> {
    if let Values::Numbers(_) = values {
        let numbers = numbers(source, name, values, "fold")?;
        if numbers.iter().all(|number| number.fract().abs() <= 0.0) {
            return Ok(numbers.iter().map(|&number| number as i64).collect());
        }
    }
    let words = words(source, name, values, "fold")?;
    let mut sorted: Vec<&String> = words.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    Ok(words.iter().map(|word| sorted.partition_point(|other| *other < word) as i64).collect())
}
