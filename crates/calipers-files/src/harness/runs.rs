//! Runs of models on tasks, and which of them count.

use std::collections::BTreeMap;

use calipers::words::listed;

use crate::error::{Error, Result};

/// A run of a model on a task, with what is known of it.
#[derive(Debug)]
pub struct Run<T> {
    pub model: String,
    pub task: String,
    /// When it was, in letters that sort by time.
    pub date: String,
    pub known: T,
}

/// A task of a model that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The model.
    pub model: String,
    /// The task.
    pub task: String,
    /// Why.
    pub reason: String,
}

/// The last run of each model and task, in their order, and how many earlier ones there were. If tasks are named,
/// no others.
///
/// # Errors
/// A task that was named and is not there.
pub fn latest<T>(all: Vec<Run<T>>, tasks: &[String]) -> Result<(Vec<Run<T>>, usize)> {
    if let Some(task) = tasks.iter().find(|task| all.iter().all(|one| one.task != **task)) {
        let mut there: Vec<&str> = all.iter().map(|one| one.task.as_str()).collect();
        there.sort_unstable();
        there.dedup();
        return Err(Error::input(format!("--task {task}: there is no such task"))
            .with_hint(format!("there are {}", listed(&there))));
    }
    let mut last: BTreeMap<(String, String), Run<T>> = BTreeMap::new();
    let mut earlier = 0;
    for one in all.into_iter().filter(|one| tasks.is_empty() || tasks.contains(&one.task)) {
        let key = (one.model.clone(), one.task.clone());
        let known = last.get(&key);
        earlier += usize::from(known.is_some());
        if known.is_none_or(|known| known.date < one.date) {
            last.insert(key, one);
        }
    }
    Ok((last.into_values().collect(), earlier))
}
