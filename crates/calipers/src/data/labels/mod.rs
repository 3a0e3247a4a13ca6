//! What labels mean: one rule for files and arrays.
//!
//! ```text
#![doc = include_str!("rules.txt")]
//! ```
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

mod correct;
mod meaning;
mod names;
mod single;

use std::cmp::Ordering;

use crate::error::{Error, Result};
use crate::words::listed;

pub use names::{class_names, prefix};

/// The rules in words, as lines of at most 80 letters.
///
/// ```
/// assert!(calipers::labels::RULES.lines().all(|line| line.chars().count() <= 80));
/// ```
pub const RULES: &str = include_str!("rules.txt");

/// The columns of the classes that labels can name.
#[derive(Debug, Clone, Copy)]
pub enum ClassColumns<'a> {
    /// One a column, by the columns' names.
    Named(&'a [String]),
    /// One a column, by names that somebody gave for the columns in their order.
    Given(&'a [String]),
    /// This many columns, of which nobody said which is which.
    Unnamed(usize),
    /// Two, of which the second has a column, of this name if it has one.
    One(Option<&'a str>),
    /// Two, of which the second has a column: how sure something was of an answer. Labels say whether it was right.
    Correct,
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
    /// A label is the name of its class, or means the same.
    Names,
    /// A label is the position of its class's column, and the first of them is this number.
    Positions(usize),
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

    /// The whole number that it means, if it does.
    fn whole(&self) -> Option<f64> {
        meaning::number(&self.text).filter(|number| number.fract().abs() <= 0.0)
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

    /// Whether it is a word for yes or no.
    fn is_truth(&self) -> bool {
        self.number.is_none() && meaning::number(&self.text).is_some()
    }
}

/// Turns the labels that occur into classes, by the [`RULES`].
///
/// # Errors
/// A label that no rule can read together with the others, or labels that two rules read in two ways.
pub fn read(found: &[Label], columns: &ClassColumns<'_>) -> Result<Reading> {
    match *columns {
        ClassColumns::Named(names) => with_names(found, names, false),
        ClassColumns::Given(names) => with_names(found, names, true),
        ClassColumns::One(name) => single::read(found, name),
        ClassColumns::Correct => correct::read(found),
        ClassColumns::Unnamed(count) => without_names(found, count),
    }
}

/// Labels of columns that have names, or were given names, whose order is that of the columns then.
fn with_names(found: &[Label], names: &[String], given: bool) -> Result<Reading> {
    let short = class_names(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // As they are, or without what they share: `p_1` may be labelled `p_1` or 1.
    for names in [names, &short] {
        let codes: Option<Vec<usize>> =
            found.iter().map(|label| meaning::named(&label.text, names)).collect();
        if let Some(codes) = codes {
            let (classes, rule) = (names.to_vec(), Rule::Names);
            return Ok(Reading { codes, classes, rule, remark: None });
        }
    }
    let numbered = short.iter().all(|name| meaning::number(name).is_some());
    if numbered {
        return Err(unknown(found, &short));
    }
    let Some(first) = positions(found, short.len())? else { return Err(unknown(found, &short)) };
    let mut sorted: Vec<String> = short.iter().map(|name| name.to_lowercase()).collect();
    sorted.sort_unstable();
    if !given && short.iter().zip(&sorted).any(|(name, sorted)| name.to_lowercase() != *sorted) {
        return Err(Error::AmbiguousLabels {
            one: format!("{first} may be {}, as the columns are ordered", short[0]),
            other: format!("{}, as their names are sorted", sorted[0]),
        });
    }
    Ok(by_position(found, short, first))
}

/// Labels of columns without names.
fn without_names(found: &[Label], count: usize) -> Result<Reading> {
    let numbers = |first: usize| (first..first + count).map(|class| class.to_string()).collect();
    let truths = count == 2 && found.iter().all(Label::is_truth);
    // Classifiers sort what is text by its letters, also where it looks like numbers.
    let written = |label: &Label| label.number.is_none() && label.whole().is_some();
    if count > 9 && found.iter().any(written) {
        return Err(Error::AmbiguousLabels {
            one: "10 may come after 9, as numbers do".to_owned(),
            other: "after 1, as texts do".to_owned(),
        });
    }
    match positions(found, count) {
        Ok(Some(first)) if !truths => {
            let reading = by_position(found, numbers(first), first);
            let remark = (first > 0).then(|| in_order(&reading.classes));
            Ok(Reading { remark, ..reading })
        }
        // Words for yes and no, in the order in which they are sorted as well.
        Ok(Some(_)) if found.len() < 2 => {
            let classes = ["false", "true"].map(str::to_owned).to_vec();
            Ok(Reading { rule: Rule::Truth, ..by_position(found, classes, 0) })
        }
        Ok(_) => {
            let reading = sorted(found, count);
            let reading = reading.ok_or_else(|| unknown(found, &numbers(0)))?;
            Ok(
                match truths && reading.classes.iter().any(|name| name.eq_ignore_ascii_case("true"))
                {
                    true => Reading { rule: Rule::Truth, remark: None, ..reading },
                    false => reading,
                },
            )
        }
        Err(ambiguous) => Err(ambiguous),
    }
}

/// The number of the first column if labels are positions: 0, or 1; none if they cannot be.
///
/// # Errors
/// They can be both. 0 and 1 are the labels of two classes everywhere, and so are not in doubt.
fn positions(found: &[Label], count: usize) -> Result<Option<usize>> {
    let within = |first: usize| {
        let range = first as f64..(first + count) as f64;
        found.iter().all(|label| label.whole().is_some_and(|number| range.contains(&number)))
    };
    match (within(0), within(1)) {
        (true, true) if count > 2 => Err(Error::AmbiguousLabels {
            one: "1 may be the first class, counted from 1".to_owned(),
            other: format!("the second, counted from 0: neither 0 nor {count} occurs"),
        }),
        (true, _) => Ok(Some(0)),
        (false, true) => Ok(Some(1)),
        (false, false) => Ok(None),
    }
}

fn by_position(found: &[Label], classes: Vec<String>, first: usize) -> Reading {
    let place = |label: &Label| label.whole().map_or(0, |number| number as usize - first);
    let codes = found.iter().map(place).collect();
    Reading { codes, classes, rule: Rule::Positions(first), remark: None }
}

/// The label that is none of the classes: of those that most rows explain, the first.
fn unknown(found: &[Label], names: &[String]) -> Error {
    let by_name = |label: &Label| meaning::named(&label.text, names).is_some();
    let inside = |label: &Label| {
        let number = label.whole();
        number.is_some_and(|number| (0.0..names.len() as f64).contains(&number))
    };
    let explained = |rule: &dyn Fn(&Label) -> bool| -> usize {
        found.iter().filter(|label| rule(label)).map(|label| label.count).sum()
    };
    let rule: &dyn Fn(&Label) -> bool =
        if explained(&by_name) >= explained(&inside) { &by_name } else { &inside };
    let culprit = found.iter().find(|label| !rule(label)).or(found.first());
    let (value, row) = culprit.map_or((String::new(), 0), |one| (one.text.clone(), one.row));
    Error::UnknownLabel { row, value, classes: names.to_vec() }
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
    let remark = Some(in_order(&classes));
    Some(Reading { codes, rule: Rule::Sorted, remark, classes })
}

fn in_order(classes: &[String]) -> String {
    format!("labels: the columns are taken as {}, in sorted order", listed(classes))
}

#[cfg(test)]
mod tests;
