//! Columns as NumPy's archive: `probs` is a matrix, every other column an array of its name.

use std::fs::File;
use std::io::{self, ErrorKind};

use ndarray::{Array1, Axis};
use ndarray_npy::{NpzWriter, WriteNpzError};

use super::{Cells, Sheet};
use crate::input::Text;
use crate::output::npy::Letters;
use crate::output::steady::Steady;

/// Writes the arrays uncompressed: probabilities hardly compress.
pub fn write(sheet: &Sheet<'_>, file: &mut File) -> io::Result<()> {
    let mut steady = Steady::new(file);
    let mut archive = NpzWriter::new(&mut steady);
    let class = |(_, cells): &(String, Cells<'_>)| {
        if let Cells::Class(class) = cells { Some(*class) } else { None }
    };
    let classes: Vec<usize> = sheet.columns.iter().filter_map(class).collect();
    match classes.as_slice() {
        // A single column is a vector, as it was read.
        &[only] => archive.add_array("probs", &sheet.probs.column(only)),
        many => archive.add_array("probs", &sheet.probs.select(Axis(1), many)),
    }
    .map_err(failed)?;
    for (name, cells) in &sheet.columns {
        match cells {
            Cells::Class(_) => Ok(()),
            Cells::Whole(numbers) => {
                archive.add_array(name, &Array1::from(numbers.clone())).map_err(failed)
            }
            Cells::Numbers(numbers) => {
                archive.add_array(name, &Array1::from(numbers.to_vec())).map_err(failed)
            }
            Cells::Text(text) => add_text(&mut archive, name, text),
        }?;
    }
    archive.finish().map_err(failed)?;
    steady.finish()
}

/// Adds text, whose length is part of an array's type.
fn add_text(
    archive: &mut NpzWriter<&mut Steady<&mut File>>,
    name: &str,
    text: &Text,
) -> io::Result<()> {
    let longest = text.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    match longest {
        0..=8 => add_letters::<8>(archive, name, text),
        9..=32 => add_letters::<32>(archive, name, text),
        33..=128 => add_letters::<128>(archive, name, text),
        129..=512 => add_letters::<512>(archive, name, text),
        _ => Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!("{name} has a text of {longest} letters, and an NPZ archive is given 512"),
        )),
    }
}

fn add_letters<const LONGEST: usize>(
    archive: &mut NpzWriter<&mut Steady<&mut File>>,
    name: &str,
    text: &Text,
) -> io::Result<()> {
    let words: Array1<Letters<LONGEST>> = text.iter().map(Letters::of).collect();
    archive.add_array(name, &words).map_err(failed)
}

fn failed(error: WriteNpzError) -> io::Error {
    io::Error::other(error)
}
