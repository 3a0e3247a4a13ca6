//! Predictions alone.

use calipers::Probabilities;

use super::choose::{ScoreChoice, choose_scores, guess_label};
use super::score::Scores;
use super::{ScoreColumns, checked, no_rows, score};
use crate::error::Result;
use crate::table::{Table, Values};
use crate::words::shortened;

/// Predictions of a file that need not say what was observed.
///
/// ```
/// use calipers_files::{Unlabelled, Wanted, read};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// std::fs::write(&file, "id,p_cat,p_dog\n7,0.75,0.25\n8,0.5,0.5\n")?;
/// let mut table = read(&file, &Wanted::default())?;
/// let found = Unlabelled::of(&mut table, None, false, &|_| {})?;
/// assert_eq!((found.columns, found.f.rows()), (vec![1, 2], 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Unlabelled {
    /// The predictions.
    pub f: Probabilities<'static>,
    /// Their columns, by the position in the table.
    pub columns: Vec<usize>,
    /// Whether they came as a matrix or as lists, which is one column of the table.
    pub is_matrix: bool,
    /// Whether they came as logits.
    pub logits: bool,
    /// What each column's class is called, if that is known.
    pub classes: Option<Vec<String>>,
    count: usize,
}

impl Unlabelled {
    /// Takes the predictions out of a table, whatever else it holds; `say` is told what was guessed.
    /// Rows that do not sum to 1 are refused, or renormalised.
    ///
    /// # Errors
    /// There are no predictions, or what is in a cell is wrong, with its place.
    pub fn of(
        table: &mut Table,
        asked: Option<&ScoreColumns>,
        renormalise: bool,
        say: &dyn Fn(&str),
    ) -> Result<Self> {
        Self::taken(table, asked, renormalise, say, &|table, choice| {
            score::take(table, choice, None)
        })
    }

    /// As [`of`](Self::of), for a model of so many classes: lists may all be shorter, as what is beyond their ends is
    /// impossible. Where none has more than one number and there are two classes, it is the probability of the
    /// second.
    ///
    /// # Errors
    /// As [`of`](Self::of); a list that is longer.
    pub fn of_classes(
        table: &mut Table,
        asked: Option<&ScoreColumns>,
        renormalise: bool,
        classes: usize,
        say: &dyn Fn(&str),
    ) -> Result<Self> {
        let most = Some(classes);
        Self::taken(table, asked, renormalise, say, &|table, choice| {
            score::take(table, choice, most)
        })
    }

    /// As [`of`](Self::of), for further rows of predictions that were so many columns.
    ///
    /// # Errors
    /// As [`of`](Self::of); a list that is longer.
    pub fn of_columns(
        table: &mut Table,
        asked: Option<&ScoreColumns>,
        renormalise: bool,
        count: usize,
        say: &dyn Fn(&str),
    ) -> Result<Self> {
        let width = Some(count);
        Self::taken(table, asked, renormalise, say, &|table, choice| {
            score::take_of(table, choice, width)
        })
    }

    fn taken(
        table: &mut Table,
        asked: Option<&ScoreColumns>,
        renormalise: bool,
        say: &dyn Fn(&str),
        take: &dyn Fn(&mut Table, &ScoreChoice) -> Result<Scores>,
    ) -> Result<Self> {
        let rows = table.columns.first().map(|column| column.values.rows());
        if rows.is_none_or(|rows| rows == Some(0)) {
            return Err(no_rows(table));
        }
        // A label of 0 and 1 is no probability.
        let label = guess_label(table).ok();
        let choice = choose_scores(table, asked, label, &[])?;
        if choice.guessed {
            say(&shortened(&choice.said(table)));
        }
        let is_matrix = matches!(
            choice.columns.as_slice(),
            &[only] if matches!(table.columns[only].values, Values::Matrix(_) | Values::Lists(_))
        );
        let mut scores = take(table, &choice)?;
        let count = scores.values.ncols();
        let f = checked::scores(&mut scores, &choice, renormalise, &table.source)?;
        let ScoreChoice { columns, logits, .. } = choice;
        Ok(Self { f, columns, is_matrix, logits, classes: scores.classes, count })
    }

    /// How many columns of predictions there were: one, or as many as classes.
    pub fn count(&self) -> usize {
        self.count
    }
}
