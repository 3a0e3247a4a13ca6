//! What labels mean: names of classes, positions of columns, or true and false.
//!
//! The rules are here because every door shares them: a file and an array with the same contents
//! are read the same way.
//!
//! ```
//! use calipers::labels::{ClassColumns, Label, read};
//!
//! let names = ["cat".to_owned(), "dog".to_owned()];
//! let found = [Label::word("dog", 0), Label::word("cat", 3)];
//! let reading = read(&found, &ClassColumns::Named(&names))?;
//! assert_eq!(reading.codes, [1, 0]);
//! # Ok::<(), calipers::Error>(())
//! ```

mod names;
mod single;

use std::cmp::Ordering;

use crate::error::{Error, Result};
use crate::words::listed;

pub use names::{class_names, prefix};

/// The columns of the classes that labels can name.
#[derive(Debug, Clone, Copy)]
pub enum ClassColumns<'a> {
    /// One a column.
    Named(&'a [String]),
    /// This many columns, of which nobody said which is which.
    Unnamed(usize),
    /// Two, of which the second has a column, of this name if it has one.
    One(Option<&'a str>),
}

/// A label that occurs.
#[derive(Debug, Clone)]
pub struct Label {
    /// The label as it is written.
    pub text: String,
    /// The number that it is, if it is one.
    pub number: Option<f64>,
    /// The row where it first occurs, from 0.
    pub row: usize,
    /// How often it occurs.
    pub count: usize,
}

/// What the labels that occur mean.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The class of each label that occurs, in the order in which they were given.
    pub codes: Vec<usize>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// By which rule the labels were read.
    pub rule: Rule,
    /// What the user should know about how the labels were read.
    pub remark: Option<String>,
}

/// How labels are turned into classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A label is the name of its class.
    Names,
    /// A label is the position of its class's column, from 0.
    Positions,
    /// `true` is class 1 and `false` class 0.
    Truth,
    /// The labels are the classes, in sorted order.
    Sorted,
}

impl Label {
    /// A label that is a word, or a number written out.
    pub fn word(text: &str, row: usize) -> Self {
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        Self { text: text.to_owned(), number, row, count: 1 }
    }

    /// A label that is a number.
    pub fn number(number: f64, row: usize) -> Self {
        // Adding 0 turns -0 into 0.
        Self { text: (number + 0.0).to_string(), number: Some(number), row, count: 1 }
    }

    /// The class of this name; `1` and `1.0` are the same name.
    fn named(&self, names: &[String]) -> Option<usize> {
        let same = |name: &String| {
            let number = || Some((name.parse::<f64>().ok()?, self.number?));
            *name == self.text || number().is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
        };
        names.iter().position(|name| *name == self.text).or_else(|| names.iter().position(same))
    }

    /// The column at this position.
    fn position(&self, count: usize) -> Option<usize> {
        self.number
            .filter(|number| number.fract().abs() <= 0.0 && (0.0..count as f64).contains(number))
            .map(|number| number as usize)
    }

    /// Numbers by their size, before words by their letters.
    fn sorts(&self, other: &Self) -> Ordering {
        match (self.number, other.number) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (None, None) => self.text.cmp(&other.text),
            (number, _) => {
                if number.is_some() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }

    fn truth(&self) -> Option<usize> {
        let word = self.text.to_lowercase();
        ["false", "true"].iter().position(|truth| *truth == word)
    }
}

/// Turns the labels that occur into classes.
///
/// If every label is a class's name, that is what they are; otherwise whole numbers are positions
/// of columns, and `true` and `false` are classes 1 and 0. Where the columns have no names, as many
/// labels as there are columns are the classes in sorted order. With a single column, any two labels
/// will do: the one the column is named after, or else the second in sorted order, is class 1.
///
/// # Errors
/// A label that no rule can read together with the others.
pub fn read(found: &[Label], classes: &ClassColumns<'_>) -> Result<Reading> {
    match *classes {
        ClassColumns::Named(names) => many(found, names),
        ClassColumns::One(name) => single::read(found, name),
        ClassColumns::Unnamed(count) => {
            let names: Vec<String> = (0..count).map(|class| class.to_string()).collect();
            many(found, &names).or_else(|error| sorted(found, count).ok_or(error))
        }
    }
}

/// Labels of as many classes as there are columns.
fn many(found: &[Label], names: &[String]) -> Result<Reading> {
    let count = names.len();
    let by_name: Vec<Option<usize>> = found.iter().map(|label| label.named(names)).collect();
    let by_position: Vec<Option<usize>> = found.iter().map(|label| label.position(count)).collect();
    let mut readings = vec![(Rule::Names, by_name), (Rule::Positions, by_position)];
    if count == 2 {
        readings.push((Rule::Truth, found.iter().map(Label::truth).collect()));
    }
    for (rule, reading) in &readings {
        if let Some(codes) = reading.iter().copied().collect::<Option<Vec<usize>>>() {
            // Named 1, 2, 3 and labelled 0, 1, 2: read as asked, but it may well be a mistake.
            let doubtful =
                *rule == Rule::Positions && names.iter().all(|name| name.parse::<u64>().is_ok());
            let remark = doubtful.then(|| {
                format!("labels: taken as positions of columns, so label 0 is class {}", names[0])
            });
            return Ok(Reading { codes, classes: names.to_vec(), rule: *rule, remark });
        }
    }
    // The reading that explains the most rows is the one whose exception helps the most.
    let unexplained = |reading: &[Option<usize>]| -> usize {
        let pairs = reading.iter().zip(found);
        pairs.filter(|(code, _)| code.is_none()).map(|(_, label)| label.count).sum()
    };
    let best = readings.iter().min_by_key(|(_, reading)| unexplained(reading));
    let culprit =
        best.and_then(|(_, reading)| reading.iter().position(Option::is_none)).unwrap_or(0);
    let Label { text, row, .. } = &found[culprit];
    Err(Error::UnknownLabel { row: *row, value: text.clone(), classes: names.to_vec() })
}

/// As many labels as columns: then they are the classes, in the order in which classifiers sort
/// them.
fn sorted(found: &[Label], count: usize) -> Option<Reading> {
    if found.len() != count {
        return None;
    }
    let mut order: Vec<&Label> = found.iter().collect();
    order.sort_by(|one, other| one.sorts(other));
    let place = |label: &Label| order.partition_point(|one| one.sorts(label).is_lt());
    let codes = found.iter().map(place).collect();
    let classes: Vec<String> = order.iter().map(|label| label.text.clone()).collect();
    let remark = format!("labels: the columns are taken as {}, in sorted order", listed(&classes));
    Some(Reading { codes, rule: Rule::Sorted, remark: Some(remark), classes })
}

#[cfg(test)]
mod tests;
