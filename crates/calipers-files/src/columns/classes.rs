//! The classes that labels can name.

use calipers::labels::ClassColumns;

use super::Columns;
use crate::error::{Error, Result};

/// What labels may name: the classes that were asked for, or else the columns.
///
/// There are `count` columns of predictions, which may be `named`; `name` is the file's.
pub fn class_columns<'a>(
    count: usize,
    named: Option<&'a [String]>,
    asked: &'a Columns,
    name: &str,
) -> Result<ClassColumns<'a>> {
    if asked.confidence {
        return match count {
            1 => Ok(ClassColumns::Correct),
            _ => Err(Error::input(format!(
                "{name}: a confidence is one number of a row, and there are {count}"
            ))
            .with_hint("--probs names the probabilities of classes")),
        };
    }
    match (&asked.classes, &asked.positive) {
        (Some(classes), _) if classes.len() == count.max(2) => Ok(ClassColumns::Given(classes)),
        (Some(classes), _) => Err(Error::input(format!(
            "{name}: --classes names {}, but there are {} classes",
            classes.len(),
            count.max(2)
        ))),
        (None, Some(positive)) if count == 1 => Ok(ClassColumns::One(Some(positive))),
        (None, Some(_)) => Err(Error::input(format!(
            "{name}: --positive-class is for a single column, and there are {count}"
        ))
        .with_hint("--classes names the class of each column")),
        (None, None) => Ok(match named.unwrap_or_default() {
            [one] => ClassColumns::One(Some(one)),
            [] => ClassColumns::Unnamed(count),
            many => ClassColumns::Named(many),
        }),
    }
}
