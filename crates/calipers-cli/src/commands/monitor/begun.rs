//! What a state was begun with: which columns hold what, and what the classes are. Later runs need not say
//! it again, and may not say otherwise: an e-value of rows that were read in two ways would be of neither.

use std::path::Path;

use calipers_files::words::file_name;
use calipers_files::{Columns, Loaded};
use serde_json::{Value, json};

use crate::args::ColumnArgs;
use crate::error::{Failure, Result};

/// What was said on the first run, or guessed there.
pub struct Begun {
    kind: Kind,
    /// The columns of the predictions.
    columns: Vec<String>,
    /// The column of the labels; none where they are in a file of their own.
    label: Option<String>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// The class of a single column, if it was named.
    positive: Option<String>,
    renormalise: bool,
}

/// What the columns hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Probs,
    Logits,
    Confidence,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Probs, Self::Logits, Self::Confidence];

    /// The option that names the columns, and that of the labels beside them.
    fn flags(self) -> (&'static str, &'static str) {
        match self {
            Self::Probs => ("--probs", "--label"),
            Self::Logits => ("--logits", "--label"),
            Self::Confidence => ("--confidence-column", "--correct-column"),
        }
    }

    /// What the state calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Probs => "probs",
            Self::Logits => "logits",
            Self::Confidence => "confidence",
        }
    }
}

impl Begun {
    /// What the first rows were read with.
    pub fn with(file: &Path, said: &ColumnArgs, loaded: &Loaded) -> Self {
        let kind = match (said.confidence_column.is_some(), loaded.logits) {
            (true, _) => Kind::Confidence,
            (false, true) => Kind::Logits,
            (false, false) => Kind::Probs,
        };
        let label = loaded.predictions.origin().map(|origin| origin.labels.clone());
        Self {
            kind,
            columns: loaded.scores.clone(),
            label: label.filter(|_| !is_array(file)),
            classes: loaded.predictions.class_names().to_vec(),
            positive: said.positive_class.clone(),
            renormalise: said.scores.renormalise,
        }
    }

    /// What to read of later rows; refuses what is said otherwise.
    pub fn columns(&self, said: &ColumnArgs, state: &Path) -> Result<Columns> {
        let (flag, label_flag) = self.kind.flags();
        let own = format!("{flag} {}", self.columns.join(","));
        self.check_scores(said, &own, state)?;
        for (flag, label) in [("--label", &said.label), ("--correct-column", &said.correct_column)]
        {
            if let (Some(said), Some(own)) = (label, &self.label)
                && (said != own || flag != label_flag)
            {
                return Err(otherwise(flag, said, &format!("{label_flag} {own}"), state));
            }
        }
        if let Some(classes) = said.classes.as_ref().filter(|said| **said != self.classes) {
            let own = format!("the classes {}", self.classes.join(","));
            return Err(otherwise("--classes", &classes.join(","), &own, state));
        }
        let positive = self.positive.as_ref().or_else(|| self.classes.get(1));
        if let Some(class) = said.positive_class.as_ref().filter(|said| Some(*said) != positive) {
            let own = format!("the classes {}", self.classes.join(","));
            return Err(otherwise("--positive-class", class, &own, state));
        }
        if said.scores.renormalise && !self.renormalise {
            return Err(otherwise("--renormalise", "", "rows that are not renormalised", state));
        }
        let mut columns: Columns = said.into();
        if columns.label.is_none() {
            columns.label = self.label.clone();
        }
        columns = match self.kind {
            Kind::Logits => columns.logits(self.columns.clone()),
            Kind::Probs | Kind::Confidence => columns.probs(self.columns.clone()),
        };
        columns.renormalise = self.renormalise;
        columns.confidence = self.kind == Kind::Confidence;
        // A confidence has no classes to name: its labels are 0 and 1.
        if !columns.confidence {
            fix(&mut columns, &self.classes);
        }
        Ok(columns)
    }

    /// Refuses other predictions than those of the first run.
    fn check_scores(&self, said: &ColumnArgs, own: &str, state: &Path) -> Result<()> {
        let confidence = said.confidence_column.clone().map(|one| vec![one]);
        for (kind, columns) in [
            (Kind::Probs, said.scores.probs.as_ref()),
            (Kind::Logits, said.scores.logits.as_ref()),
            (Kind::Confidence, confidence.as_ref()),
        ] {
            if let Some(columns) = columns
                && (kind != self.kind || *columns != self.columns)
            {
                return Err(otherwise(kind.flags().0, &columns.join(","), own, state));
            }
        }
        Ok(())
    }

    /// Whether a file without rows has the columns.
    pub fn are_among(&self, names: &[String]) -> bool {
        self.columns.iter().chain(&self.label).all(|name| names.contains(name))
    }

    /// What a state holds of it; none if it is damaged.
    pub fn from_json(json: &Value) -> Option<Self> {
        let words = |key: &str| serde_json::from_value::<Vec<String>>(json.get(key)?.clone()).ok();
        let word = |key: &str| serde_json::from_value(json.get(key)?.clone()).ok();
        let kind = json["kind"].as_str()?;
        Some(Self {
            kind: Kind::ALL.into_iter().find(|one| one.name() == kind)?,
            columns: words("columns")?,
            label: word("label")?,
            classes: words("classes")?,
            positive: word("positive_class")?,
            renormalise: json["renormalise"].as_bool()?,
        })
    }

    /// What a state will hold of it.
    pub fn to_json(&self) -> Value {
        json!({
            "kind": self.kind.name(),
            "columns": self.columns,
            "label": self.label,
            "classes": self.classes,
            "positive_class": self.positive,
            "renormalise": self.renormalise,
        })
    }
}

/// Lets labels be these names and nothing else: what a label means must not depend on which others come
/// with it.
pub fn fix(columns: &mut Columns, classes: &[String]) {
    columns.classes = Some(classes.to_vec());
    columns.positive = None;
}

/// Whether a file is one array, whose labels are in another file.
pub fn is_array(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("npy"))
}

fn otherwise(flag: &str, value: &str, own: &str, state: &Path) -> Failure {
    let said = format!("{flag} {value}");
    Failure::input(format!(
        "{}: the state {} was begun with {own}",
        said.trim_end(),
        file_name(state)
    ))
    .hint("what the state was begun with need not be said again; other rows are for another state")
}
