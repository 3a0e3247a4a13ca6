//! An array in a file of its own, with those that are named beside it: `probs.npy` and `labels.npy`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::super::{Asked, Content, extension};
use super::npy;
use super::read::explain;
use crate::allowance::{Allowance, LEAST};
use crate::error::{Result, unreadable};
use crate::table::{Column, Source, Table};
use crate::words::file_name;

/// Whether a file is a single array.
pub fn is_one(path: &Path) -> bool {
    extension(path).is_some_and(|end| end == "npy")
}

/// Reads the array as `probs`, or as `logits` if the file is called so, and every file that a column is asked
/// for by.
pub fn read(content: Content<'_>, asked: Asked<'_>) -> Result<Table> {
    let Asked { path, name, wanted, mut allowance } = asked;
    let logits = path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains("logits"));
    let own = if logits { "logits" } else { "probs" };
    let values = npy::read(BufReader::new(content), &mut allowance)
        .map_err(|fault| explain(fault, "the array", name))?;
    let mut columns = vec![Column { name: own.to_owned(), values }];
    let mut others: Vec<&str> = wanted.all_names().filter(|name| is_one(Path::new(name))).collect();
    others.sort_unstable();
    for other in others {
        let other_name = file_name(Path::new(other));
        let failed = |error: std::io::Error| unreadable(&other_name, &error);
        let file = File::open(other).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut allowance = Allowance::of(&other_name, size, LEAST);
        let values = npy::read(BufReader::new(file), &mut allowance)
            .map_err(|fault| explain(fault, "the array", &other_name))?;
        columns.push(Column { name: other.to_owned(), values });
    }
    Ok(Table { source: Source::archive(name), columns })
}
