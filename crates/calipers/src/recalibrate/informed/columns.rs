//! Columns for trees to ask about: the probabilities of f, and the features.

use std::borrow::Cow;
use std::collections::HashMap;

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::statistics::Statistics;
use crate::data::{FeatureRows, Features, Kind, MISSING, Sample, Values, number_cell};
use crate::error::{Error, Result};
use crate::numeric::borders;
use crate::recalibrate::boost::MOST_BORDERS;

/// The most borders of a probability.
const BORDERS: usize = 31;

/// Categories of no more levels than this are asked for one by one.
const ONE_BY_ONE: usize = 8;

/// Categories of more have a statistic for each of so many classes at the most, the most frequent.
const MOST_STATISTICS: usize = 8;

/// What trees ask about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Columns {
    classes: usize,
    features: Vec<Known>,
    columns: Vec<Column>,
}

/// A feature as it was when g was learnt.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    name: String,
    numeric: bool,
}

/// One question's worth of f or of a feature.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Column {
    /// The probability of a class.
    Probability { class: usize, borders: Vec<f64> },
    /// A number.
    Number { feature: usize, borders: Vec<f64> },
    /// Whether a category is of a level, or missing.
    Level { feature: usize, level: Option<String> },
    /// What the g of f alone leaves over of a class among rows of the same level.
    Statistic { feature: usize, statistics: Statistics, borders: Vec<f64> },
}

impl Columns {
    /// Lays borders and takes statistics, and says where the rows lie. `start` is what the g of f alone says of
    /// each row.
    pub fn fit(
        sample: &Sample,
        features: &FeatureRows,
        start: &[f64],
        seed: u64,
    ) -> (Self, Vec<u8>) {
        let table = features.table();
        let known = table.columns().iter().map(|column| Known {
            name: column.name.clone(),
            numeric: matches!(column.values, Values::Numbers(_)),
        });
        let mut found: Vec<(Column, Vec<u8>)> = Vec::new();
        let first = if sample.classes() == 2 { 1 } else { 0 };
        for class in first..sample.classes() {
            let values = || sample.probs().column(class).to_vec();
            let borders = borders::choose(values(), BORDERS);
            let bins = values().iter().map(|&value| borders::bin(&borders, value)).collect();
            found.push((Column::Probability { class, borders }, bins));
        }
        for (feature, column) in table.columns().iter().enumerate() {
            let cells = &table.grid().columns[feature];
            let own = features.rows_of(feature);
            match (&column.values, &cells.kind) {
                (Values::Numbers(_), Kind::Number { borders }) => {
                    let bins = own.iter().map(|&row| cells.of_row[row as usize]).collect();
                    found.push((Column::Number { feature, borders: borders.clone() }, bins));
                }
                (Values::Categories { levels, codes }, _) => {
                    let own: Vec<u32> = own.iter().map(|&row| codes[row as usize]).collect();
                    found.extend(categories(sample, feature, levels, &own, start, seed));
                }
                _ => {}
            }
        }
        let mut bins = vec![0; found.len() * sample.rows()];
        for (row, bins) in bins.chunks_exact_mut(found.len().max(1)).enumerate() {
            bins.iter_mut().zip(&found).for_each(|(bin, (_, own))| *bin = own[row]);
        }
        let columns = found.into_iter().map(|(column, _)| column).collect();
        (Self { classes: sample.classes(), features: known.collect(), columns }, bins)
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// How many borders each column has.
    pub fn borders(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|column| match column {
            Column::Probability { borders, .. }
            | Column::Number { borders, .. }
            | Column::Statistic { borders, .. } => borders.len(),
            Column::Level { .. } => 1,
        })
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The features' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(|feature| feature.name.as_str())
    }

    /// Where rows lie, column after column of each.
    ///
    /// # Errors
    /// A feature that is not there, or of another kind than it was.
    pub fn bins(&self, f: ArrayView2<'_, f64>, features: &FeatureRows) -> Result<Vec<u8>> {
        let table = features.table();
        if features.count() != f.nrows() {
            let (what, expected, found) = ("rows of features", f.nrows(), features.count());
            return Err(Error::Length { what, expected, found });
        }
        let places = self.features.iter().map(|known| known.place(table));
        let places: Vec<usize> = places.collect::<Result<_>>()?;
        let width = self.count();
        let mut bins = vec![0; width * f.nrows()];
        for (at, column) in self.columns.iter().enumerate() {
            let mut to = bins.iter_mut().skip(at).step_by(width);
            let mut write = |bin: u8| {
                if let Some(to) = to.next() {
                    *to = bin;
                }
            };
            let feature = match column {
                Column::Probability { class, borders } => {
                    let values = f.column(*class);
                    values.iter().for_each(|&value| write(borders::bin(borders, value)));
                    continue;
                }
                Column::Number { feature, .. }
                | Column::Level { feature, .. }
                | Column::Statistic { feature, .. } => places[*feature],
            };
            let rows = features.rows_of(feature).iter().map(|&row| row as usize);
            match (column, &table.columns()[feature].values) {
                (Column::Number { borders, .. }, Values::Numbers(values)) => {
                    rows.for_each(|row| write(number_cell(borders, values[row])));
                }
                (Column::Level { level, .. }, Values::Categories { levels, codes }) => {
                    let code = match level {
                        None => Some(MISSING),
                        Some(level) => code_of(levels, level),
                    };
                    rows.for_each(|row| write(u8::from(Some(codes[row]) == code)));
                }
                (
                    Column::Statistic { statistics, borders, .. },
                    Values::Categories { levels, codes },
                ) => {
                    let of_code: Vec<u8> = levels
                        .iter()
                        .map(|level| borders::bin(borders, statistics.of(Some(level))))
                        .collect();
                    let missing = borders::bin(borders, statistics.of(None));
                    rows.for_each(|row| {
                        let code = codes[row];
                        write(if code == MISSING { missing } else { of_code[code as usize] });
                    });
                }
                _ => {}
            }
        }
        Ok(bins)
    }

    /// Whether loaded parameters fit together.
    pub fn is_sound(&self) -> bool {
        let laid = |borders: &[f64]| {
            borders.len() <= MOST_BORDERS
                && borders.is_sorted_by(|a, b| a < b)
                && borders.iter().all(|border| border.is_finite())
        };
        let numeric = |feature: &usize| self.features.get(*feature).map(|known| known.numeric);
        self.classes >= 2
            && self.columns.iter().all(|column| match column {
                Column::Probability { class, borders } => *class < self.classes && laid(borders),
                Column::Number { feature, borders } => {
                    numeric(feature) == Some(true) && laid(borders)
                }
                Column::Level { feature, .. } => numeric(feature) == Some(false),
                Column::Statistic { feature, statistics, borders } => {
                    numeric(feature) == Some(false) && laid(borders) && statistics.are_sound()
                }
            })
    }
}

impl Known {
    /// The feature's place in a table.
    fn place(&self, table: &Features) -> Result<usize> {
        let refused = |reason: &str| {
            let (name, reason) = (self.name.clone(), reason.to_owned());
            Err(Error::Feature { name, reason })
        };
        let Some(place) = table.place(&self.name) else {
            return refused("it was learnt from, and is not there");
        };
        match (self.numeric, &table.columns()[place].values) {
            (true, Values::Categories { .. }) => refused("it was a number, and is a category here"),
            (false, Values::Numbers(_)) => refused("it was a category, and is a number here"),
            _ => Ok(place),
        }
    }
}

fn code_of(levels: &[String], wanted: &str) -> Option<u32> {
    levels.iter().position(|level| level == wanted).map(|place| place as u32)
}

/// The columns of a category: a question for each level, or a statistic for each class.
fn categories<'s>(
    sample: &'s Sample,
    feature: usize,
    levels: &'s [String],
    codes: &'s [u32],
    start: &'s [f64],
    seed: u64,
) -> Vec<(Column, Vec<u8>)> {
    let name = |code: u32| levels.get(code as usize).cloned();
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    codes.iter().for_each(|&code| *sizes.entry(code).or_default() += 1);
    let mut present: Vec<u32> = sizes.keys().copied().collect();
    present.sort_unstable();
    if present.len() <= ONE_BY_ONE {
        // Of two levels the one says all of the other.
        let asked = if present.len() == 2 { &present[1..] } else { &present[..] };
        let one = |&wanted: &u32| {
            let bins = codes.iter().map(|&code| u8::from(code == wanted)).collect();
            (Column::Level { feature, level: name(wanted) }, bins)
        };
        return asked.iter().map(one).collect();
    }
    let classes: Cow<'_, [usize]> = match sample.classes() {
        2 => Cow::Borrowed(&[1]),
        _ => Cow::Owned(frequent(sample)),
    };
    let one = |&class: &usize| {
        let (statistics, own) = Statistics::take(sample, levels, codes, start, class, seed);
        let borders = borders::choose(own.clone(), BORDERS);
        let bins = own.iter().map(|&value| borders::bin(&borders, value)).collect();
        (Column::Statistic { feature, statistics, borders }, bins)
    };
    classes.iter().map(one).collect()
}

/// The most frequent classes.
fn frequent(sample: &Sample) -> Vec<usize> {
    let mut weights = vec![0.0; sample.classes()];
    for (row, &label) in sample.labels().iter().enumerate() {
        weights[label as usize] += sample.weight(row);
    }
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    order.truncate(MOST_STATISTICS);
    order
}
