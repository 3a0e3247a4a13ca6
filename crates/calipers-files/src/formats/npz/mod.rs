//! NPZ, NumPy's archive of arrays, and NPY, an array alone.

mod npy;
mod one;
mod read;
mod write;

pub(crate) use one::is_one;

use super::pieces::{Piece, Whole};
use super::{Asked, Content, Format, Support};
use crate::error::Result;
use crate::table::Table;

pub(super) const FORMAT: Format = Format {
    name: "NPZ",
    about: "NPZ with the arrays probs (or logits) and labels, and weights, groups, folds and classes \
            if there are, or a pair of NPY files",
    extensions: &["npz"],
    aliases: &["npy"],
    start: Some((b"PK\x03\x04", "a zip archive, such as NPZ")),
    arrays: true,
    packs: false,
    support: Support::BuiltIn {
        read,
        // An array is not cut without being read, and so an archive is one piece.
        open: |file, asked| {
            let bytes = asked.allowance.size();
            Ok(Box::new(Whole::new(move || {
                Ok(Piece { table: read(Content::File(file), asked)?, bytes })
            })))
        },
        write: |sheet, _, file| write::write(sheet, file),
        // An array begins with its length.
        append: None,
    },
};

fn read(content: Content<'_>, asked: Asked<'_>) -> Result<Table> {
    match is_one(asked.path) {
        true => one::read(content, asked),
        false => read::read(content, asked),
    }
}
