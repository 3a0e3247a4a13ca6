//! A column of JSON Lines while it is read.

use super::cell::Cell;
use crate::allowance::{Allowance, CELL};
use crate::error::Result;
use crate::table::{Lists, NOT_READ, Text, Values};

/// A column while it is read; rows at its end that have not its key are yet to be added.
pub struct Builder {
    pub name: String,
    cells: Cells,
    /// The line that was read last with this key: what names it twice names it there again.
    pub line: u64,
}

enum Cells {
    /// So many rows, nothing in any of them.
    Missing(usize),
    Numbers(Vec<f64>),
    Text(Text),
    Lists(Lists),
    /// What cannot be used, in a few words.
    Other(String),
    /// A column that was not asked for.
    Skipped,
}

impl Builder {
    pub fn new(name: String, wanted: bool) -> Self {
        let cells = if wanted { Cells::Missing(0) } else { Cells::Skipped };
        Self { name, cells, line: 0 }
    }

    /// Adds the cell of a row; rows before it that had none are missing.
    ///
    /// A number below text is text, spelt as short as it can be, and text below numbers makes all of them
    /// text: what needs numbers refuses such a column, and names the cell.
    pub fn push(
        &mut self,
        cell: Cell,
        row: usize,
        line: u64,
        allowance: &mut Allowance,
    ) -> Result<()> {
        self.pad(row, allowance)?;
        allowance.spend(match &cell {
            Cell::Word(word) => CELL + word.len() as u64,
            Cell::List(list) => CELL + CELL * list.len() as u64,
            _ => CELL,
        })?;
        match (&mut self.cells, cell) {
            (Cells::Other(_) | Cells::Skipped, _) => {}
            (Cells::Missing(rows), Cell::Missing) => *rows += 1,
            (Cells::Numbers(numbers), Cell::Missing) => numbers.push(f64::NAN),
            (Cells::Text(text), Cell::Missing) => text.push(""),
            (Cells::Lists(lists), Cell::Missing) => lists.push(&[]),
            (Cells::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
            (Cells::Text(text), Cell::Number(number)) => text.push(&number.to_string()),
            (Cells::Text(text), Cell::Word(word)) => text.push(&word),
            (Cells::Lists(lists), Cell::List(list)) => lists.push(&list),
            (Cells::Missing(rows), Cell::Number(number)) => {
                let mut numbers = vec![f64::NAN; *rows];
                numbers.push(number);
                self.cells = Cells::Numbers(numbers);
            }
            (Cells::Missing(rows), Cell::Word(word)) => {
                let mut text: Text = std::iter::repeat_n("", *rows).collect();
                text.push(&word);
                self.cells = Cells::Text(text);
            }
            (Cells::Missing(rows), Cell::List(list)) => {
                let mut lists = Lists::default();
                (0..*rows).for_each(|_| lists.push(&[]));
                lists.push(&list);
                self.cells = Cells::Lists(lists);
            }
            (Cells::Numbers(numbers), Cell::Word(word)) => {
                let mut text = Text::default();
                for number in numbers {
                    text.push(&if number.is_nan() { String::new() } else { number.to_string() });
                }
                text.push(&word);
                self.cells = Cells::Text(text);
            }
            (Cells::Missing(_), Cell::Other(kind)) => {
                self.cells = Cells::Other(format!("{kind}, as in line {line}"));
            }
            (before, after) => {
                let kind = format!("{}, and {} in line {line}", before.kind(), after.kind());
                self.cells = Cells::Other(kind);
            }
        }
        Ok(())
    }

    /// Adds what is missing before this row.
    fn pad(&mut self, row: usize, allowance: &mut Allowance) -> Result<()> {
        let rows = match &self.cells {
            Cells::Missing(rows) => *rows,
            Cells::Numbers(numbers) => numbers.len(),
            Cells::Text(text) => text.len(),
            Cells::Lists(lists) => lists.len(),
            Cells::Other(_) | Cells::Skipped => row,
        };
        let more = row.saturating_sub(rows);
        allowance.spend(CELL.saturating_mul(more as u64))?;
        match &mut self.cells {
            Cells::Missing(rows) => *rows += more,
            Cells::Numbers(numbers) => numbers.resize(row.max(numbers.len()), f64::NAN),
            Cells::Text(text) => (0..more).for_each(|_| text.push("")),
            Cells::Lists(lists) => (0..more).for_each(|_| lists.push(&[])),
            Cells::Other(_) | Cells::Skipped => {}
        }
        Ok(())
    }

    /// Hands over the cells of so many rows. What was text stays text in the next ones.
    pub fn take(&mut self, rows: usize, allowance: &mut Allowance) -> Result<Values> {
        self.pad(rows, allowance)?;
        Ok(match &mut self.cells {
            Cells::Missing(rows) => Values::Numbers(vec![f64::NAN; std::mem::take(rows)]),
            Cells::Numbers(numbers) => Values::Numbers(std::mem::take(numbers)),
            Cells::Text(text) => Values::Text(std::mem::take(text)),
            Cells::Lists(lists) => Values::Lists(std::mem::take(lists)),
            Cells::Other(kind) => Values::Other(kind.clone()),
            Cells::Skipped => Values::Other(NOT_READ.to_owned()),
        })
    }
}

impl Cells {
    fn kind(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "a number",
            Self::Text(_) => "text",
            Self::Lists(_) => "a list of numbers",
            Self::Missing(_) | Self::Other(_) | Self::Skipped => "nothing",
        }
    }
}

impl Cell {
    fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "nothing",
            Self::Number(_) => "a number",
            Self::Word(_) => "text",
            Self::List(_) => "a list of numbers",
            Self::Other(kind) => kind,
        }
    }
}
