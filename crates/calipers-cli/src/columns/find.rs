//! A column by its name.

use crate::error::{Failure, Result};
use crate::input::Table;
use crate::suggest::did_you_mean;

/// How many names of a long list are spelt out.
const SHOWN: usize = 12;

/// The column of a name.
pub fn find(table: &Table, name: &str) -> Result<usize> {
    let mut found = (0..table.columns.len()).filter(|&at| table.columns[at].name == name);
    let Some(first) = found.next() else {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let failure = Failure::input(format!(
            "{}: there is no column {name:?}; the columns are {}",
            table.source.name,
            listed(&names)
        ));
        return Err(failure.maybe_hint(did_you_mean(name, names)));
    };
    match found.next() {
        None => Ok(first),
        Some(_) => {
            Err(Failure::input(format!("{}: two columns are named {name:?}", table.source.name)))
        }
    }
}

/// Names in a row, the middle of a long list left out.
pub fn listed(names: &[&str]) -> String {
    if names.len() <= SHOWN {
        return names.join(", ");
    }
    let first = &names[..SHOWN / 2];
    format!("{}, ..., {} ({} in all)", first.join(", "), names[names.len() - 1], names.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..100).map(|at| format!("p_{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(listed(&names[..3]), "p_0, p_1, p_2");
        assert_eq!(listed(&names), "p_0, p_1, p_2, p_3, p_4, p_5, ..., p_99 (100 in all)");
    }
}
