//! CSV and TSV: text with a delimiter and a header line, which may be compressed as a whole.

mod builder;
mod lines;
mod read;
mod record;
mod write;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::growing::Growing;
use super::packed::{Packed, Packer, Unfolded, packer, unpacked};
use super::pieces::{Count, Counted, Opened, Piece, Pieces, Size, until_empty};
use super::{Asked, Format, Support, extension};
use crate::error::Result;
use crate::sheet::Sheet;
use crate::table::Table;
pub(crate) use builder::number;
use read::Reader;
use write::Writer;

pub(super) const FORMAT: Format = Format {
    name: "CSV",
    about: "CSV or TSV with a header line",
    extensions: &["csv", "tsv", "txt"],
    aliases: &["tab"],
    start: None,
    arrays: false,
    packs: true,
    support: Support::BuiltIn {
        read: |content, asked| read(content, asked),
        open: |file, asked| Ok(Box::new(open(Box::new(file), asked)?)),
        write,
        append: Some(append),
    },
};

/// Reads text as a whole, whether it is a file or not.
pub(crate) fn read(file: impl Read, asked: Asked<'_>) -> Result<Table> {
    let Asked { path, name, wanted, allowance } = asked;
    let delimiter = delimiter(path);
    match Packed::of(path) {
        None => Reader::open(file, name, delimiter, wanted)?.take(Size::WHOLE),
        Some((packed, _)) => {
            let text = Unfolded::new(packed.unpack(file, name)?, allowance);
            Reader::open(text, name, delimiter, wanted)?.take(Size::WHOLE)
        }
    }
}

/// Text that is read some rows at a time; what it unfolds to is never in memory as a whole, so that it may
/// be as much as it likes.
struct Text<'a> {
    reader: Reader<'a, Box<dyn Read + 'a>>,
    count: Count,
}

/// Opens text to be read some rows at a time, whether it is a file or not.
pub(crate) fn open<'a>(file: Box<dyn Read + 'a>, asked: Asked<'a>) -> Result<impl Opened + 'a> {
    let Asked { path, name, wanted, .. } = asked;
    let (file, count) = Counted::new(file);
    let text = unpacked(path, file, name)?;
    Ok(Text { reader: Reader::open(text, name, delimiter(path), wanted)?, count })
}

impl Opened for Text<'_> {
    fn pieces(&mut self, _: usize) -> Result<Pieces<'_>> {
        let Self { reader, count } = self;
        let size = Size::of(reader.columns());
        Ok(until_empty(move || Ok(Piece { table: reader.take(size)?, bytes: count.take() })))
    }
}

fn write(sheet: &Sheet<'_>, path: &Path, file: &mut File) -> io::Result<()> {
    let mut out = packer(path, file)?;
    write::write(sheet, delimiter(path).unwrap_or(b','), &mut out)?;
    out.finish()
}

/// Begins a file that sheets are added to.
fn append(path: &Path, file: File) -> io::Result<Box<dyn Growing>> {
    let out = packer(path, file)?;
    Ok(Box::new(Writer::new(delimiter(path).unwrap_or(b','), out)))
}

/// Begins to print sheets to standard output.
pub(crate) fn append_stdout() -> Box<dyn Growing> {
    Box::new(Writer::new(b',', Packer::Plain(io::stdout())))
}

/// Writes to standard output.
pub(crate) fn print(sheet: &Sheet<'_>) -> io::Result<()> {
    write::write(sheet, b',', io::stdout().lock())
}

/// The delimiter, if the file's name tells; else the first line does.
fn delimiter(path: &Path) -> Option<u8> {
    let own = match Packed::of(path) {
        None => extension(path)?,
        Some((_, own)) => own,
    };
    ["tsv", "tab"].contains(&own.as_str()).then_some(b'\t')
}
