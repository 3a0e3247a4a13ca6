//! How much of some files there is room for.

use crate::error::Result;
use crate::scan::{Inputs, Layout};

/// Rows that g learns from where there are more than fit in memory, unless it is said.
const SAMPLE: usize = 1_000_000;

/// What a row takes while it is estimated, in bytes: measured as the peak of `auto` on 10⁷ rows of two
/// classes, on 100,000 of 100 and on 50,000 of 1,000 (`make study NAME=stream`).
const ROW: usize = 64;
const TWO_CLASSES: usize = 80;
const CLASS: usize = 80;

/// What a byte of a text file becomes, and of one that is compressed.
const TEXT: u64 = 8;
const PACKED: u64 = 40;

/// How many rows may be in memory at once.
///
/// ```
/// use calipers_files::Room;
///
/// let room = Room { memory: 2_000_000_000, sample: None };
/// assert_eq!(room.sample_of(2, 5_000), usize::MAX.min(room.rows(2)));
/// assert_eq!(room.sample_of(2, 1_000_000_000), 1_000_000);
/// assert!(room.sample_of(1_000, 1_000_000_000) < 30_000);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes that may be used.
    pub memory: u64,
    /// Rows that g learns from, if that was said.
    pub sample: Option<usize>,
}

impl Room {
    /// How many rows of so many classes fit.
    pub fn rows(&self, classes: usize) -> usize {
        let row = ROW + if classes > 2 { CLASS * classes } else { TWO_CLASSES };
        (self.memory / row as u64).max(1_000) as usize
    }

    /// How many rows to draw of so many: all if they fit, unless something else was said.
    pub fn sample_of(&self, classes: usize, rows: u64) -> usize {
        let fit = self.rows(classes);
        match self.sample {
            Some(sample) => sample.min(fit),
            None if rows <= fit as u64 => fit,
            None => SAMPLE.min(fit),
        }
    }
}

/// How many rows of some files to draw: as many as there is room for.
///
/// # Errors
/// A file that cannot be read.
pub fn planned(inputs: &Inputs, layout: &Layout, room: Room) -> Result<usize> {
    Ok(room.sample_of(classes(layout), rows(inputs, layout, room)?))
}

/// Whether all rows of some files fit.
///
/// # Errors
/// A file that cannot be read.
pub fn fits(inputs: &Inputs, layout: &Layout, room: Room) -> Result<bool> {
    Ok(rows(inputs, layout, room)? <= room.rows(classes(layout)) as u64)
}

fn classes(layout: &Layout) -> usize {
    layout.scores().len().max(2)
}

/// How many rows there are, from what the files say of themselves, or else from their sizes.
fn rows(inputs: &Inputs, layout: &Layout, room: Room) -> Result<u64> {
    if let Some(rows) = inputs.rows()? {
        return Ok(rows);
    }
    let row = (room.memory / room.rows(classes(layout)) as u64).max(1);
    let unfolded = |file: usize| {
        let end = inputs.path(file).extension();
        let packed = end.is_some_and(|end| end == "gz" || end == "zst");
        inputs.size(file).saturating_mul(if packed { PACKED } else { TEXT })
    };
    Ok((0..inputs.len()).map(unfolded).fold(0u64, u64::saturating_add) / row)
}
