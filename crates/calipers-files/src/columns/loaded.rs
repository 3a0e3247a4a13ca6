//! Predictions with what was observed.

use calipers::{Folds, Predictions};

use super::cells::{fold_ids, times, words};
use super::choose::{Choice, choose};
use super::classes::class_columns;
use super::sums::check_sums;
use super::{Columns, FeatureColumns, checked, feature, labels, locate, no_rows, score};
use crate::error::{Error, Result};
use crate::table::Table;
use crate::words::shortened;

/// What was read: predictions, and folds if the file has them.
///
/// ```
/// use calipers_files::{Columns, Loaded, read};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// std::fs::write(&file, "animal,p_cat,p_dog,part\ncat,0.75,0.25,a\ndog,0.5,0.5,b\n")?;
/// let columns = Columns::new().label("animal").fold("part");
/// let guessed = std::cell::RefCell::new(Vec::new());
/// let say = |line: &str| guessed.borrow_mut().push(line.to_owned());
/// let loaded = Loaded::of(read(&file, &columns.wanted())?, &columns, &say)?;
/// assert_eq!(loaded.predictions.class_names(), ["cat", "dog"]);
/// assert!(loaded.folds.is_some());
/// assert_eq!(*guessed.borrow(), ["p_cat -> P(cat), p_dog -> P(dog); labels: animal; fold: part"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Loaded {
    /// The predictions with everything known about their rows.
    pub predictions: Predictions<'static>,
    /// The folds, if the file gave them.
    pub folds: Option<Folds>,
    /// The columns of the predictions.
    pub scores: Vec<String>,
    /// Whether they are logits.
    pub logits: bool,
}

impl Loaded {
    /// Picks the columns of a table and makes predictions of them; `say` is told what was guessed.
    ///
    /// # Errors
    /// A column is missing or asked for twice; what is in a cell is wrong, with its place.
    pub fn of(mut table: Table, asked: &Columns, say: &dyn Fn(&str)) -> Result<Self> {
        let choice = choose(&table, asked)?;
        check_lengths(&table, &choice)?;
        let mut scores =
            score::take(&mut table, &choice.scores, asked.classes.as_ref().map(Vec::len))?;
        let Table { source, columns } = &table;
        let label = &columns[choice.label];
        if !asked.renormalise {
            check_sums(source, &scores, &choice.scores)?;
        }
        let named = scores.named.as_deref();
        let classes = class_columns(scores.columns.len(), named, asked, &source.name)?;
        let options = scores.options.as_ref();
        if let Some(options) = options.filter(|_| asked.classes.is_none()) {
            options.check_numbers(label, source)?;
        }
        let labels =
            labels::resolve(&label.values, &classes, &|row| source.cell(row, &label.name))?;
        if let Some(options) = options {
            options.check_codes(&labels.codes, label, source)?;
        }
        let range = options.and_then(|options| options.range(scores.columns.len()));
        let origin = choice.origin(&table, &scores.columns).with("options", Vec::from_iter(range));
        if choice.is_guessed() {
            say(&shortened(&origin.line(&labels.classes)));
        }
        let f = checked::scores(&mut scores, &choice.scores, asked.renormalise, source)
            .map_err(|error| asked.explained(error))?;
        let mut predictions = f
            .with_labels(&labels.codes)
            .and_then(|labelled| labelled.with_class_names(labels.classes))
            .map_err(|error| locate::scores(error, source, &scores, &choice.scores))?
            .with_origin(origin);
        if let Some(weight) = choice.weight {
            let weight = &columns[weight];
            predictions = predictions
                .with_weights(checked::weights(weight, source)?)
                .map_err(|error| locate::weights(error, source, &weight.name))?;
        }
        if let Some(group) = choice.group {
            let group = &columns[group];
            let cells: Vec<String> = words(source, &group.name, &group.values, "group")?;
            predictions =
                predictions.with_groups(&cells).map_err(|error| locate::other(&error, source))?;
        }
        if let Some(cluster) = choice.cluster {
            let cluster = &columns[cluster];
            let cells: Vec<String> = words(source, &cluster.name, &cluster.values, "cluster")?;
            predictions =
                predictions.with_clusters(&cells).map_err(|error| locate::other(&error, source))?;
        }
        if let Some(time) = choice.time {
            let cells = times(source, &columns[time].name, &columns[time].values)?;
            predictions =
                predictions.with_times(&cells).map_err(|error| locate::other(&error, source))?;
        }
        let folds = choice.folds.map(|folds| &columns[folds]).map(|column| {
            let ids = fold_ids(source, &column.name, &column.values)?;
            Folds::from_ids(&ids).map_err(|error| locate::folds(error, source, &column.name))
        });
        let folds = folds.transpose()?;
        let scores = choice.scores.columns.iter().map(|&at| columns[at].name.clone()).collect();
        if !choice.features.is_empty() {
            let known = feature::take(&mut table, &choice.features)?;
            let all: Vec<String> = known.names().map(str::to_owned).collect();
            let others = asked.features == Some(FeatureColumns::Others);
            predictions = predictions
                .with_features(known)
                .map_err(|error| locate::features(error, &table.source, &all, others))?;
        }
        Ok(Self { predictions, folds, scores, logits: choice.scores.logits })
    }
}

/// Only an archive's arrays can differ in length, and rows must pair up.
pub fn check_lengths(table: &Table, choice: &Choice) -> Result<()> {
    let first = &table.columns[choice.label];
    let Some(rows) = first.values.rows() else { return Ok(()) };
    if rows == 0 {
        return Err(no_rows(table));
    }
    for column in choice.columns().map(|at| &table.columns[at]) {
        if let Some(other) = column.values.rows().filter(|&other| other != rows) {
            return Err(Error::input(format!(
                "{}: {} has {rows} rows, but {} has {other}",
                table.source.name, first.name, column.name
            )));
        }
    }
    Ok(())
}
