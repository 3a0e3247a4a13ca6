//! Folders as the Python package `datasets` saves them: Arrow files, listed in `state.json`, and what their
//! columns are in `dataset_info.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result, unreadable};
use crate::table::{Column, Source, Text, Values};
use crate::words::file_name;

/// Bytes that such a list may have.
const LONGEST: u64 = 64 << 20;

/// The names of the classes that a column's numbers stand for, from 0, by the column's name.
pub type ClassNames = BTreeMap<String, Vec<String>>;

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
struct Info {
    #[serde(default)]
    features: BTreeMap<String, Value>,
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
    let (state, info) = (folder.join("state.json"), folder.join("dataset_info.json"));
    if !state.is_file() || !info.is_file() {
        return Ok(None);
    }
    let found: State = parsed(&state)?;
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
    let Some(folder) = file.parent() else { return Ok(ClassNames::new()) };
    let info = folder.join("dataset_info.json");
    if !folder.join("state.json").is_file() || !info.is_file() {
        return Ok(ClassNames::new());
    }
    let Info { features } = parsed(&info)?;
    let names = |feature: &Value| {
        let names =
            feature.get("names").filter(|_| feature["_type"] == "ClassLabel")?.as_array()?;
        names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let named = features.iter().filter_map(|(column, of)| Some((column.clone(), names(of)?)));
    Ok(named.collect())
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

/// Puts the names of classes in the place of the numbers that stand for them; −1 is a missing one.
///
/// # Errors
/// A number that stands for none.
pub fn name_labels(column: &mut Column, names: &[String], source: &Source) -> Result<()> {
    let Values::Numbers(numbers) = &column.values else { return Ok(()) };
    let mut words = Text::default();
    for (row, &number) in numbers.iter().enumerate() {
        let whole = number >= 0.0 && number.fract().abs() <= 0.0;
        match names.get(number as usize).filter(|_| whole) {
            Some(name) => words.push(name),
            None if number.is_nan() || (number + 1.0).abs() <= 0.0 => words.push(""),
            None => {
                return Err(Error::input(format!(
                    "{}: label {number} is none of the {} classes that the dataset names",
                    source.cell(row, &column.name),
                    names.len()
                )));
            }
        }
    }
    column.values = Values::Text(words);
    Ok(())
}
