//! A column by its name.

use calipers::words::listed;

use crate::error::{Error, Result};
use crate::table::Table;
use crate::words::did_you_mean;

/// The column of a name.
pub fn find(table: &Table, name: &str) -> Result<usize> {
    let mut found = (0..table.columns.len()).filter(|&at| table.columns[at].name == name);
    let Some(first) = found.next() else {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let error = Error::input(format!(
            "{}: there is no column {name:?}; the columns are {}",
            table.source.name,
            listed(&names)
        ));
        return Err(error.with_any_hint(did_you_mean(name, names)));
    };
    match found.next() {
        None => Ok(first),
        Some(_) => {
            Err(Error::input(format!("{}: two columns are named {name:?}", table.source.name)))
        }
    }
}
