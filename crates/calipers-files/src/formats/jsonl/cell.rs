//! A line as keys and cells, without what is of no use.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::tokens;
use crate::table::Wanted;

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
    /// A list of numbers but for this.
    Broken(String),
    /// What cannot be used, in a few words.
    Other(&'static str),
}

/// The keys of an object with their cells, in order.
pub struct Row(pub Vec<(String, Cell)>);

/// A line is read with what is wanted of it: of other keys nothing is looked at.
#[derive(Clone, Copy)]
pub struct RowSeed<'a>(pub &'a Wanted);

/// Integers up to this are doubles.
const EXACT: u64 = 1 << 53;

/// What a list of words, of lists or of objects is called.
const NO_NUMBERS: &str = "a list of what is no number";

/// Reads a cell, or an element of a list: there a list is passed over, however deep it is.
#[derive(Clone, Copy)]
struct CellSeed {
    element: bool,
}

const CELL: CellSeed = CellSeed { element: false };
const ELEMENT: CellSeed = CellSeed { element: true };

impl<'de> Visitor<'de> for CellSeed {
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
        Ok(match tokens::infinite(word) {
            Some(number) => Cell::Number(number),
            None => Cell::Word(word.to_owned()),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell, A::Error> {
        if self.element {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Cell::Other("a list"));
        }
        let mut numbers = Vec::new();
        let mut fault = None;
        // A list of words is something else; one of which any is a number is one with a fault.
        let mut numeric = false;
        while let Some(cell) = list.next_element_seed(ELEMENT)? {
            match cell {
                Cell::Number(number) => numbers.push(number),
                Cell::Missing => {
                    numbers.push(f64::NAN);
                    continue;
                }
                Cell::Word(word) => match tokens::spelt_infinite(&word) {
                    Some(number) => numbers.push(number),
                    None => {
                        numeric |= word.trim().parse::<f64>().is_ok();
                        fault.get_or_insert_with(|| format!("{word:?} in the list is no number"));
                        continue;
                    }
                },
                Cell::List(_) | Cell::Broken(_) | Cell::Other(_) => {
                    let kind = cell.kind();
                    fault.get_or_insert_with(|| format!("{kind} in the list is no number"));
                    continue;
                }
            }
            numeric = true;
        }
        Ok(match fault {
            None => Cell::List(numbers),
            Some(fault) if numeric => Cell::Broken(fault),
            Some(_) => Cell::Other(NO_NUMBERS),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Cell, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other("an object"))
    }
}

impl<'de> DeserializeSeed<'de> for CellSeed {
    type Value = Cell;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cell, D::Error> {
        from.deserialize_any(self)
    }
}

impl Cell {
    /// What it is, in a few words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "nothing",
            Self::Number(_) => "a number",
            Self::Word(_) => "text",
            Self::List(_) | Self::Broken(_) => "a list of numbers",
            Self::Other(kind) => kind,
        }
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = Row;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Row, A::Error> {
        let mut cells = Vec::new();
        while let Some(key) = object.next_key::<String>()? {
            let cell = match self.0.wants(&key) {
                true => object.next_value_seed(CELL)?,
                false => object.next_value::<IgnoredAny>().map(|_| Cell::Missing)?,
            };
            cells.push((key, cell));
        }
        Ok(Row(cells))
    }
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = Row;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Row, D::Error> {
        from.deserialize_map(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        CELL.deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap()
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
        assert_eq!(cell("[\"a\", null, {}, [0.5]]"), Cell::Other(NO_NUMBERS));
        assert_eq!(cell("{\"a\": {\"b\": [1]}}"), Cell::Other("an object"));
    }

    #[test]
    fn a_list_of_which_any_is_a_number_is_one_with_a_fault() {
        let broken = |text: &str| match cell(text) {
            Cell::Broken(fault) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(broken("[0.5, \"a\", {}]"), "\"a\" in the list is no number");
        assert_eq!(broken("[\"0.3\", \"0.7\"]"), "\"0.3\" in the list is no number");
        assert_eq!(broken("[[0.5], 1]"), "a list in the list is no number");
        assert_eq!(broken("[1, {}]"), "an object in the list is no number");
        assert_eq!(cell("[\"-inf\", 1, \"-Infinity\"]"), {
            Cell::List(vec![f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY])
        });
        assert!(matches!(cell("[1, \"NaN\"]"), Cell::List(list) if list[1].is_nan()));
        // The library goes no deeper than 128 lists where it keeps them.
        let deep = format!("[1, {}{}]", "[".repeat(1000), "]".repeat(1000));
        assert_eq!(broken(&deep), "a list in the list is no number");
    }

    #[test]
    fn what_is_not_wanted_is_not_looked_at() {
        let text = "{\"a\": 1e999, \"b\": \"\\ud800\", \"p\": 0.5}";
        let row = |wanted: &Wanted| {
            RowSeed(wanted).deserialize(&mut serde_json::Deserializer::from_str(text))
        };
        let Row(cells) = row(&Wanted::new(vec!["p".to_owned()], false)).unwrap();
        let found: Vec<&Cell> = cells.iter().map(|(_, cell)| cell).collect();
        assert_eq!(found, [&Cell::Missing, &Cell::Missing, &Cell::Number(0.5)]);
        assert!(row(&Wanted::default()).is_err());
    }
}
