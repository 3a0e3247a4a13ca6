//! How much of some files there is room for.

use calipers::usual_sample;

use crate::allowance::{Allowance, CELL, LEAST};
use crate::error::Result;
use crate::scan::{Inputs, Layout};

/// What a row takes while it is estimated, in bytes, by the peaks of `auto`: 1.45 GB for 10⁷ rows of two
/// classes, 2.1 GB for 25,000 of 1,000 (docs/scale.md has the latter).
const ROW: usize = 64;
const TWO_CLASSES: usize = 80;
const CLASS: usize = 80;

/// What a feature of a row takes: as it was read, as it is kept, and in cells.
const FEATURE: usize = 24;

/// The fewest bytes that a row of a text takes: a label, a probability and what separates them.
const SHORTEST: u64 = 4;

/// How many rows may be learnt from.
///
/// ```
/// use calipers_files::Room;
///
/// let room = Room { memory: 2_000_000_000, sample: None };
/// assert_eq!(room.sample_of(2), 1_000_000);
/// assert_eq!(room.sample_of(1_000), 20_971);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes that may be used.
    pub memory: u64,
    /// Rows that g learns from, if that was said.
    pub sample: Option<usize>,
}

impl Room {
    /// How many rows of so many classes to draw: as many as were asked for, as far as they fit.
    pub fn sample_of(&self, classes: usize) -> usize {
        self.sample_with(classes, 0)
    }

    /// The same where so many features are known of each row.
    fn sample_with(&self, classes: usize, features: usize) -> usize {
        let probabilities = if classes > 2 { CLASS * classes } else { TWO_CLASSES };
        let row = ROW + probabilities + FEATURE * features;
        let fit = (self.memory / row as u64).max(1_000) as usize;
        self.sample.unwrap_or_else(|| usual_sample(classes)).min(fit)
    }
}

/// How many rows of some files to draw.
pub fn planned(layout: &Layout, room: Room) -> usize {
    room.sample_with(layout.score_columns().max(2), layout.features())
}

/// Whether the rows of some files are surely no more than are drawn: from what the files say of
/// themselves, or from the size of a text that is not compressed.
///
/// # Errors
/// A file that cannot be read.
pub fn fits(inputs: &Inputs, layout: &Layout, room: Room) -> Result<bool> {
    let most = planned(layout, room) as u64;
    if let Some(rows) = inputs.rows()? {
        // A file that promises more than any file can hold is damaged: reading it as a table says so.
        let promised = rows.saturating_mul(CELL).saturating_mul(layout.score_columns() as u64);
        let believable = Allowance::of("", inputs.bytes(), LEAST).limit();
        return Ok(rows <= most || promised > believable);
    }
    let plain = (0..inputs.len()).all(|file| {
        let end = inputs.path(file).extension();
        end.is_none_or(|end| end != "gz" && end != "zst")
    });
    Ok(plain && inputs.is_within(SHORTEST.saturating_mul(most + 1) - 1)?)
}
