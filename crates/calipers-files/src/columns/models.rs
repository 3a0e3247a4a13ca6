//! Several models in one file: which columns are whose.

use std::collections::{BTreeMap, BTreeSet};

use calipers::words::listed;

use crate::error::{Error, Result};

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
    /// A pattern without a model; no columns of that kind; classes that differ from model to model; several
    /// readings.
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
        let readings = names.iter().map(|name| (*name, taken_apart(name, &pieces)));
        let mut readings: Vec<(&str, Vec<Read>)> =
            readings.filter(|(_, own)| !own.is_empty()).collect();
        if let Some(classes) = classes.filter(|_| counts[1] == 1) {
            for (_, own) in &mut readings {
                own.retain(|read| read.class.as_ref().is_some_and(|class| classes.contains(class)));
            }
            readings.retain(|(_, own)| !own.is_empty());
        }
        if readings.is_empty() {
            return Err(fault(format!("there is no such column; there are {}", listed(&names))));
        }
        let mut found = consistent(&readings, classes);
        match (found.pop(), found.pop()) {
            (Some(one), None) if one.len() > 1 => Ok(one),
            (Some(one), None) => {
                let own = one.first().map_or("", |model| model.name.as_str());
                Err(fault(format!("{own} is the only model; a comparison needs two")))
            }
            (Some(one), Some(other)) => {
                let said = |models: &[Self]| {
                    let classes = models.first().and_then(|model| model.classes.clone());
                    listed(&classes.unwrap_or_default())
                };
                Err(fault(format!("the classes may be {} or {}", said(&other), said(&one)))
                    .with_hint("--classes names them"))
            }
            (None, _) => {
                let columns: Vec<&str> = readings.iter().map(|(name, _)| *name).collect();
                Err(fault(format!(
                    "{} are not the columns of the same classes for every model",
                    listed(&columns)
                )))
            }
        }
    }
}

/// One way to take a name apart.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    model: String,
    class: Option<String>,
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

/// Every way in which a column's name is of the pattern; no part is empty.
fn taken_apart(name: &str, pieces: &Pieces<'_>) -> Vec<Read> {
    let inner = name.strip_prefix(pieces.before).and_then(|rest| rest.strip_suffix(pieces.after));
    let Some(inner) = inner.filter(|inner| !inner.is_empty()) else { return Vec::new() };
    let Some(between) = pieces.between else {
        return vec![Read { model: inner.to_owned(), class: None }];
    };
    let cuts = inner.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
    cuts.filter_map(|at| {
        let (first, rest) = inner.split_at(at);
        let second = rest.strip_prefix(between).filter(|second| !second.is_empty())?;
        let (model, class) = if pieces.model_first { (first, second) } else { (second, first) };
        Some(Read { model: model.to_owned(), class: Some(class.to_owned()) })
    })
    .collect()
}

/// The readings of all columns in which every model has the same classes. A reading is settled by its
/// classes: those that the first column may belong to, with all that go with the same model.
fn consistent(
    readings: &[(&str, Vec<Read>)],
    classes: Option<&[String]>,
) -> Vec<Vec<ModelColumns>> {
    let mut sets: BTreeSet<Vec<String>> = BTreeSet::new();
    match classes {
        Some(classes) => drop(sets.insert(classes.to_vec())),
        None => {
            for first in readings.first().iter().flat_map(|(_, own)| own) {
                let of_model = readings.iter().flat_map(|(_, own)| own);
                let own = of_model.filter(|read| read.model == first.model);
                sets.insert(own.filter_map(|read| read.class.clone()).collect());
            }
        }
    }
    let mut found: Vec<Vec<ModelColumns>> = Vec::new();
    for set in sets {
        let Some(models) = with_classes(readings, &set) else { continue };
        if !found.contains(&models) {
            found.push(models);
        }
    }
    found
}

/// The models, if every column belongs to one class of the set, in one way, and every model has them all.
fn with_classes(readings: &[(&str, Vec<Read>)], set: &[String]) -> Option<Vec<ModelColumns>> {
    let mut order: Vec<&str> = Vec::new();
    let mut models: BTreeMap<&str, Vec<(String, Option<String>)>> = BTreeMap::new();
    for (column, own) in readings {
        let fits = |read: &&Read| read.class.as_ref().is_none_or(|class| set.contains(class));
        let mut fitting = own.iter().filter(fits);
        let (Some(read), None) = (fitting.next(), fitting.next()) else { return None };
        if !models.contains_key(read.model.as_str()) {
            order.push(&read.model);
        }
        let own = models.entry(&read.model).or_default();
        own.push(((*column).to_owned(), read.class.clone()));
    }
    let complete = |own: &Vec<(String, Option<String>)>| {
        set.is_empty() && own.len() == 1
            || own.len() == set.len()
                && set.iter().all(|class| own.iter().any(|(_, one)| one.as_ref() == Some(class)))
    };
    if !models.values().all(complete) {
        return None;
    }
    let found = order.into_iter().filter_map(|name| {
        let (columns, classes) = models.get(name)?.iter().cloned().unzip::<_, _, Vec<_>, Vec<_>>();
        let classes = classes.into_iter().collect::<Option<Vec<String>>>();
        Some(ModelColumns { name: name.to_owned(), columns, classes })
    });
    Some(found.collect())
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
        assert!(error.message().contains("the classes may be"), "{error:?}");
        let models = found("p_{model}_{class}", &names, Some(&["1", "2"])).unwrap();
        assert_eq!(models[0].name, "a_x");
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let fault = |pattern: &str, names: &[&str]| {
            found(pattern, names, None).unwrap_err().message().to_owned()
        };
        assert!(fault("p_{class}", &["p_a"]).contains("{model} has to be in it once"));
        assert!(fault("q_{model}", &["p_a"]).contains("there is no such column; there are p_a"));
        assert!(fault("p_{model}", &["p_a"]).contains("a is the only model"));
        let ragged = ["p_a_1", "p_a_2", "p_b_1"];
        assert!(
            fault("p_{model}_{class}", &ragged).contains("not the columns of the same classes")
        );
    }
}
