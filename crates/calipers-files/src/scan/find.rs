//! Which files are meant: by their names, by the directory they are in, or by a pattern.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glob::glob_with;

use super::dataset;
use crate::error::{Error, Result, unreadable};
use crate::formats::Format;
use crate::names::{OPTIONS, WILDCARDS, is_passed_over, is_readable};
use crate::words::file_name;

/// The files that a path means. What is there is taken as it is called, whatever letters are in its name.
///
/// # Errors
/// Nothing is there, or nothing that can be read.
pub fn files(given: &Path) -> Result<Vec<PathBuf>> {
    match fs::metadata(given) {
        Ok(metadata) if metadata.is_dir() => match within(given)? {
            none if none.is_empty() => Err(Error::input(format!(
                "{}: no file in the directory ends in {}",
                file_name(given),
                Format::endings("or")
            ))),
            files => Ok(files),
        },
        Ok(_) => Ok(vec![given.to_owned()]),
        Err(error) if is_pattern(given) => matching(given, &error),
        Err(error) => {
            Format::of(given)?;
            Err(unreadable(&file_name(given), &error))
        }
    }
}

/// The files of a directory: those of a dataset, or else all that can be read.
fn within(directory: &Path) -> Result<Vec<PathBuf>> {
    match dataset::files(directory)? {
        Some(files) => Ok(files),
        None => below(directory),
    }
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(WILDCARDS)
}

/// The files that a pattern matches, in the order of their paths.
fn matching(pattern: &Path, missing: &io::Error) -> Result<Vec<PathBuf>> {
    let name = file_name(pattern);
    // What is no pattern is the name of a file that is not there.
    let paths =
        glob_with(&pattern.to_string_lossy(), OPTIONS).map_err(|_| unreadable(&name, missing))?;
    let asked_for = pattern.file_name().is_some_and(|name| is_passed_over(Path::new(name)));
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|error| unreadable(&file_name(error.path()), error.error()))?;
        if path.is_dir() {
            found.extend(within(&path)?);
        } else if asked_for || !is_passed_over(&path) {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(Error::input(format!("{name}: no file matches")));
    }
    found.sort_unstable();
    // A directory and one within it may both match.
    found.dedup();
    Ok(found)
}

/// The files below a directory that can be read by what they end in, in the order of their paths. A link
/// to a directory is not followed: it may lead back.
fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let failed = |error: std::io::Error| unreadable(&file_name(&directory), &error);
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if is_passed_over(&path) {
                continue;
            }
            if entry.file_type().map_err(failed)?.is_dir() {
                open.push(path);
            } else if path.is_file() && is_readable(&path) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
