//! A batch as rows that know who they are.

use calipers::{Identities, identity};

use crate::error::Error;
use crate::scan::{Batch, Inputs};

/// The identities of a batch's rows, if it has keys.
pub fn keyed(batch: &Batch) -> Option<Vec<u64>> {
    batch.keys.as_ref().map(|keys| {
        let mut found = vec![0; batch.rows()];
        keys.each(|row, key| {
            if let Some(place) = found.get_mut(row) {
                *place = identity(key);
            }
        });
        found
    })
}

/// Who the rows of a batch are: by their keys, or by their places in a file of this number.
pub fn identities<'a>(batch: &Batch, keys: Option<&'a [u64]>, part: usize) -> Identities<'a> {
    match keys {
        Some(keys) => Identities::Keyed(keys),
        None => Identities::Numbered { part: part as u32, first: batch.first },
    }
}

/// The core's error about a batch, with its place in the files.
pub fn located(error: &calipers::Error, batch: &Batch, inputs: &Inputs) -> Error {
    let name = inputs.name(batch.file);
    match (error, error.row()) {
        (calipers::Error::Weight { value, reason, .. }, Some(row)) => Error::input(format!(
            "{name}, row {}: weight {value} {reason}",
            batch.first + row as u64
        )),
        _ => Error::input(format!("{name}: {error}")),
    }
}
