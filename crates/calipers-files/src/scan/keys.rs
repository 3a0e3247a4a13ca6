//! What identifies the rows of a batch.

use std::fmt::Write;

use crate::columns::cells::{missing, wrong_kind};
use crate::error::Result;
use crate::formats::csv::number;
use crate::table::{Source, Text, Values};

/// The key of each row of a batch, as it was read: a text would take far more room.
///
/// ```
/// use calipers_files::Keys;
///
/// let mut seen = Vec::new();
/// Keys::Numbers(vec![12.0, 0.5]).each(|row, key| seen.push((row, key.to_owned())));
/// assert_eq!(seen, [(0, "12".to_owned()), (1, "0.5".to_owned())]);
/// ```
#[derive(Debug)]
pub enum Keys {
    /// Numbers, none of them missing.
    Numbers(Vec<f64>),
    /// Text, none of it empty.
    Text(Text),
}

impl Keys {
    /// Visits the key of each row as text. A number is written as short as it can be, `12` and not `12.0`,
    /// so that it is the same key wherever the same number was read.
    pub fn each(&self, mut visit: impl FnMut(usize, &str)) {
        match self {
            Self::Text(text) => text.iter().enumerate().for_each(|(row, key)| visit(row, key)),
            Self::Numbers(numbers) => {
                let mut key = String::new();
                for (row, &number) in numbers.iter().enumerate() {
                    key.clear();
                    spell(number, &mut key);
                    visit(row, &key);
                }
            }
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Text(text) => text.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells of a column, in which none may be missing.
    pub(super) fn of(values: Values, name: &str, source: &Source) -> Result<Self> {
        let fault = |row: usize| missing(source, name, row, "key");
        match values {
            Values::Numbers(numbers) => match numbers.iter().position(|number| number.is_nan()) {
                Some(row) => Err(fault(row)),
                None => Ok(Self::Numbers(numbers)),
            },
            Values::Text(text) => {
                let empty = text.iter().position(str::is_empty);
                match empty {
                    Some(row) => Err(fault(row)),
                    None if source.is_text() => Ok(Self::Text(respelt(&text))),
                    None => Ok(Self::Text(text)),
                }
            }
            other => Err(wrong_kind(source, name, &other, "key")),
        }
    }
}

/// In a text file a cell may be a number in one batch and text in the next, where another cell is none:
/// it is to be the same key.
fn respelt(text: &Text) -> Text {
    let mut spelt = String::new();
    let mut keys = Text::default();
    for cell in text.iter() {
        match number(cell.as_bytes()) {
            None => keys.push(cell),
            Some(number) => {
                spelt.clear();
                spell(number, &mut spelt);
                keys.push(&spelt);
            }
        }
    }
    keys
}

/// Writes a number as [`f64::to_string`] does, but 0 for −0.
pub fn spell(number: f64, text: &mut String) {
    /// Up to here every whole number is a double, and an integer is written in a fifth of the time.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let written = if number.abs() <= EXACT && number.fract().abs() <= 0.0 {
        write!(text, "{}", number as i64)
    } else {
        write!(text, "{number}")
    };
    // Writing to a string cannot fail.
    let _ = written;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_does() {
        for number in
            [0.0, 1.0, -1.0, 0.1, 1e15, 9_007_199_254_740_992.0, 1e20, -1e-7, f64::INFINITY]
        {
            let mut text = String::new();
            spell(number, &mut text);
            assert_eq!(text, number.to_string());
        }
        let mut text = String::new();
        spell(-0.0, &mut text);
        assert_eq!(text, "0");
    }

    #[test]
    fn cells_of_a_text_file_are_the_same_key_in_every_batch() {
        let text: Text = ["1.0", "007", "a", "+5"].into_iter().collect();
        let keys = Keys::of(Values::Text(text), "id", &Source::text("a.csv", Default::default()));
        let mut seen = Vec::new();
        keys.unwrap().each(|_, key| seen.push(key.to_owned()));
        assert_eq!(seen, ["1", "007", "a", "5"]);
    }
}
