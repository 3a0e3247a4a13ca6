//! Which column is asked to be what.

use crate::error::Error;
use crate::table::Wanted;

/// Which columns hold what; what is not said is guessed.
///
/// ```
/// use calipers_files::Columns;
///
/// let columns = Columns::new().label("animal").probs(["p_cat", "p_dog"]).weight("count");
/// assert_eq!(columns.label.as_deref(), Some("animal"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The observed classes; unsaid, the column that is called label, y, y_true, target or the like.
    pub label: Option<String>,
    /// The predictions; unsaid, every column of numbers from 0 to 1 that is nothing else.
    pub scores: Option<ScoreColumns>,
    /// The weights of the rows; unsaid, an archive's array `weights`.
    pub weight: Option<String>,
    /// Which group a row belongs to; unsaid, an archive's array `groups`.
    pub group: Option<String>,
    /// Which rows belong together, such as those of one patient.
    pub cluster: Option<String>,
    /// When a row was, where neighbours in time may share their fate.
    pub time: Option<String>,
    /// Which fold a row belongs to.
    pub folds: FoldColumn,
    /// What identifies a row, wherever it is; any column, of numbers or of text.
    pub key: Option<String>,
    /// What else is known of a row beside its prediction.
    pub features: Option<FeatureColumns>,
    /// Whether rows of probabilities are divided by their sums, however far these are from 1.
    pub renormalise: bool,
    /// The classes' names, in the order of the columns, instead of the columns' own.
    pub classes: Option<Vec<String>>,
    /// The class that a single column holds the probability of.
    pub positive: Option<String>,
    /// Whether the single column of predictions says how sure something was of an answer, and the label
    /// whether that was right.
    pub confidence: bool,
}

/// The columns of the predictions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScoreColumns {
    /// Probabilities, one column a class, or that of class 1 alone.
    Probs(Vec<String>),
    /// Logits, one column a class, or that of class 1 alone.
    Logits(Vec<String>),
}

/// The columns of what else is known of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeatureColumns {
    /// These, in this order.
    Named(Vec<String>),
    /// Every column of numbers or of text that is nothing else.
    Others,
}

/// Which folds to look for in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FoldColumn {
    /// An archive's array `folds`, if there is one.
    #[default]
    Unsaid,
    /// A column, by its name.
    Named(String),
    /// None: the folds are drawn.
    Drawn,
}

impl Columns {
    /// Nothing is said, everything is guessed.
    pub fn new() -> Self {
        Self::default()
    }

    /// The column of the observed classes.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>) -> Self {
        self.label = Some(name.into());
        self
    }

    /// The columns of the probabilities.
    #[must_use]
    pub fn probs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.scores = Some(ScoreColumns::Probs(names.into_iter().map(Into::into).collect()));
        self
    }

    /// The columns of the logits, instead of probabilities.
    #[must_use]
    pub fn logits<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.scores = Some(ScoreColumns::Logits(names.into_iter().map(Into::into).collect()));
        self
    }

    /// The column of the weights.
    #[must_use]
    pub fn weight(mut self, name: impl Into<String>) -> Self {
        self.weight = Some(name.into());
        self
    }

    /// The column of the groups.
    #[must_use]
    pub fn group(mut self, name: impl Into<String>) -> Self {
        self.group = Some(name.into());
        self
    }

    /// The column that says which rows belong together.
    #[must_use]
    pub fn cluster(mut self, name: impl Into<String>) -> Self {
        self.cluster = Some(name.into());
        self
    }

    /// The column that says when a row was.
    #[must_use]
    pub fn time(mut self, name: impl Into<String>) -> Self {
        self.time = Some(name.into());
        self
    }

    /// The column of the folds.
    #[must_use]
    pub fn fold(mut self, name: impl Into<String>) -> Self {
        self.folds = FoldColumn::Named(name.into());
        self
    }

    /// The column that identifies a row.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>) -> Self {
        self.key = Some(name.into());
        self
    }

    /// The columns of what else is known of a row; a single `*` is every column that is nothing else.
    ///
    /// ```
    /// use calipers_files::{Columns, FeatureColumns};
    ///
    /// assert_eq!(Columns::new().features(["*"]).features, Some(FeatureColumns::Others));
    /// ```
    #[must_use]
    pub fn features<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.features = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Divides rows of probabilities by their sums, however far these are from 1.
    #[must_use]
    pub fn renormalise(mut self) -> Self {
        self.renormalise = true;
        self
    }

    /// The classes' names, in the order of the columns.
    #[must_use]
    pub fn classes<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.classes = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The class that a single column holds the probability of.
    #[must_use]
    pub fn positive(mut self, name: impl Into<String>) -> Self {
        self.positive = Some(name.into());
        self
    }

    /// The columns of how sure something was of each answer, and of whether it was right.
    #[must_use]
    pub fn confidence(self, sure: impl Into<String>, correct: impl Into<String>) -> Self {
        Self { confidence: true, ..self.probs([sure]).label(correct) }
    }

    /// An error without a hint that is of no use here: what is wrong with a confidence is not mended by what
    /// names classes or logits.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match self.confidence {
            true => error.with_hint("a confidence is from 0 to 1: 0.85 for 85 %"),
            false => error,
        }
    }

    /// What to read of a file: the columns that are named, and if these are not all that is needed,
    /// any of the others.
    pub fn wanted(&self) -> Wanted {
        let scores = self.scores.iter().flat_map(ScoreColumns::names);
        let features = self.features.iter().flat_map(FeatureColumns::names);
        let names = self.singles().chain(scores).chain(features).cloned();
        let all = self.label.is_none() || self.scores.is_none();
        let wanted = Wanted::new(names.collect(), all);
        match self.features {
            Some(FeatureColumns::Others) => wanted.using_all(),
            _ => wanted,
        }
    }

    /// The columns that are named and are neither predictions nor features.
    pub(crate) fn singles(&self) -> impl Iterator<Item = &String> {
        let fold = if let FoldColumn::Named(name) = &self.folds { Some(name) } else { None };
        let named = [&self.label, &self.weight, &self.group, &self.cluster, &self.time, &self.key];
        named.into_iter().flatten().chain(fold)
    }
}

impl FeatureColumns {
    /// The names of the columns; none where they are all others.
    pub fn names(&self) -> &[String] {
        match self {
            Self::Named(names) => names,
            Self::Others => &[],
        }
    }
}

/// Names, or a single `*` for every column that is nothing else.
impl FromIterator<String> for FeatureColumns {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let names: Vec<String> = names.into_iter().collect();
        if names == ["*"] { Self::Others } else { Self::Named(names) }
    }
}

impl ScoreColumns {
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        let (Self::Probs(names) | Self::Logits(names)) = self;
        names
    }

    /// Whether they are logits.
    pub fn are_logits(&self) -> bool {
        matches!(self, Self::Logits(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_columns_are_read_unless_those_that_are_needed_are_named() {
        let some = Columns::new().label("y").weight("w").fold("part");
        assert!(some.wanted().wants("anything"));
        let wanted = some.logits(["a", "b"]).group("g").key("id").wanted();
        assert!(["y", "w", "part", "a", "b", "g", "id"].iter().all(|name| wanted.names(name)));
        assert!(!wanted.wants("anything"));
    }

    #[test]
    fn features_are_read_and_all_others_if_all_are_asked_for() {
        let named = Columns::new().label("y").probs(["p"]);
        let some = named.clone().features(["age", "region"]).wanted();
        assert!(some.names("age") && some.names("region") && !some.wants("anything"));
        assert!(named.features(["*"]).wanted().wants("anything"));
    }
}
