//! Which column is what, the same in every file.

use std::collections::BTreeSet;

use calipers::Origin;
use calipers::labels::ClassColumns;

use super::constant::add_partitions;
use super::inputs::Inputs;
use crate::columns::choose::{Choice, choose};
use crate::columns::classes::class_columns;
use crate::columns::score::{self, Scores};
use crate::columns::sums::check_sums;
use crate::columns::{Columns, FeatureColumns, FoldColumn, ScoreColumns, check_lengths, paired};
use crate::error::{Error, Result};
use crate::formats::npz;
use crate::table::{Column, Source, Table, Values};

/// Which column is what, the same in every file: as it was asked for, or as it was guessed of the first
/// file that has rows.
///
/// ```
/// use calipers_files::{Columns, Inputs, Layout};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// std::fs::write(&file, "animal,p_cat,p_dog,site\ncat,0.75,0.25,a\ndog,0.5,0.5,b\n")?;
/// let inputs = Inputs::find(&[file])?;
/// let layout = Layout::of(&inputs, &Columns::new().label("animal").group("site"))?;
/// assert_eq!((layout.label(), layout.group()), ("animal", Some("site")));
/// assert_eq!(layout.scores(), ["p_cat", "p_dog"]);
/// assert!(layout.is_guessed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Layout {
    /// Everything by its name.
    columns: Columns,
    /// The columns of the predictions; in an archive, one for all classes.
    scores: Vec<String>,
    /// What each column of predictions is called if it has a name of its own, in an archive too.
    named: Option<Vec<String>>,
    /// How many columns of predictions there are.
    count: usize,
    origin: Origin,
    /// Whether the predictions are lists, of which some may be shorter than others.
    lists: bool,
    /// The names that the numbers of the labels stand for.
    label_names: Option<Vec<String>>,
    guessed: bool,
    guessed_scores: bool,
    /// The file that was looked at.
    first: String,
    /// All columns of that file.
    all: BTreeSet<String>,
}

impl Layout {
    /// Looks at the beginning of the first file that has rows, at most 65,536 of them, and chooses the
    /// columns. Of what was guessed, [`origin`](Self::origin) says what it was.
    ///
    /// # Errors
    /// There are no rows, a column is not there, or the predictions cannot be guessed.
    pub fn of(inputs: &Inputs, asked: &Columns) -> Result<Self> {
        let arrays = (0..inputs.len()).find(|&file| npz::is_one(inputs.path(file)));
        let asked = &match arrays {
            Some(array) if inputs.len() > 1 => {
                let name = inputs.name(array);
                return Err(Error::input(format!("{name}: NPY files are read one at a time"))
                    .with_hint("write .npz, which holds predictions and labels"));
            }
            Some(array) => paired(inputs.path(array), asked)?,
            None => asked.clone(),
        };
        let wanted = asked.wanted();
        for file in 0..inputs.len() {
            let mut opened = inputs.open(file, &wanted)?;
            for part in 0..opened.shape().parts {
                for piece in opened.pieces(part)? {
                    let mut table = piece?.table;
                    if table.rows() > 0 {
                        let names = asked.singles().map(String::as_str);
                        add_partitions(&mut table, names, inputs.partitions(file));
                        return Self::chosen(table, asked, inputs, file);
                    }
                }
            }
        }
        Err(no_rows(inputs))
    }

    fn chosen(mut table: Table, asked: &Columns, inputs: &Inputs, file: usize) -> Result<Self> {
        let choice = choose(&table, asked)?;
        let partitions = inputs.partitions(file);
        let label_names = inputs.class_names(file, &table.columns[choice.label].name);
        // What a dataset calls its classes is what its lists are of; columns have names of their own.
        let lists = choice.scores.columns.iter().any(|&at| {
            matches!(table.columns[at].values, Values::Lists(_)) && asked.classes.is_none()
        });
        let asked = &match label_names.filter(|_| lists) {
            Some(names) => asked.clone().classes(names),
            None => asked.clone(),
        };
        check_lengths(&table, &choice)?;
        let found = score::take(&mut table, &choice.scores, asked.classes.as_ref().map(Vec::len))?;
        if !asked.renormalise {
            check_sums(&table.source, &found, &choice.scores)?;
        }
        let own = table.columns.iter().map(|column| &column.name);
        let all = own.chain(partitions.iter().map(|(name, _)| name)).cloned().collect();
        let own = |at: usize| table.columns[at].name.clone();
        let scores: Vec<String> = choice.scores.columns.iter().map(|&at| own(at)).collect();
        // Rows that are yet to come may have fewer.
        let most = found.options.as_ref().map(|_| format!("up to {}", found.columns.len()));
        let origin = choice.origin(&table, &found.columns).with("options", Vec::from_iter(most));
        let layout = Self {
            columns: named(&choice, asked, scores.clone(), own),
            scores,
            count: found.columns.len(),
            origin,
            lists: found.options.is_some(),
            guessed: choice.is_guessed(),
            guessed_scores: choice.scores.guessed,
            first: table.source.name.clone(),
            label_names: label_names.map(<[String]>::to_vec),
            named: found.named,
            all,
        };
        layout.class_columns()?;
        Ok(layout)
    }

    /// Whether the predictions are logits.
    pub fn logits(&self) -> bool {
        self.origin.logits
    }

    /// The columns of the predictions: one a class, one alone, or an archive's matrix.
    pub fn scores(&self) -> &[String] {
        &self.scores
    }

    /// How many columns of predictions there are, those of an archive's matrix included.
    pub fn score_columns(&self) -> usize {
        self.count
    }

    /// The column of the observed classes.
    pub fn label(&self) -> &str {
        &self.origin.labels
    }

    /// The column of the weights.
    pub fn weight(&self) -> Option<&str> {
        self.columns.weight.as_deref()
    }

    /// The column of the groups.
    pub fn group(&self) -> Option<&str> {
        self.columns.group.as_deref()
    }

    /// The column of the folds.
    pub fn fold(&self) -> Option<&str> {
        match &self.columns.folds {
            FoldColumn::Named(name) => Some(name),
            FoldColumn::Unsaid | FoldColumn::Drawn => None,
        }
    }

    /// How many columns of what else is known of a row there are.
    pub fn features(&self) -> usize {
        self.columns.features.as_ref().map_or(0, |features| features.names().len())
    }

    /// The column that identifies a row.
    pub fn key(&self) -> Option<&str> {
        self.columns.key.as_deref()
    }

    /// How the files are understood, for a report.
    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }

    /// Whether any of it was a guess.
    pub fn is_guessed(&self) -> bool {
        self.guessed
    }

    /// What labels may name: the classes that were asked for, or else the columns.
    ///
    /// # Errors
    /// The classes that were asked for are not as many as the columns.
    pub fn class_columns(&self) -> Result<ClassColumns<'_>> {
        class_columns(self.count, self.named.as_deref(), &self.columns, &self.first)
    }

    /// The same columns, of which nothing is left to be guessed.
    pub fn to_columns(&self) -> Columns {
        self.columns.clone()
    }

    /// Whether rows of probabilities are divided by their sums.
    pub(super) fn renormalise(&self) -> bool {
        self.columns.renormalise
    }

    /// Whether the predictions were guessed: all columns matter then.
    pub(super) fn guessed_scores(&self) -> bool {
        self.guessed_scores
    }

    /// The file that was looked at, as messages name it.
    pub(super) fn first(&self) -> &str {
        &self.first
    }

    /// All columns of that file, and those of its folders.
    pub(super) fn all(&self) -> &BTreeSet<String> {
        &self.all
    }

    /// The names that the numbers of the labels of a file stand for.
    ///
    /// # Errors
    /// They are not those of the first file.
    pub(super) fn label_names(&self, inputs: &Inputs, file: usize) -> Result<Option<&[String]>> {
        let own = inputs.class_names(file, self.label());
        match own == self.label_names.as_deref() {
            true => Ok(self.label_names.as_deref()),
            false => Err(Error::input(format!(
                "{}: its labels do not stand for the classes that those of {} do",
                inputs.name(file),
                self.first
            ))),
        }
    }

    /// How many options a row may have, if the predictions are lists.
    pub(super) fn most_options(&self) -> Option<usize> {
        self.lists.then_some(self.count)
    }

    /// Refuses a label that is none of the options of its row.
    pub(super) fn check_options(
        &self,
        scores: &Scores,
        label: &Column,
        source: &Source,
    ) -> Result<()> {
        let Some(options) = &scores.options else { return Ok(()) };
        match (&self.columns.classes, options.range(self.count)) {
            (_, None) => Ok(()),
            (Some(classes), Some(_)) => options.check_words(label, classes, source),
            (None, Some(_)) => options.check_numbers(label, source).and_then(|()| {
                options.check_words(label, self.named.as_deref().unwrap_or_default(), source)
            }),
        }
    }

    /// Refuses the predictions of another file that are of other classes: only the matrices of archives
    /// can be, which have no name a column.
    pub(super) fn check_classes(&self, scores: &Scores, name: &str) -> Result<()> {
        let count = scores.columns.len();
        if count != self.count {
            return Err(Error::input(format!(
                "{name}: there are {count} columns of predictions, but {} has {}",
                self.first, self.count
            )));
        }
        if scores.named != self.named {
            return Err(Error::input(format!(
                "{name}: its classes are not those of {}, in the same order",
                self.first
            )));
        }
        Ok(())
    }
}

/// What was chosen, everything by its name.
fn named(
    choice: &Choice,
    asked: &Columns,
    scores: Vec<String>,
    own: impl Fn(usize) -> String,
) -> Columns {
    Columns {
        label: Some(own(choice.label)),
        scores: Some(match choice.scores.logits {
            true => ScoreColumns::Logits(scores),
            false => ScoreColumns::Probs(scores),
        }),
        weight: choice.weight.map(&own),
        group: choice.group.map(&own),
        cluster: choice.cluster.map(&own),
        time: choice.time.map(&own),
        folds: choice.folds.map_or(FoldColumn::Drawn, |at| FoldColumn::Named(own(at))),
        key: choice.key.map(&own),
        features: (!choice.features.is_empty())
            .then(|| FeatureColumns::Named(choice.features.iter().map(|&at| own(at)).collect())),
        renormalise: asked.renormalise,
        classes: asked.classes.clone(),
        positive: asked.positive.clone(),
    }
}

/// Says that there is nothing to be read.
pub fn no_rows(inputs: &Inputs) -> Error {
    match inputs.len() {
        1 => Error::input(format!("{}: there are no rows", inputs.name(0))),
        count => Error::input(format!("there are no rows in any of {count} files")),
    }
}
