//! Folders as the Python package `datasets` saves them: Arrow files, listed in `state.json`, and what their
//! columns are in `dataset_info.json`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result, unreadable};
use crate::table::{ClassNames, Info};
use crate::words::file_name;

/// Bytes that such a list may have.
const LONGEST: u64 = 64 << 20;

#[derive(Deserialize)]
struct State {
    #[serde(rename = "_data_files")]
    files: Vec<Listed>,
    #[serde(rename = "_indices_files", default)]
    indices: Vec<Value>,
}

#[derive(Deserialize)]
struct Listed {
    filename: PathBuf,
}

#[derive(Deserialize)]
struct Splits {
    splits: Vec<String>,
}

/// The files of a dataset, in order, if a folder is one.
///
/// # Errors
/// It is several datasets, one in a folder; its list cannot be read, or names what is not in the folder.
pub fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let name = file_name(folder);
    let several = folder.join("dataset_dict.json");
    if several.is_file() {
        let Splits { splits } = parsed(&several)?;
        let folders = splits.iter().map(|split| file_name(&folder.join(split))).collect();
        return Err(Error::input(format!("{name}: there are several datasets in it, one a split"))
            .with_list(folders)
            .with_hint("name the folder of one split"));
    }
    let state = folder.join("state.json");
    let Some(found) = state_of(folder)? else { return Ok(None) };
    if !found.indices.is_empty() {
        return Err(Error::input(format!(
            "{name}: the dataset chooses rows of its files by their places"
        ))
        .with_hint("save it again after flatten_indices()"));
    }
    let mut files = Vec::with_capacity(found.files.len());
    for Listed { filename } in found.files {
        // A list must not lead out of its folder.
        let mut parts = filename.components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            let (state, file) = (file_name(&state), file_name(&filename));
            return Err(Error::input(format!("{state}: {file:?} is no name of a file beside it")));
        }
        files.push(folder.join(filename));
    }
    match files.is_empty() {
        true => Err(Error::input(format!("{name}: the dataset has no files"))),
        false => Ok(Some(files)),
    }
}

/// The classes' names of the columns of a dataset that have them; of any other file's, none.
///
/// # Errors
/// What a dataset says of itself cannot be read.
pub fn class_names(file: &Path) -> Result<ClassNames> {
    let Some(folder) = file.parent() else { return Ok(ClassNames::default()) };
    match state_of(folder)? {
        Some(_) => Ok(ClassNames::of(&parsed::<Info>(&folder.join("dataset_info.json"))?)),
        None => Ok(ClassNames::default()),
    }
}

/// What the list of a dataset says, if a folder has one: other programs call files `state.json`, too.
fn state_of(folder: &Path) -> Result<Option<State>> {
    let (state, info) = (folder.join("state.json"), folder.join("dataset_info.json"));
    if !state.is_file() || !info.is_file() {
        return Ok(None);
    }
    let found: Value = parsed(&state)?;
    if found.get("_data_files").is_none() {
        return Ok(None);
    }
    let name = file_name(&state);
    let found = State::deserialize(found);
    found.map(Some).map_err(|error| Error::input(format!("cannot read {name}: {error}")))
}

fn parsed<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let name = file_name(path);
    let size = fs::metadata(path).map_err(|error| unreadable(&name, &error))?.len();
    if size > LONGEST {
        return Err(Error::input(format!("cannot read {name}: it is too long")));
    }
    let text = fs::read(path).map_err(|error| unreadable(&name, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::input(format!("cannot read {name}: {error}")))
}
