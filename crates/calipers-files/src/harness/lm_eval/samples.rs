//! One file of samples: the questions of a task.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::line::{Answers, Line};
use super::questions::{Id, Question};
use super::targets::{Chosen, resolve};
use crate::error::unreadable;
use crate::harness::json;
use crate::words::file_name;

/// The questions of a task.
pub struct Task {
    pub questions: BTreeMap<Id, Question>,
    /// A line that is left out, and why.
    pub without: Option<String>,
}

/// The questions of one file; or why it holds none that can be measured, with the line if it is for one. A file
/// that is damaged is a reason, too, and no error: it is one of many, of many models.
///
/// # Errors
/// The reason.
pub fn questions(path: &Path, task: &str) -> Result<Task, String> {
    let name = file_name(path);
    let refused = |error: std::io::Error| unreadable(&name, &error).message().to_owned();
    let mut reader = BufReader::new(File::open(path).map_err(refused)?);
    let mut filter: Option<Option<String>> = None;
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut chosen, mut without): (Vec<Chosen>, Option<String>) = (Vec::new(), None);
    let (mut bytes, mut at) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut bytes).map_err(refused)? > 0 {
        at += 1;
        let place = format!("{name}, line {at}");
        let is_whole = bytes.last() == Some(&b'\n');
        let read = if bytes.trim_ascii().is_empty() { None } else { Some(json::value(&bytes)) };
        bytes.clear();
        let line: Line = match read {
            None => continue,
            Some(Ok(line)) => line,
            // Nothing follows: the run, or a copy of the file, was broken off here.
            Some(Err(_)) if !is_whole && !chosen.is_empty() => {
                without = Some(format!("{place}, the last, which is written in part"));
                break;
            }
            Some(Err(error)) => {
                return Err(format!("{place}: this is no sample of lm_eval: {error}"));
            }
        };
        // Every filter has all questions once more.
        if *filter.get_or_insert_with(|| line.filter.clone()) != line.filter {
            continue;
        }
        let options = match line.answers() {
            Answers::Options(options) => options,
            Answers::Other(reason) => return Err(reason.to_owned()),
            Answers::Bad(value) => {
                return Err(format!(
                    "{place}: the log-likelihood {value} is not a number below infinity"
                ));
            }
        };
        if options.iter().all(|option| *option <= f64::NEG_INFINITY) {
            return Err(format!("{place}: no option is possible"));
        }
        let Some(number) = line.number() else {
            return Err(format!("{place}: doc_id is not a number"));
        };
        if let Some(first) = numbers.insert(number, at) {
            return Err(format!(
                "{place}: question {number} was on line {first} already: a second run added to the file"
            ));
        }
        chosen.push(Chosen { line, options });
    }
    if chosen.is_empty() {
        return Err("there are no questions".to_owned());
    }
    let right = resolve(&chosen)?;
    let all = chosen.into_iter().zip(right).filter_map(|(one, right)| {
        let id = (task.to_owned(), one.line.number()?);
        Some((id, Question { options: one.options, right, hash: one.line.doc_hash }))
    });
    Ok(Task { questions: all.collect(), without })
}
