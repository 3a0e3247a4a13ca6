//! The files that a harness left below some directories.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, unreadable};
use crate::words::file_name;

/// Directories within directories, at most.
const DEEPEST: usize = 16;

/// All files below some paths that are of the harness, each once; a path may be such a file itself.
///
/// # Errors
/// A path that cannot be read; and the one that `none` makes of a path where there is nothing.
pub fn below(
    paths: &[PathBuf],
    is_one: fn(&Path) -> bool,
    none: fn(String) -> Error,
) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        walk(path, DEEPEST, is_one, &mut found)?;
        if found.len() == before {
            return Err(none(file_name(path)));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn walk(
    path: &Path,
    deep: usize,
    is_one: fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    let name = file_name(path);
    let about = match fs::metadata(path) {
        Ok(about) => about,
        // A link to nowhere, and none of ours: directories hold much else.
        Err(_) if deep < DEEPEST && !is_one(path) => return Ok(()),
        Err(error) => return Err(unreadable(&name, &error)),
    };
    if !about.is_dir() {
        found.extend(is_one(path).then(|| path.to_owned()));
        return Ok(());
    }
    if deep == 0 {
        return Err(Error::input(format!("{name}: it is too deep within other directories")));
    }
    let entries = fs::read_dir(path).map_err(|error| unreadable(&name, &error))?;
    for entry in entries {
        let inner = entry.map_err(|error| unreadable(&name, &error))?.path();
        walk(&inner, deep - 1, is_one, found)?;
    }
    Ok(())
}
