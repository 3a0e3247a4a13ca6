//! Several models in one file: which columns are whose.

mod readings;

use std::collections::HashSet;

use calipers::words::listed;

use crate::error::{Error, Result};
use readings::{Outcome, Readings};

/// What stands for a model's name in a pattern, and for a class.
const MODEL: &str = "{model}";
const CLASS: &str = "{class}";

/// The columns of one model.
///
/// ```
/// use calipers_files::ModelColumns;
///
/// let names = ["label", "p_old_no", "p_old_yes", "p_new_no", "p_new_yes"];
/// let models = ModelColumns::find("p_{model}_{class}", &names, None)?;
/// assert_eq!(models[1].name, "new");
/// assert_eq!(models[1].columns, ["p_new_no", "p_new_yes"]);
/// assert_eq!(models[1].classes.as_deref().unwrap(), ["no", "yes"]);
/// # Ok::<(), calipers_files::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelColumns {
    /// The model's name.
    pub name: String,
    /// The columns of its predictions, in the file's order.
    pub columns: Vec<String>,
    /// The class of each, where the pattern names classes.
    pub classes: Option<Vec<String>>,
}

impl ModelColumns {
    /// The models whose columns are named after a pattern, such as `p_{model}_{class}`, or `p_{model}` of
    /// columns that hold the probability of class 1. Every model has columns of the same classes; where names
    /// can be taken apart in several ways so that this holds, `classes` decides.
    ///
    /// # Errors
    /// A pattern without a model; no columns of that kind; one of them twice; classes that differ from model
    /// to model; several readings, or too many ways to read them to look at all.
    pub fn find<S: AsRef<str>>(
        pattern: &str,
        names: &[S],
        classes: Option<&[String]>,
    ) -> Result<Vec<Self>> {
        let fault = |reason: String| Error::input(format!("--models {pattern}: {reason}"));
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let counts = [MODEL, CLASS].map(|part| pattern.matches(part).count());
        let pieces = match counts {
            [1, 0 | 1] => pieces(pattern),
            _ => {
                return Err(fault(format!(
                    "{MODEL} has to be in it once, and {CLASS} at most once"
                ))
                .with_hint("p_{model}_{class}, or p_{model} of single columns"));
            }
        };
        let nothing = || fault(format!("there is no such column; there are {}", listed(&names)));
        let only = |name: &str| fault(format!("{name} is the only model; a comparison needs two"));
        if pieces.between.is_none() {
            let own = names.iter().filter_map(|name| Some((*name, inner(name, &pieces)?)));
            let own: Vec<(&str, &str)> = own.collect();
            unrepeated(own.iter().map(|(column, _)| *column)).map_err(fault)?;
            return match own.as_slice() {
                [] => Err(nothing()),
                [(_, one)] => Err(only(one)),
                _ => Ok(own.into_iter().map(Self::single).collect()),
            };
        }
        let Some(mut readings) = Readings::new(&names, |name| taken_apart(name, &pieces)) else {
            return Err(too_many(&fault));
        };
        if let Some(classes) = classes {
            readings.keep(classes);
        }
        let columns = readings.columns();
        if columns.is_empty() {
            return Err(nothing());
        }
        unrepeated(columns.iter().copied()).map_err(fault)?;
        match readings.search(classes) {
            Outcome::None => Err(fault(format!(
                "{} are not the columns of the same classes for every model",
                listed(&columns)
            ))),
            Outcome::Alone(name) => Err(only(&name)),
            Outcome::One(models) => Ok(models),
            Outcome::Two(one, other) => Err(fault(format!(
                "there are two ways to read the columns: {}; or {}",
                said(&one),
                said(&other)
            ))
            .with_hint("--classes names the classes")),
            Outcome::TooMany => Err(too_many(&fault)),
        }
    }

    /// A model of one column, whose name says nothing of a class.
    fn single((column, name): (&str, &str)) -> Self {
        Self { name: name.to_owned(), columns: vec![column.to_owned()], classes: None }
    }
}

/// Looking further would take longer than naming the classes.
fn too_many(fault: &dyn Fn(String) -> Error) -> Error {
    fault("there are too many ways to read the columns".to_owned())
        .with_hint("--classes names the classes")
}

/// The models of a reading, and their classes.
fn said(models: &[ModelColumns]) -> String {
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let classes = models.first().and_then(|model| model.classes.clone()).unwrap_or_default();
    let what = if classes.len() == 1 { "class" } else { "classes" };
    format!("models {} with {what} {}", listed(&names), listed(&classes))
}

/// Says which column is there twice.
fn unrepeated<'a>(columns: impl Iterator<Item = &'a str>) -> std::result::Result<(), String> {
    let mut seen = HashSet::new();
    let mut columns = columns;
    match columns.find(|column| !seen.insert(*column)) {
        None => Ok(()),
        Some(column) => Err(format!("two columns are named {column:?}")),
    }
}

/// A pattern between its two places.
struct Pieces<'a> {
    before: &'a str,
    between: Option<&'a str>,
    after: &'a str,
    /// Whether the model's name comes first.
    model_first: bool,
}

fn pieces(pattern: &str) -> Pieces<'_> {
    let at = |part: &str| pattern.find(part).map(|start| (start, start + part.len()));
    let model = at(MODEL).unwrap_or_default();
    match at(CLASS) {
        None => Pieces {
            before: &pattern[..model.0],
            between: None,
            after: &pattern[model.1..],
            model_first: true,
        },
        Some(class) => {
            let (first, second) = if model < class { (model, class) } else { (class, model) };
            Pieces {
                before: &pattern[..first.0],
                between: Some(&pattern[first.1..second.0]),
                after: &pattern[second.1..],
                model_first: model < class,
            }
        }
    }
}

/// What of a column's name stands in the pattern's places, and not around them.
fn inner<'a>(name: &'a str, pieces: &Pieces<'_>) -> Option<&'a str> {
    let inner = name.strip_prefix(pieces.before)?.strip_suffix(pieces.after)?;
    Some(inner).filter(|inner| !inner.is_empty())
}

/// Every way in which a column's name is a model and a class; no part is empty.
fn taken_apart<'a>(name: &'a str, pieces: &Pieces<'_>) -> Vec<(&'a str, &'a str)> {
    let Some((inner, between)) = inner(name, pieces).zip(pieces.between) else { return Vec::new() };
    let cuts = inner.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
    cuts.filter_map(|at| {
        let (first, rest) = inner.split_at(at);
        let second = rest.strip_prefix(between).filter(|second| !second.is_empty())?;
        Some(if pieces.model_first { (first, second) } else { (second, first) })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, names: &[&str], classes: Option<&[&str]>) -> Result<Vec<ModelColumns>> {
        let classes: Option<Vec<String>> =
            classes.map(|classes| classes.iter().map(|one| (*one).to_owned()).collect());
        ModelColumns::find(pattern, names, classes.as_deref())
    }

    #[test]
    fn names_with_separators_are_taken_apart_in_the_one_way_that_fits_all() {
        let names = ["y", "p_old_v1_no", "p_old_v1_yes", "p_new_no", "p_new_yes"];
        let models = found("p_{model}_{class}", &names, None).unwrap();
        let said: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(said, ["old_v1", "new"]);
        let models = found("{class}:{model}", &["a:x", "b:x", "a:y", "b:y"], None).unwrap();
        assert_eq!(models[1].columns, ["a:y", "b:y"]);
        let single = found("score_{model}", &["score_a", "score_b", "z"], None).unwrap();
        assert_eq!((single.len(), &single[0].classes), (2, &None));
    }

    #[test]
    fn two_readings_are_refused_unless_the_classes_are_named() {
        // Of model a: x_1 and x_2; or of model a_x: 1 and 2.
        let names = ["p_a_x_1", "p_a_x_2", "p_b_x_1", "p_b_x_2"];
        let error = found("p_{model}_{class}", &names, None).unwrap_err();
        assert_eq!(
            error.message(),
            "--models p_{model}_{class}: there are two ways to read the columns: models a, b with classes \
             x_1, x_2; or models a_x, b_x with classes 1, 2"
        );
        assert_eq!(error.hint(), Some("--classes names the classes"));
        let models = found("p_{model}_{class}", &names, Some(&["1", "2"])).unwrap();
        assert_eq!(models[0].name, "a_x");
    }

    /// Where one class ends as another is called, both readings are whole.
    #[test]
    fn a_class_that_ends_as_another_is_not_taken_for_a_model() {
        let mut names = ["p_a_not_spam", "p_a_spam", "p_b_not_spam", "p_b_spam"];
        let spam: &[&str] = &["spam", "not_spam"];
        for _ in 0..names.len() {
            names.rotate_left(1);
            let error = found("p_{model}_{class}", &names, None).unwrap_err();
            assert!(error.message().contains("two ways"), "{error:?}");
            let models = found("p_{model}_{class}", &names, Some(spam)).unwrap();
            let mut said: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
            said.sort_unstable();
            assert_eq!(said, ["a", "b"]);
        }
    }

    #[test]
    fn a_model_may_be_called_as_another_begins() {
        let names = ["p_a_0", "p_a_1", "p_a_b_0", "p_a_b_1"];
        let models = found("p_{model}_{class}", &names, None).unwrap();
        assert_eq!(models[1].name, "a_b");
        let turned = ["p_a_b_0", "p_a_b_1", "p_a_0", "p_a_1"];
        assert_eq!(found("p_{model}_{class}", &turned, None).unwrap()[1].name, "a");
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let fault = |pattern: &str, names: &[&str]| {
            found(pattern, names, None).unwrap_err().message().to_owned()
        };
        assert!(fault("p_{class}", &["p_a"]).contains("{model} has to be in it once"));
        assert!(fault("q_{model}", &["p_a"]).contains("there is no such column; there are p_a"));
        assert!(fault("p_{model}", &["p_a"]).contains("a is the only model"));
        assert!(
            fault("p_{model}", &["p_a", "p_a", "p_b"]).contains("two columns are named \"p_a\"")
        );
        let twice = ["p_a_1", "p_a_2", "p_b_1", "p_b_2", "p_b_2"];
        assert!(fault("p_{model}_{class}", &twice).contains("two columns are named \"p_b_2\""));
        assert!(fault("p_{model}_{class}", &["p_a_1", "p_a_2"]).contains("a is the only model"));
        let ragged = ["p_a_1", "p_a_2", "p_b_1"];
        assert!(
            fault("p_{model}_{class}", &ragged).contains("not the columns of the same classes")
        );
    }
}
