//! Runs of models on tasks, and which of them count.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use calipers::words::listed;
use glob::Pattern;

use crate::error::{Error, Result};

/// A run of a model on a task, with what is known of it.
#[derive(Debug)]
pub struct Run<T> {
    pub model: String,
    pub task: String,
    /// When it was, in letters that sort by time.
    pub date: String,
    /// Whether it came to its end: no other counts where one did.
    pub complete: bool,
    pub known: T,
}

/// A task of a model that could not be measured, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The model.
    pub model: String,
    /// The task.
    pub task: String,
    /// Why.
    pub reason: String,
}

/// The runs that count, and those that are passed over.
pub struct Latest<T> {
    /// Of each model and task one, in their order.
    pub counted: Vec<Run<T>>,
    pub passed_over: Vec<Run<T>>,
}

/// The last run of each model and task; one that came to its end counts before any other. If tasks are named, by
/// their names or as patterns, no others.
///
/// # Errors
/// A task that was named and is not there.
pub fn latest<T>(all: Vec<Run<T>>, tasks: &[String]) -> Result<Latest<T>> {
    let is_asked = |one: &Run<T>| tasks.is_empty() || tasks.iter().any(|task| is_meant(task, one));
    if let Some(task) = tasks.iter().find(|task| !all.iter().any(|one| is_meant(task, one))) {
        let mut there: Vec<&str> = all.iter().map(|one| one.task.as_str()).collect();
        there.sort_unstable();
        there.dedup();
        return Err(Error::input(format!("--task {task}: there is no such task"))
            .with_hint(format!("there are {}", listed(&there))));
    }
    let mut last: BTreeMap<(String, String), Run<T>> = BTreeMap::new();
    let mut passed_over = Vec::new();
    for one in all.into_iter().filter(is_asked) {
        match last.entry((one.model.clone(), one.task.clone())) {
            Entry::Vacant(free) => {
                free.insert(one);
            }
            Entry::Occupied(mut known) if known.get().rank() < one.rank() => {
                passed_over.push(known.insert(one));
            }
            Entry::Occupied(_) => passed_over.push(one),
        }
    }
    Ok(Latest { counted: last.into_values().collect(), passed_over })
}

impl<T> Run<T> {
    fn rank(&self) -> (bool, &str) {
        (self.complete, &self.date)
    }
}

/// Whether a run is of the task that is asked for: its name, or a pattern with `*`, `?` and `[...]`, as the
/// harnesses have them. A name that is no pattern, such as one with a lone bracket, is a name.
fn is_meant<T>(asked: &str, run: &Run<T>) -> bool {
    run.task == asked || Pattern::new(asked).is_ok_and(|pattern| pattern.matches(&run.task))
}
