//! Rows with a list of scores each: how many options a row has, and whether its label is one of them.

use crate::error::{Error, Result};
use crate::table::{Column, Lists, Source, Values};

/// How many options each row has, where they are lists.
#[derive(Debug)]
pub struct Options {
    counts: Vec<u32>,
    shortest: usize,
    longest: usize,
}

impl Options {
    /// Those of lists, none of which is empty, in so many columns. A single column is that of class 1, and its
    /// rows have two options.
    pub fn of(lists: &Lists, columns: usize) -> Self {
        let least = if columns == 1 { 2 } else { 0 };
        let counts = lists.iter().map(|list| (list.len() as u32).max(least)).collect();
        Self { counts, shortest: lists.shortest(), longest: lists.longest() }
    }

    /// How many options each row has.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// From how many to how many options rows have, if not all have as many as there are columns.
    pub fn range(&self, columns: usize) -> Option<String> {
        match (self.shortest, self.longest) {
            (one, other) if one == other && one == columns => None,
            (one, other) if one == other => Some(format!("{one} of {columns}")),
            (shortest, longest) => Some(format!("{shortest} to {longest}")),
        }
    }

    /// Refuses a label that is a number and no position among the options of its row.
    pub fn check_numbers(&self, label: &Column, source: &Source) -> Result<()> {
        let Values::Numbers(numbers) = &label.values else { return Ok(()) };
        for (row, (&number, &count)) in numbers.iter().zip(&self.counts).enumerate() {
            let position = (0.0..f64::from(count)).contains(&number) && number.fract().abs() <= 0.0;
            // What is missing is said to be, as that of any file.
            if !position && !number.is_nan() {
                return Err(beyond(source, &label.name, row, &number.to_string(), count));
            }
        }
        Ok(())
    }

    /// Refuses a label whose class is beyond the options of its row.
    pub fn check_codes(&self, codes: &[usize], label: &Column, source: &Source) -> Result<()> {
        let fault =
            codes.iter().zip(&self.counts).position(|(&code, &count)| code >= count as usize);
        match fault {
            None => Ok(()),
            Some(row) => {
                Err(beyond(source, &label.name, row, &codes[row].to_string(), self.counts[row]))
            }
        }
    }
}

fn beyond(source: &Source, column: &str, row: usize, label: &str, count: u32) -> Error {
    beyond_at(&source.cell(row, column), label, count)
}

/// Says that a label is none of the options of its row, which is at this place.
pub fn beyond_at(place: &str, label: &str, count: u32) -> Error {
    let options = if count == 1 { "option" } else { "options" };
    Error::input(format!("{place}: label {label} is none of the row's {count} {options}"))
        .with_hint("a label is the position in the list, from 0, or one of --classes")
}
