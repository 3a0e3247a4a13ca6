//! The rows of a run.

use std::path::Path;

use calipers_files::{Columns, Loaded, is_pipe, load, read};

use super::begun::{Begun, fix, is_array};
use crate::args::ColumnArgs;
use crate::error::{Failure, Result};
use crate::output;

/// The rows of the first run, the labels of which must be the classes' names.
pub fn first(file: &Path, said: &ColumnArgs) -> Result<Loaded> {
    let columns: Columns = said.into();
    if is_pipe(file) {
        // It can be read once. Later rows whose labels are no names are refused then.
        return Ok(Loaded::of(read(file, &columns.wanted())?, &columns, &|_| {})?);
    }
    let first = load(file, &columns, &|_| {})?;
    if columns.confidence {
        return Ok(first);
    }
    let mut named = columns;
    fix(&mut named, first.predictions.class_names());
    // Between the two readings the file may have grown.
    match load(file, &named, &|_| {}) {
        Ok(again) if again.predictions.labels().starts_with(first.predictions.labels()) => {
            Ok(first)
        }
        _ => Err(Failure::input(format!(
            "{}: the labels are not the names of the classes, and later rows may be read otherwise",
            output::name(file)
        ))
        .hint("--classes names the classes as the labels do, in the order of the columns")),
    }
}

/// The rows of a later run; none if there is nothing but the columns' names.
pub fn later(file: &Path, columns: &Columns, begun: &Begun) -> Result<Option<Loaded>> {
    // The labels of an array are found beside it.
    if is_array(file) {
        return Ok(Some(load(file, columns, &|_| {})?));
    }
    let table = read(file, &columns.wanted())?;
    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    if table.rows() == 0 && begun.are_among(&names) {
        return Ok(None);
    }
    Ok(Some(Loaded::of(table, columns, &|_| {})?))
}
