//! A batch of rows, checked.

use calipers::Probabilities;

use super::book::Book;
use super::keys::Keys;
use super::layout::Layout;
use super::lookup::Lookup;
use crate::columns::choose::Choice;
use crate::columns::{check_lengths, checked, score};
use crate::error::Result;
use crate::table::{Table, Values};

/// A batch of rows of one file, checked.
#[derive(Debug)]
pub struct Batch {
    /// Which file, from 0.
    pub file: usize,
    /// The number of the first row within the file, from 0.
    pub first: u64,
    /// The predictions.
    pub f: Probabilities<'static>,
    /// What was observed: codes of the scan's book of labels.
    pub labels: Vec<u32>,
    /// The weights, finite and not negative; in a batch, all of them may be zero.
    pub weights: Option<Vec<f64>>,
    /// The groups: codes of the scan's book of groups.
    pub groups: Option<Vec<u32>>,
    /// The folds: codes of the scan's book of folds.
    pub folds: Option<Vec<u32>>,
    /// What identifies the rows.
    pub keys: Option<Keys>,
}

impl Batch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }
}

/// What a thread knows of the books of a scan.
pub struct Lookups<'b> {
    labels: Lookup<'b>,
    groups: Lookup<'b>,
    folds: Lookup<'b>,
}

impl<'b> Lookups<'b> {
    /// Nothing is known yet.
    pub fn new(labels: &'b Book, groups: &'b Book, folds: &'b Book) -> Self {
        Self {
            labels: Lookup::new(labels, "label"),
            groups: Lookup::new(groups, "group"),
            folds: Lookup::new(folds, "fold"),
        }
    }

    fn settle(&mut self, file: usize) {
        for lookup in [&mut self.labels, &mut self.groups, &mut self.folds] {
            lookup.settle(file);
        }
    }
}

/// Makes a batch of a table, whose columns are where `choice` says.
pub fn batch(
    mut table: Table,
    file: usize,
    layout: &Layout,
    choice: &Choice,
    lookups: &mut Lookups<'_>,
) -> Result<Batch> {
    check_lengths(&table, choice)?;
    // The scores are taken out of the table, and one of them may be the key.
    let key = choice.key.map(|at| (at, copied(&table, at, choice)));
    let mut scores = score::take_of(&mut table, &choice.scores, layout.most_options())?;
    layout.check_classes(&scores, &table.source.name)?;
    let Table { source, mut columns } = table;
    let f = checked::scores(&mut scores, &choice.scores, layout.renormalise(), &source)
        .map_err(|error| layout.explained(error))?;
    layout.check_options(&scores, &columns[choice.label], &source)?;
    let labels = lookups.labels.codes(&columns[choice.label], &source)?;
    if let Some(options) = scores.options.as_ref().filter(|_| layout.is_ragged()) {
        lookups.labels.see_options(&labels, options.counts(), &source);
    }
    let weights = choice.weight.map(|at| checked::weights(&columns[at], &source)).transpose()?;
    let groups = choice.group.map(|at| lookups.groups.codes(&columns[at], &source)).transpose()?;
    let folds = choice.folds.map(|at| lookups.folds.codes(&columns[at], &source)).transpose()?;
    let keys = key.map(|(at, copied)| {
        let column = &mut columns[at];
        let own = std::mem::replace(&mut column.values, Values::Other(String::new()));
        Keys::of(copied.unwrap_or(own), &column.name, &source)
    });
    let keys = keys.transpose()?;
    lookups.settle(file);
    Ok(Batch { file, first: source.first(), f, labels, weights, groups, folds, keys })
}

/// The numbers of a column, if they are scores as well.
fn copied(table: &Table, at: usize, choice: &Choice) -> Option<Values> {
    match &table.columns[at].values {
        Values::Numbers(numbers) if choice.scores.columns.contains(&at) => {
            Some(Values::Numbers(numbers.clone()))
        }
        _ => None,
    }
}
