//! The labels of a single array, in a file beside it.

use std::path::{Path, PathBuf};

use super::Columns;
use crate::error::{Error, Result};
use crate::formats::npz::is_one;
use crate::remote::is_url;
use crate::words::{file_name, joined};

/// What files of predictions are called, and those of labels beside them.
const PAIRS: [(&str, &str); 3] = [("probs", "labels"), ("logits", "labels"), ("y_prob", "y_true")];

/// What a file of labels is called whatever that of the predictions is.
const LABELS: &str = "labels.npy";

/// The columns that are asked for, with the file of labels that is beside a single array if none is named.
///
/// # Errors
/// None is there, or more than one.
pub fn paired(path: &Path, asked: &Columns) -> Result<Columns> {
    if !is_one(path) || asked.label.is_some() {
        return Ok(asked.clone());
    }
    let own = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let renamed = PAIRS.iter().filter(|(from, _)| own.contains(from));
    let mut names: Vec<String> = renamed.map(|(from, to)| own.replacen(from, to, 1)).collect();
    names.push(LABELS.to_owned());
    names.dedup();
    let mut found: Vec<PathBuf> = names.iter().map(|name| path.with_file_name(name)).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|other| other != path && !is_url(path) && other.is_file());
    let name = file_name(path);
    let error = match found.as_slice() {
        [only] if only.to_str().is_some() => {
            return Ok(asked.clone().label(only.to_string_lossy()));
        }
        [] => Error::input(format!("{name}: there is no {} beside it", joined(&names, "or"))),
        several => {
            let several: Vec<String> = several.iter().map(|path| file_name(path)).collect();
            let several = joined(&several, "or");
            Error::input(format!("{name}: {several} may be the file of what was observed"))
        }
    };
    Err(error.with_hint("--label names the file: --label labels.npy"))
}
