//! NPZ, NumPy's archive of arrays.

mod npy;
mod read;
mod write;

use super::pieces::{Piece, Whole};
use super::{Format, Support};

pub(super) const FORMAT: Format = Format {
    name: "NPZ",
    about: "NPZ with the arrays probs (or logits) and labels, and weights, groups, folds and classes \
            if there are",
    extensions: &["npz"],
    aliases: &[],
    start: Some((b"PK\x03\x04", "a zip archive, such as NPZ")),
    arrays: true,
    support: Support::BuiltIn {
        read: read::read,
        // An array is not cut without being read, and so an archive is one piece.
        open: |file, asked| {
            let bytes = asked.allowance.size();
            Ok(Box::new(Whole::new(move || Ok(Piece { table: read::read(file, asked)?, bytes }))))
        },
        write: |sheet, _, file| write::write(sheet, file),
        // An array begins with its length.
        append: None,
    },
};
