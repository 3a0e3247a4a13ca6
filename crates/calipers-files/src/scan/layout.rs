//! Which column is what, the same in every file.

use std::collections::BTreeSet;

use calipers::Origin;
use calipers::labels::{ClassColumns, Label, Reading, read};

use super::book::{Entry, Fewest};
use super::constant::add_partitions;
use super::inputs::Inputs;
use super::tables::each_table;
use crate::columns::choose::{Choice, ScoreChoice, choose};
use crate::columns::classes::class_columns;
use crate::columns::options::beyond_at;
use crate::columns::score::{self, Scores};
use crate::columns::sums::check_sums;
use crate::columns::{Columns, FeatureColumns, FoldColumn, ScoreColumns, check_lengths, paired};
use crate::error::{Error, Result};
use crate::formats::npz;
use crate::table::{Column, Source, Table, Values, Wanted};

/// Files of at most so many bytes are looked through for the longest list: it takes a second or two.
const LOOKED_THROUGH: u64 = 1 << 28;

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
    /// columns. Of what was guessed, [`origin`](Self::origin) says what it was. Where the predictions are lists and
    /// no classes are named, files of up to 256 MiB are looked through for the longest.
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
                        table.name_classes(&inputs.class_names(file))?;
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
        check_lengths(&table, &choice)?;
        let most = match &asked.classes {
            Some(classes) => Some(classes.len()),
            None => longest(&table, &choice.scores, inputs)?,
        };
        let found = score::take(&mut table, &choice.scores, most)?;
        if !asked.renormalise {
            check_sums(&table.source, &found, &choice.scores)?;
        }
        let label_names = table
            .source
            .class_names()
            .get(&table.columns[choice.label].name)
            .map(<[String]>::to_vec);
        let own = table.columns.iter().map(|column| &column.name);
        let all = own.chain(partitions.iter().map(|(name, _)| name)).cloned().collect();
        let own = |at: usize| table.columns[at].name.clone();
        let scores: Vec<String> = choice.scores.columns.iter().map(|&at| own(at)).collect();
        // Rows that are yet to come may have fewer.
        let up_to = found.options.as_ref().map(|_| format!("up to {}", found.columns.len()));
        let origin = choice.origin(&table, &found.columns).with("options", Vec::from_iter(up_to));
        let layout = Self {
            columns: named(&choice, asked, scores.clone(), own),
            scores,
            count: found.columns.len(),
            origin,
            lists: found.options.is_some(),
            guessed: choice.is_guessed(),
            guessed_scores: choice.scores.guessed,
            first: table.source.name.clone(),
            label_names,
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

    /// An error in the words that are of use for what was asked.
    pub(super) fn explained(&self, error: Error) -> Error {
        self.columns.explained(error)
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

    /// Refuses a file whose labels do not stand for the classes that those of the first file do.
    pub(super) fn check_names(&self, source: &Source) -> Result<()> {
        match source.class_names().get(self.label()) == self.label_names.as_deref() {
            true => Ok(()),
            false => Err(Error::input(format!(
                "{}: its labels do not stand for the classes that those of {} do",
                source.name, self.first
            ))),
        }
    }

    /// How many columns the predictions make, if they are lists.
    pub(super) fn most_options(&self) -> Option<usize> {
        self.lists.then_some(self.count)
    }

    /// Refuses a label that is none of the options of its row, as far as one row says it: a number that is a
    /// position. What else labels mean is known when all of them were seen.
    pub(super) fn check_options(
        &self,
        scores: &Scores,
        label: &Column,
        source: &Source,
    ) -> Result<()> {
        match &scores.options {
            Some(options) if self.columns.classes.is_none() && !self.columns.confidence => {
                options.check_numbers(label, source)
            }
            _ => Ok(()),
        }
    }

    /// Whether rows may have fewer options than others.
    pub(super) fn is_ragged(&self) -> bool {
        self.lists && self.count > 1
    }

    /// Refuses labels that are none of the options of some row: of each, the fewest are known.
    pub(super) fn check_fewest(&self, words: &[(Entry, Option<Fewest>)]) -> Result<()> {
        let mut order: Vec<&(Entry, Option<Fewest>)> = words.iter().collect();
        order.sort_by_key(|(entry, _)| entry.first);
        let found = order.iter().enumerate().map(|(row, (entry, _))| Label {
            text: entry.text.clone(),
            number: entry.number,
            row,
            count: entry.count as usize,
        });
        let found: Vec<Label> = found.collect();
        // What cannot be read is told by who reads it.
        let Ok(Reading { codes, .. }) = read(&found, &self.class_columns()?) else { return Ok(()) };
        let beyond = order.iter().zip(codes).filter_map(|((entry, fewest), code)| {
            let fewest = fewest.as_ref().filter(|fewest| code >= fewest.options as usize)?;
            Some((fewest, entry))
        });
        match beyond.min_by_key(|(fewest, _)| (fewest.file, fewest.row)) {
            None => Ok(()),
            Some((fewest, entry)) => {
                let place = format!("{}, column {}", fewest.place, self.label());
                Err(beyond_at(&place, &entry.text, fewest.options))
            }
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

/// How many options the longest list of all files has, where the predictions are lists that the dataset does not
/// name the classes of, and looking for it takes little time: rows further down may have more than the first.
fn longest(table: &Table, scores: &ScoreChoice, inputs: &Inputs) -> Result<Option<usize>> {
    let &[only] = scores.columns.as_slice() else { return Ok(None) };
    let Column { name, values: Values::Lists(lists) } = &table.columns[only] else {
        return Ok(None);
    };
    let label = scores.label.and_then(|at| table.source.class_names().get(&table.columns[at].name));
    if label.is_some() || inputs.total().is_none_or(|bytes| bytes > LOOKED_THROUGH) {
        return Ok(None);
    }
    let mut longest = lists.longest();
    let wanted = Wanted::new(vec![name.clone()], false);
    // What is wrong with a list is told with its place when all of the row is read.
    let _ = each_table(inputs, &wanted, &mut |_, table| {
        for column in table.columns.iter().filter(|column| column.name == *name) {
            if let Values::Lists(lists) = &column.values {
                longest = longest.max(lists.longest());
            }
        }
        Ok(())
    });
    Ok(Some(longest))
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
        confidence: asked.confidence,
    }
}

/// Says that there is nothing to be read.
pub fn no_rows(inputs: &Inputs) -> Error {
    match inputs.len() {
        1 => Error::input(format!("{}: there are no rows", inputs.name(0))),
        count => Error::input(format!("there are no rows in any of {count} files")),
    }
}
