//! A line as keys and cells, without what is of no use.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The value of a key.
#[derive(Debug, PartialEq)]
pub enum Cell {
    /// `null`.
    Missing,
    Number(f64),
    /// A string, `true` or `false`, or an integer that a double cannot hold exactly, such as a hash.
    Word(String),
    /// A list of numbers; NaN is `null`.
    List(Vec<f64>),
    /// What cannot be used, in a few words.
    Other(&'static str),
}

/// The keys of an object with their cells, in order.
pub struct Row(pub Vec<(String, Cell)>);

/// Integers up to this are doubles.
const EXACT: u64 = 1 << 53;

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Missing)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Cell, E> {
        Ok(Cell::Word(truth.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Cell, E> {
        Ok(match number.unsigned_abs() <= EXACT {
            true => Cell::Number(number as f64),
            false => Cell::Word(number.to_string()),
        })
    }

    fn visit_u64<E>(self, number: u64) -> Result<Cell, E> {
        Ok(match number <= EXACT {
            true => Cell::Number(number as f64),
            false => Cell::Word(number.to_string()),
        })
    }

    fn visit_f64<E>(self, number: f64) -> Result<Cell, E> {
        Ok(Cell::Number(number))
    }

    fn visit_str<E>(self, word: &str) -> Result<Cell, E> {
        Ok(Cell::Word(word.to_owned()))
    }

    fn visit_string<E>(self, word: String) -> Result<Cell, E> {
        Ok(Cell::Word(word))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell, A::Error> {
        let mut numbers = Vec::new();
        while let Some(cell) = list.next_element()? {
            match cell {
                Cell::Number(number) => numbers.push(number),
                Cell::Missing => numbers.push(f64::NAN),
                Cell::Word(_) | Cell::List(_) | Cell::Other(_) => {
                    while list.next_element::<IgnoredAny>()?.is_some() {}
                    return Ok(Cell::Other("a list of what is no number"));
                }
            }
        }
        Ok(Cell::List(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Cell, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other("an object"))
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CellVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Row, A::Error> {
        let mut cells = Vec::new();
        while let Some(entry) = object.next_entry()? {
            cells.push(entry);
        }
        Ok(Row(cells))
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RowVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn every_value_is_what_can_be_used_of_it() {
        assert_eq!(cell("null"), Cell::Missing);
        assert_eq!(cell("-0.5e1"), Cell::Number(-5.0));
        assert_eq!(cell("9007199254740992"), Cell::Number(9_007_199_254_740_992.0));
        assert_eq!(cell("-9007199254740993"), Cell::Word("-9007199254740993".to_owned()));
        assert_eq!(cell("true"), Cell::Word("true".to_owned()));
        assert_eq!(cell("\"a\\n\""), Cell::Word("a\n".to_owned()));
        assert_eq!(cell("[0.5, 1]"), Cell::List(vec![0.5, 1.0]));
        assert!(matches!(cell("[0.5, null]"), Cell::List(list) if list[1].is_nan()));
        assert_eq!(cell("[0.5, \"a\", {}]"), Cell::Other("a list of what is no number"));
        assert_eq!(cell("[[0.5], 1]"), Cell::Other("a list of what is no number"));
        assert_eq!(cell("{\"a\": {\"b\": [1]}}"), Cell::Other("an object"));
    }
}
