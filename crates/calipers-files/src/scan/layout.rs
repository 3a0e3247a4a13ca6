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
use crate::columns::{Columns, FeatureColumns, FoldColumn, ScoreColumns, check_lengths};
use crate::error::{Error, Result};
use crate::table::Table;

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
        let wanted = asked.wanted();
        for file in 0..inputs.len() {
            let mut opened = inputs.open(file, &wanted)?;
            for part in 0..opened.shape().parts {
                for piece in opened.pieces(part)? {
                    let mut table = piece?.table;
                    if table.rows() > 0 {
                        let names = asked.singles().map(String::as_str);
                        add_partitions(&mut table, names, inputs.partitions(file));
                        return Self::chosen(table, asked, inputs.partitions(file));
                    }
                }
            }
        }
        Err(no_rows(inputs))
    }

    fn chosen(mut table: Table, asked: &Columns, partitions: &[(String, String)]) -> Result<Self> {
        let choice = choose(&table, asked)?;
        check_lengths(&table, &choice)?;
        let found = score::take(&mut table, &choice.scores)?;
        if !asked.renormalise {
            check_sums(&table.source, &found, &choice.scores)?;
        }
        let own = table.columns.iter().map(|column| &column.name);
        let all = own.chain(partitions.iter().map(|(name, _)| name)).cloned().collect();
        let own = |at: usize| table.columns[at].name.clone();
        let scores: Vec<String> = choice.scores.columns.iter().map(|&at| own(at)).collect();
        let layout = Self {
            columns: named(&choice, asked, scores.clone(), own),
            scores,
            count: found.columns.len(),
            origin: choice.origin(&table, &found.columns),
            guessed: choice.is_guessed(),
            guessed_scores: choice.scores.guessed,
            first: table.source.name.clone(),
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
