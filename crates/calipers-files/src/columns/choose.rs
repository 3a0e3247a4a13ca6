//! Which column is what: as it was asked for, or by guess.

use std::collections::HashSet;

use calipers::Origin;
use calipers::labels::{class_names, prefix};
use calipers::words::listed;

use super::called::{is_label, is_never, is_probability, name};
use super::find::find;
use super::list::guess_list;
use super::spelling::{remedy, remedy_of_all};
use super::{Columns, FeatureColumns, FoldColumn, ScoreColumns};
use crate::error::{Error, Result};
use crate::table::{Column, Table, Values};

/// A column of which this share of the cells are probabilities is one with bad cells.
const NEARLY_ALL: f64 = 0.9;

/// The columns that are used, by their position in the table.
#[derive(Debug)]
pub struct Choice {
    /// The observed classes.
    pub label: usize,
    /// The probabilities or logits.
    pub scores: ScoreChoice,
    /// The weights.
    pub weight: Option<usize>,
    /// The groups.
    pub group: Option<usize>,
    /// Which rows belong together.
    pub cluster: Option<usize>,
    /// When rows were.
    pub time: Option<usize>,
    /// The folds.
    pub folds: Option<usize>,
    /// What identifies a row.
    pub key: Option<usize>,
    /// What else is known of a row.
    pub features: Vec<usize>,
    guessed_label: bool,
    guessed_features: bool,
}

/// The columns of the predictions.
#[derive(Debug)]
pub struct ScoreChoice {
    /// The probabilities or logits, by their position in the table.
    pub columns: Vec<usize>,
    /// The observed classes, if there are any: what they stand for is what the columns are of.
    pub label: Option<usize>,
    /// Whether they are logits.
    pub logits: bool,
    /// Whether they were guessed.
    pub guessed: bool,
}

/// Chooses the columns.
pub fn choose(table: &Table, asked: &Columns) -> Result<Choice> {
    if table.columns.is_empty() {
        return Err(super::no_rows(table));
    }
    let by_name = |name: &Option<String>| name.as_deref().map(|name| find(table, name)).transpose();
    let mut weight = by_name(&asked.weight)?;
    let mut group = by_name(&asked.group)?;
    let [cluster, time] = [by_name(&asked.cluster)?, by_name(&asked.time)?];
    let key = by_name(&asked.key)?;
    let mut fold = match &asked.folds {
        FoldColumn::Named(name) => Some(find(table, name)?),
        FoldColumn::Unsaid | FoldColumn::Drawn => None,
    };
    // The arrays of an archive say by their names what they are for.
    if table.source.is_archive() {
        let array = |name: &str| table.columns.iter().position(|column| column.name == name);
        weight = weight.or_else(|| array("weights"));
        group = group.or_else(|| array("groups"));
        if asked.folds == FoldColumn::Unsaid {
            fold = array("folds");
        }
    }
    let label = match by_name(&asked.label)? {
        Some(label) => label,
        None => guess_label(table)?,
    };
    let named = asked.features.iter().flat_map(FeatureColumns::names);
    let mut features = named.map(|name| find(table, name)).collect::<Result<Vec<usize>>>()?;
    let taken = [Some(label), weight, group, cluster, time, fold, key];
    let mut taken: Vec<usize> = taken.into_iter().flatten().chain(features.clone()).collect();
    taken.iter().try_for_each(|&at| check_mixture(table, at))?;
    let scores = choose_scores(table, asked.scores.as_ref(), Some(label), &taken)?;
    let guessed_features = asked.features == Some(FeatureColumns::Others);
    if guessed_features {
        taken.extend(&scores.columns);
        features = others(table, label, &taken)?;
    }
    let choice = Choice {
        label,
        scores,
        weight,
        group,
        cluster,
        time,
        folds: fold,
        key,
        features,
        guessed_label: asked.label.is_none(),
        guessed_features,
    };
    choice.check(table)?;
    Ok(choice)
}

/// Chooses the columns of the predictions; by guess, none that is the `label` or `taken`.
pub fn choose_scores(
    table: &Table,
    asked: Option<&ScoreColumns>,
    label: Option<usize>,
    taken: &[usize],
) -> Result<ScoreChoice> {
    if let Some(asked) = asked {
        let columns = asked.names().iter().map(|name| find(table, name)).collect::<Result<_>>()?;
        return Ok(ScoreChoice { columns, label, logits: asked.are_logits(), guessed: false });
    }
    let free = |at: usize| !taken.contains(&at) && Some(at) != label;
    let (columns, logits) = if table.source.is_archive() {
        guess_array(table)?
    } else {
        match guess_list(table, &free)? {
            Some(list) => (vec![list], false),
            None => (guess_probabilities(table, &free)?, false),
        }
    };
    Ok(ScoreChoice { columns, label, logits, guessed: true })
}

/// Refuses a column of one value a row in which something else is, such as an object.
fn check_mixture(table: &Table, at: usize) -> Result<()> {
    let Column { name, values } = &table.columns[at];
    match values {
        Values::Lists(lists) => match lists.fault() {
            Some((row, what)) => {
                Err(Error::input(format!("{}: {what}", table.source.cell(row, name))))
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

impl Choice {
    /// All columns that are used.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        let others = [self.weight, self.group, self.cluster, self.time, self.folds, self.key];
        let others = others.into_iter().flatten().chain(self.features.iter().copied());
        std::iter::once(self.label).chain(self.scores.columns.iter().copied()).chain(others)
    }

    /// A column serves one purpose; groups, clusters and folds may well be the same and be features, and any
    /// column may identify a row.
    fn check(&self, table: &Table) -> Result<()> {
        let others = [self.weight, self.group, self.cluster, self.time, self.folds];
        let mut seen = HashSet::from([self.label]);
        for &score in &self.scores.columns {
            if !seen.insert(score) || others.contains(&Some(score)) {
                return Err(twice(table, score));
            }
        }
        let feature = self.features.iter().copied().find(|&feature| !seen.insert(feature));
        match feature.or(others.into_iter().flatten().find(|&other| other == self.label)) {
            None => Ok(()),
            Some(other) => Err(twice(table, other)),
        }
    }

    /// Whether any of it was a guess.
    pub fn is_guessed(&self) -> bool {
        self.guessed_label || self.scores.guessed || self.guessed_features
    }

    /// What was chosen; the predictions are called by these names.
    pub fn origin(&self, table: &Table, scores: &[String]) -> Origin {
        let own = |column: usize| table.columns[column].name.clone();
        let mut origin = Origin::new(own(self.label), scores, self.scores.logits);
        for (what, column) in [
            ("weight", self.weight),
            ("group", self.group),
            ("cluster", self.cluster),
            ("time", self.time),
            ("fold", self.folds),
            ("key", self.key),
        ] {
            origin = origin.with(what, column.map(own).into_iter().collect());
        }
        let origin = origin.with("features", self.features.iter().map(|&at| own(at)).collect());
        let used: HashSet<usize> = self.columns().collect();
        // The class names of an archive are no choice: there is only one place for them.
        let named = |at: usize| table.source.is_archive() && table.columns[at].name == "classes";
        let ignored = (0..table.columns.len()).filter(|&at| !used.contains(&at) && !named(at));
        origin.with("ignored", ignored.map(own).collect())
    }
}

impl ScoreChoice {
    /// What was chosen, in a few words.
    pub fn said(&self, table: &Table) -> String {
        let kind = if self.logits { "logits" } else { "probabilities" };
        format!("{kind}: {}", names(table, &self.columns))
    }
}

fn names(table: &Table, columns: &[usize]) -> String {
    listed(&columns.iter().map(|&column| name(table, column)).collect::<Vec<_>>())
}

fn twice(table: &Table, column: usize) -> Error {
    let name = &table.columns[column].name;
    Error::input(format!("{}: column {name:?} is asked for twice", table.source.name))
}

/// Every column of numbers or of text that is nothing else, with a row for each label.
fn others(table: &Table, label: usize, taken: &[usize]) -> Result<Vec<usize>> {
    let rows = table.columns[label].values.rows();
    let usable = |&at: &usize| {
        let values = &table.columns[at].values;
        let names = table.source.is_archive() && table.columns[at].name == "classes";
        matches!(values, Values::Numbers(_) | Values::Text(_)) && values.rows() == rows && !names
    };
    let free = (0..table.columns.len()).filter(|at| !taken.contains(at));
    let found: Vec<usize> = free.filter(usable).collect();
    if found.is_empty() {
        let name = &table.source.name;
        return Err(Error::input(format!(
            "{name}: no column is left to be a feature: each is something else already"
        ))
        .with_hint("if features were taken for probabilities, --probs names the right ones"));
    }
    Ok(found)
}

/// The column of the labels, by its name.
pub fn guess_label(table: &Table) -> Result<usize> {
    let found: Vec<&Column> = table.columns.iter().filter(|column| is_label(column)).collect();
    match found.as_slice() {
        [] => {}
        [only] => return find(table, &only.name),
        [first, second, ..] if first.name == second.name => return find(table, &first.name),
        [first, second, ..] => {
            return Err(Error::input(format!(
                "{}: {} or {} may be the column of what was observed",
                table.source.name, first.name, second.name
            ))
            .with_hint("--label names the right one"));
        }
    }
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let hint = if !names.is_empty() && names.iter().all(|name| name.parse::<f64>().is_ok()) {
        "the first line must name the columns"
    } else {
        "name the column of the observed classes with --label"
    };
    Err(Error::input(format!(
        "{}: no column is named label, y, y_true or target; the columns are {}",
        table.source.name,
        listed(&names)
    ))
    .with_hint(hint))
}

fn guess_array(table: &Table) -> Result<(Vec<usize>, bool)> {
    for (name, logits) in [("probs", false), ("logits", true)] {
        if let Some(at) = table.columns.iter().position(|column| column.name == name) {
            return Ok((vec![at], logits));
        }
    }
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    Err(Error::input(format!(
        "{}: no array is named probs or logits; the arrays are {}",
        table.source.name,
        listed(&names)
    ))
    .with_hint("name the array with --probs or --logits"))
}

/// Every free column of numbers from 0 to 1.
fn guess_probabilities(table: &Table, free: &dyn Fn(usize) -> bool) -> Result<Vec<usize>> {
    let free = |&at: &usize| {
        // What was predicted is often called as what was observed.
        let label = is_label(&table.columns[at]) && is_decided(&table.columns[at].values);
        free(at) && !is_never(table, at) && !label
    };
    let (chosen, left): (Vec<usize>, Vec<usize>) = (0..table.columns.len())
        .filter(free)
        .partition(|&at| share_of_probabilities(&table.columns[at].values) >= 1.0);
    let named = |at: usize| table.columns[at].name.as_str();
    let related = |at: usize| {
        let family = |&other: &usize| class_names(&[named(other), named(at)])[0] != named(other);
        match chosen.is_empty() {
            true => prefix(named(at)).is_some(),
            false => chosen.iter().any(family),
        }
    };
    // p_0 without p_1, because of one bad cell there, would be measured as something it is not;
    // and without either, the bad cell is the reason.
    let nearly = |at: usize| share_of_probabilities(&table.columns[at].values) >= NEARLY_ALL;
    let broken = left.iter().find(|&&at| nearly(at) || related(at));
    if let Some(rows) = table.columns.first().and_then(|column| column.values.rows())
        && rows == 0
    {
        return Err(super::no_rows(table));
    }
    // Where there is nothing to be had, a number that is one to people alone was meant.
    let spelt = || left.iter().find(|at| is_spelt(&table.columns[**at].values));
    match broken.or_else(|| if chosen.is_empty() { spelt() } else { None }) {
        Some(&broken) => Err(broken_probability(table, broken)),
        None if chosen.is_empty() => Err(Error::input(format!(
            "{}: no column holds probabilities: numbers from 0 to 1",
            table.source.name
        ))
        .with_hint("if they are logits, name them with --logits")),
        None => Ok(chosen),
    }
}

/// Whether a column is all zeros and ones, or words.
fn is_decided(values: &Values) -> bool {
    match values {
        Values::Numbers(numbers) => numbers.iter().all(|number| [0.0, 1.0].contains(number)),
        _ => true,
    }
}

/// The share of the cells that are there which are probabilities.
fn share_of_probabilities(values: &Values) -> f64 {
    let (good, given) = match values {
        Values::Numbers(numbers) => {
            let given = numbers.iter().filter(|number| !number.is_nan());
            let good = numbers.iter().filter(|&&number| is_probability(number));
            (good.count(), given.count())
        }
        Values::Text(text) => {
            let number = |cell: &str| cell.parse::<f64>().is_ok_and(is_probability);
            let good = text.iter().filter(|cell| number(cell));
            // Text that is all numbers would have been read as such: something is wrong with it.
            (good.count(), text.iter().filter(|cell| !cell.is_empty()).count())
        }
        Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => (0, 1),
    };
    if given == 0 { 0.0 } else { good as f64 / given as f64 }
}

/// Whether a column begins with a number as people write it: `12.5%`, `0,125`.
fn is_spelt(values: &Values) -> bool {
    let Values::Text(text) = values else { return false };
    text.iter().next().and_then(remedy).is_some()
}

/// Says what is wrong with a column that is called a probability and holds something else.
fn broken_probability(table: &Table, at: usize) -> Error {
    let Column { name, values } = &table.columns[at];
    let what = "probability";
    let error = match values {
        Values::Numbers(numbers) => {
            let outside = |number: &f64| !is_probability(*number);
            let row = numbers.iter().position(outside).unwrap_or(0);
            let value = numbers.get(row).copied().unwrap_or(f64::NAN);
            let reason = match value {
                value if value.is_nan() => format!("the {what} is missing"),
                value => format!("{what} {value} is not between 0 and 1"),
            };
            Error::input(format!("{}: {reason}", table.source.cell(row, name)))
                .with_any_hint(remedy_of_all(numbers))
        }
        Values::Text(text) => super::cells::not_a_number(&table.source, name, text, what),
        Values::Matrix(_) | Values::Lists(_) | Values::Other(_) => {
            super::cells::wrong_kind(&table.source, name, values, what)
        }
    };
    if error.hint().is_some() {
        return error;
    }
    error.with_hint("name the columns with --probs, or with --logits if that is what they are")
}
