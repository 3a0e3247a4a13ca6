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
    Other {
        kind: String,
        /// A line where it is.
        line: u64,
        /// The first row of it that was not yet handed over.
        first: Option<usize>,
    },
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
    /// text: what needs numbers refuses such a column, and names the cell. A column with a list of numbers in
    /// it is one of lists, and what is none is its fault: were it of no use, another column would be taken
    /// for the predictions.
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
        match &cell {
            Cell::List(list) if !list.is_empty() => self.turn_to_lists(row, line),
            Cell::Broken(_) => self.turn_to_lists(row, line),
            Cell::List(_) | Cell::Missing => {}
            _ => self.forget_empty_lists(),
        }
        match (&mut self.cells, cell) {
            (Cells::Skipped, _) => {}
            (Cells::Other { first, .. }, cell) => {
                if !matches!(cell, Cell::Missing) {
                    first.get_or_insert(row);
                }
            }
            (Cells::Missing(rows), Cell::Missing) => *rows += 1,
            (Cells::Numbers(numbers), Cell::Missing) => numbers.push(f64::NAN),
            (Cells::Text(text), Cell::Missing) => text.push(""),
            (Cells::Lists(lists), Cell::Missing) => lists.push(&[]),
            (Cells::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
            (Cells::Text(text), Cell::Number(number)) => text.push(&number.to_string()),
            (Cells::Text(text), Cell::Word(word)) => text.push(&word),
            (Cells::Lists(lists), Cell::List(list)) => lists.push(&list),
            (Cells::Lists(lists), Cell::Broken(fault)) => lists.push_fault(|| fault),
            (Cells::Lists(lists), cell) => {
                lists.push_fault(|| format!("{}, where other rows have a list", cell.said()));
            }
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
            (Cells::Numbers(numbers), Cell::Word(word)) => {
                let mut text = Text::default();
                for number in numbers {
                    text.push(&if number.is_nan() { String::new() } else { number.to_string() });
                }
                text.push(&word);
                self.cells = Cells::Text(text);
            }
            (Cells::Missing(_), Cell::List(_)) => {
                let mut lists = Lists::default();
                (0..=row).for_each(|_| lists.push(&[]));
                self.cells = Cells::Lists(lists);
            }
            // A number was meant, and a column of no use would be passed over in silence.
            (Cells::Numbers(_), cell) => {
                let mut lists = Lists::default();
                (0..row).for_each(|_| lists.push(&[]));
                lists.push_fault(|| format!("{}, where other rows have a number", cell.kind()));
                self.cells = Cells::Lists(lists);
            }
            (Cells::Missing(_), Cell::Other(kind)) => {
                self.cells = Cells::Other { kind: kind.to_owned(), line, first: Some(row) };
            }
            (before, after) => {
                let kind = format!("{}, and {}", before.kind(), after.kind());
                self.cells = Cells::Other { kind, line, first: Some(row) };
            }
        }
        Ok(())
    }

    /// Makes lists of the rows before this one; the first that has anything else is their fault.
    fn turn_to_lists(&mut self, row: usize, line: u64) {
        let (kind, first) = match &self.cells {
            Cells::Missing(_) => ("nothing", None),
            Cells::Numbers(numbers) => {
                ("a number", numbers.iter().position(|number| !number.is_nan()))
            }
            Cells::Text(text) => ("text", text.iter().position(|word| !word.is_empty())),
            // In a piece before this one it was taken for what it was.
            Cells::Other { first: None, .. } | Cells::Lists(_) | Cells::Skipped => return,
            Cells::Other { kind, first, .. } => (kind.as_str(), *first),
        };
        let fault = format!("{kind}, where line {line} has a list");
        let mut lists = Lists::default();
        for at in 0..row {
            match Some(at) == first {
                true => lists.push_fault(|| fault.clone()),
                false => lists.push(&[]),
            }
        }
        self.cells = Cells::Lists(lists);
    }

    /// Lists without a number in any of them may be of anything.
    fn forget_empty_lists(&mut self) {
        if let Cells::Lists(lists) = &self.cells
            && lists.count() == 0
        {
            self.cells = Cells::Missing(lists.len());
        }
    }

    /// Adds what is missing before this row.
    fn pad(&mut self, row: usize, allowance: &mut Allowance) -> Result<()> {
        let rows = match &self.cells {
            Cells::Missing(rows) => *rows,
            Cells::Numbers(numbers) => numbers.len(),
            Cells::Text(text) => text.len(),
            Cells::Lists(lists) => lists.len(),
            Cells::Other { .. } | Cells::Skipped => row,
        };
        let more = row.saturating_sub(rows);
        allowance.spend(CELL.saturating_mul(more as u64))?;
        match &mut self.cells {
            Cells::Missing(rows) => *rows += more,
            Cells::Numbers(numbers) => numbers.resize(row.max(numbers.len()), f64::NAN),
            Cells::Text(text) => (0..more).for_each(|_| text.push("")),
            Cells::Lists(lists) => (0..more).for_each(|_| lists.push(&[])),
            Cells::Other { .. } | Cells::Skipped => {}
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
            Cells::Other { kind, line, first } => {
                *first = None;
                Values::Other(format!("{kind} in line {line}"))
            }
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
            Self::Missing(_) | Self::Other { .. } | Self::Skipped => "nothing",
        }
    }
}

impl Cell {
    /// The cell itself, if it is short to say, and what it is.
    fn said(&self) -> String {
        match self {
            Self::Number(number) => format!("{number} is a number"),
            Self::Word(word) => format!("{word:?} is text"),
            other => other.kind().to_owned(),
        }
    }
}
