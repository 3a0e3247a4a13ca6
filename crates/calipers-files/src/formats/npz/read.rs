//! NPZ, NumPy's archive of arrays: `probs` (or `logits`) and `labels`, and if there are `weights`,
//! `groups`, `folds` and `classes`.

use std::io::BufReader;

use zip::ZipArchive;
use zip::result::ZipError;

use super::super::{Asked, Content};
use super::npy::{self, Fault};
use crate::error::{Error, Result};
use crate::table::{Column, NOT_READ, Source, Table, Values};
use crate::words::plain;

/// The arrays that have a meaning by their names; an archive may hold much else.
const KNOWN: [&str; 10] =
    ["probs", "logits", "labels", "label", "y", "target", "weights", "groups", "folds", "classes"];

/// Reads an archive.
pub fn read(content: Content<'_>, asked: Asked<'_>) -> Result<Table> {
    let Asked { name, wanted, mut allowance, .. } = asked;
    let no_archive = |error: ZipError| {
        Error::input(format!("cannot read {name}: it is no NPZ archive ({error})"))
    };
    let mut archive = ZipArchive::new(BufReader::new(content)).map_err(no_archive)?;
    let mut columns = Vec::with_capacity(archive.len());
    for at in 0..archive.len() {
        let entry = archive.name_for_index(at).unwrap_or_default();
        let array = entry.strip_suffix(".npy").unwrap_or(entry).to_owned();
        let values = if wanted.uses(&array) || KNOWN.contains(&array.as_str()) {
            let entry = archive.by_index(at).map_err(no_archive)?;
            npy::read(entry, &mut allowance).map_err(|fault| explain(fault, &array, name))?
        } else {
            Values::Other(NOT_READ.to_owned())
        };
        columns.push(Column { name: array, values });
    }
    Ok(Table { source: Source::archive(name), columns })
}

pub fn explain(fault: Fault, array: &str, name: &str) -> Error {
    let reason = match fault {
        Fault::Refused(error) => return error,
        Fault::Io(error) => plain(&error),
        Fault::Damaged(reason) => format!("the array is damaged: {reason}"),
    };
    Error::input(format!("cannot read {array} in {name}: {reason}"))
}
