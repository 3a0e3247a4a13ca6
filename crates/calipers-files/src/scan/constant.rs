//! Columns that the names of folders stand for: the same value in every row.

use crate::table::{Column, Table, Text, Values};

/// Adds the columns of these names that a table has not, but its folders have. What the file says itself
/// is what counts; of two folders of a name, the inner one.
pub fn add_partitions<'a>(
    table: &mut Table,
    names: impl Iterator<Item = &'a str>,
    partitions: &[(String, String)],
) {
    let rows = table.rows();
    for name in names {
        if table.columns.iter().any(|column| column.name == name) {
            continue;
        }
        if let Some((_, value)) = partitions.iter().rev().find(|(own, _)| own == name) {
            let values = repeated(value, rows);
            table.columns.push(Column { name: name.to_owned(), values });
        }
    }
}

/// A value in so many rows: a number if it is one.
fn repeated(value: &str, rows: usize) -> Values {
    match crate::formats::csv::number(value.as_bytes()) {
        Some(number) => Values::Numbers(vec![number; rows]),
        None => Values::Text(std::iter::repeat_n(value, rows).collect::<Text>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Source;

    #[test]
    fn folders_give_what_the_file_has_not() {
        let own = Column { name: "day".to_owned(), values: Values::Numbers(vec![7.0, 8.0]) };
        let mut table = Table { source: Source::rows("a.parquet"), columns: vec![own] };
        let partitions = [("day", "1"), ("site", "north"), ("hour", "007"), ("hour", "12")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        add_partitions(&mut table, ["site", "day", "hour", "none"].into_iter(), &partitions);
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["day", "site", "hour"]);
        assert!(matches!(&table.columns[0].values, Values::Numbers(days) if *days == [7.0, 8.0]));
        assert!(matches!(&table.columns[1].values, Values::Text(text) if text.get(1) == "north"));
        assert!(matches!(&table.columns[2].values, Values::Numbers(hours) if *hours == [12.0; 2]));
    }
}
