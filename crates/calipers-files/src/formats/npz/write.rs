//! Columns as NumPy's archive: `probs` is a matrix, every other column an array of its name.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::iter::repeat;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy;
use crate::output::steady::Steady;
use crate::sheet::{Cells, Sheet};
use crate::table::Text;

/// Letters that a text may have. NumPy gives every cell the room of the longest, four bytes a letter:
/// one long text in a million rows would fill the disk.
const LONGEST: usize = 512;

/// Writes the arrays uncompressed: probabilities hardly compress.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let mut steady = Steady::new(file);
    let mut archive = ZipWriter::new(&mut steady);
    let class = |(_, cells): &(String, Cells<'_>)| {
        if let Cells::Class(class) = cells { Some(*class) } else { None }
    };
    let classes: Vec<usize> = sheet.columns.iter().filter_map(class).collect();
    let probs = sheet.probs.rows().into_iter().flat_map(|row| {
        classes.iter().map(move |&class| row[class].to_le_bytes()).collect::<Vec<_>>()
    });
    match classes.len() {
        // A single column is a vector, as it was read.
        1 => add(&mut archive, "probs", "<f8", &[sheet.rows()], probs),
        many => add(&mut archive, "probs", "<f8", &[sheet.rows(), many], probs),
    }?;
    for (name, cells) in &sheet.columns {
        match cells {
            Cells::Class(_) => Ok(()),
            Cells::Whole(numbers) => {
                let bytes = numbers.iter().map(|number| number.to_le_bytes());
                add(&mut archive, name, "<i8", &[numbers.len()], bytes)
            }
            Cells::Numbers(numbers) => {
                let bytes = numbers.iter().map(|number| number.to_le_bytes());
                add(&mut archive, name, "<f8", &[numbers.len()], bytes)
            }
            Cells::Text(text) => add_text(&mut archive, name, text),
        }?;
    }
    archive.finish()?;
    steady.finish()
}

type Archive<'a, 'b> = ZipWriter<&'a mut Steady<&'b mut File>>;

/// Adds an array; each of its elements is one or several pieces of as many bytes.
fn add<const BYTES: usize>(
    archive: &mut Archive<'_, '_>,
    name: &str,
    described: &str,
    shape: &[usize],
    pieces: impl Iterator<Item = [u8; BYTES]>,
) -> io::Result<()> {
    // As NumPy does, whether or not an array takes more than 4 GiB.
    let options = SimpleFileOptions::default().large_file(true);
    let options = options.compression_method(CompressionMethod::Stored);
    archive.start_file(format!("{name}.npy"), options)?;
    npy::write(archive, described, shape, pieces)
}

/// Adds text, whose length is part of an array's type.
fn add_text(archive: &mut Archive<'_, '_>, name: &str, text: &Text) -> io::Result<()> {
    let longest = text.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    if longest > LONGEST {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!(
                "{name} has a text of {longest} letters, and an NPZ archive is given {LONGEST}"
            ),
        ));
    }
    // NumPy has no text of no letters.
    let longest = longest.max(1);
    let letters =
        text.iter().flat_map(|cell| cell.chars().map(u32::from).chain(repeat(0)).take(longest));
    add(archive, name, &format!("<U{longest}"), &[text.len()], letters.map(u32::to_le_bytes))
}
