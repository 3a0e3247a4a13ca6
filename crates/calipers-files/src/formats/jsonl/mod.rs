//! JSON Lines: an object a line, which may be compressed as a whole.

mod builder;
mod cell;
mod read;
mod tokens;
mod write;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::growing::Growing;
use super::packed::{Packed, Unfolded, packer, unpacked};
use super::pieces::{Count, Counted, Opened, Piece, Pieces, Size, until_empty};
use super::{Asked, Content, Format, Support};
use crate::error::Result;
use crate::sheet::Sheet;
use crate::table::Table;
use read::Reader;
use write::Writer;

pub(super) const FORMAT: Format = Format {
    name: "JSONL",
    about: "JSON Lines, an object a line",
    extensions: &["jsonl", "ndjson"],
    aliases: &[],
    start: None,
    arrays: false,
    packs: true,
    support: Support::BuiltIn {
        read,
        open: |file, asked| Ok(Box::new(open(file, asked)?)),
        write,
        append: Some(append),
    },
};

/// Reads the text as a whole.
fn read(content: Content<'_>, asked: Asked<'_>) -> Result<Table> {
    let Asked { path, name, wanted, mut allowance } = asked;
    let text = unpacked(path, content, name)?;
    let text: Box<dyn Read + '_> = match Packed::of(path) {
        None => text,
        Some(_) => Box::new(Unfolded::new(text, allowance.clone())),
    };
    Reader::new(BufReader::new(text), name, wanted).take(Size::WHOLE, &mut allowance)
}

/// Text that is read some rows at a time.
struct Lines<'a> {
    reader: Reader<'a, BufReader<Box<dyn Read + 'a>>>,
    count: Count,
    asked: Asked<'a>,
}

fn open<'a>(file: File, asked: Asked<'a>) -> Result<impl Opened + 'a> {
    let Asked { path, name, wanted, .. } = asked;
    let (file, count) = Counted::new(file);
    let text = BufReader::new(unpacked(path, file, name)?);
    Ok(Lines { reader: Reader::new(text, name, wanted), count, asked })
}

impl Opened for Lines<'_> {
    fn pieces(&mut self, _: usize) -> Result<Pieces<'_>> {
        let Self { reader, count, asked } = self;
        // How many columns there are is not known before the rows are read; long rows end a piece, too.
        let size = Size::of(1);
        Ok(until_empty(move || {
            let table = reader.take(size, &mut asked.allowance.clone())?;
            Ok(Piece { table, bytes: count.take() })
        }))
    }
}

fn write(sheet: &Sheet<'_>, path: &Path, file: &mut File) -> io::Result<()> {
    let mut out = Writer::new(packer(path, file)?);
    out.append(sheet)?;
    out.finish()
}

/// Begins a file that sheets are added to.
fn append(path: &Path, file: File) -> io::Result<Box<dyn Growing>> {
    Ok(Box::new(Writer::new(packer(path, file)?)))
}
