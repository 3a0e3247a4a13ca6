//! A column of text while it is read: numbers, until a cell is none.

use crate::table::{NOT_READ, Text, Values, Wanted};

/// A column while it is read.
pub enum Builder {
    Numbers {
        numbers: Vec<f64>,
        /// Cells such as `NA` that mean a missing number, but may be a name in a text.
        marks: Vec<(usize, &'static str)>,
    },
    Text(Text),
    /// A column that was not asked for.
    Skipped,
}

/// What stands for a missing number in files that R, pandas or polars wrote.
const MISSING: [&str; 6] = ["NA", "NaN", "nan", "null", "NULL", "None"];

impl Builder {
    pub fn new(wanted: &Wanted, name: &str) -> Self {
        if wanted.wants(name) {
            Self::Numbers { numbers: Vec::new(), marks: Vec::new() }
        } else {
            Self::Skipped
        }
    }

    pub fn push(&mut self, cell: &[u8]) {
        match self {
            Self::Skipped => {}
            Self::Text(text) => text.push(&String::from_utf8_lossy(cell)),
            Self::Numbers { numbers, marks } => {
                if cell.is_empty() {
                    numbers.push(f64::NAN);
                } else if let Some(number) = number(cell) {
                    numbers.push(number);
                } else if let Some(mark) = MISSING.iter().find(|mark| mark.as_bytes() == cell) {
                    marks.push((numbers.len(), mark));
                    numbers.push(f64::NAN);
                } else {
                    let mut text = to_text(numbers, marks);
                    text.push(&String::from_utf8_lossy(cell));
                    *self = Self::Text(text);
                }
            }
        }
    }

    /// Hands over the cells so far. What was text stays text: a name such as `NA` is one in every
    /// piece of a file then.
    pub fn take(&mut self) -> Values {
        match self {
            Self::Numbers { numbers, marks } => {
                let (numbers, marks) = (std::mem::take(numbers), std::mem::take(marks));
                if marks.len() == numbers.len() {
                    return Values::Text(to_text(&numbers, &marks));
                }
                Values::Numbers(numbers)
            }
            Self::Text(text) => Values::Text(std::mem::take(text)),
            Self::Skipped => Values::Other(NOT_READ.to_owned()),
        }
    }
}

/// Turns numbers back into text; `1.0` comes back as `1`.
fn to_text(numbers: &[f64], marks: &[(usize, &str)]) -> Text {
    let mut marks = marks.iter().peekable();
    let mut text = Text::default();
    for (row, number) in numbers.iter().enumerate() {
        if let Some((_, mark)) = marks.next_if(|(at, _)| *at == row) {
            text.push(mark);
        } else if number.is_nan() {
            text.push("");
        } else {
            text.push(&number.to_string());
        }
    }
    text
}

/// A cell as a number. Codes such as `007` and integers that a double cannot hold exactly, such as
/// hashes, are not numbers: as such they would lose what tells them apart.
pub(crate) fn number(cell: &[u8]) -> Option<f64> {
    let digits = cell.strip_prefix(b"-").or_else(|| cell.strip_prefix(b"+")).unwrap_or(cell);
    match digits {
        [b'0', b'0'..=b'9', ..] => return None,
        [b'0'..=b'9' | b'.', ..] => {}
        _ if digits.eq_ignore_ascii_case(b"inf") || digits.eq_ignore_ascii_case(b"infinity") => {}
        _ => return None,
    }
    if digits.len() > 15 && digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(cell).ok()?.parse().ok()
}
