//! The way in for other programs: a file of predictions, read as the commands read it.

use std::fmt;
use std::path::Path;

use calipers::Predictions;

use crate::args::ColumnArgs;
use crate::columns::{FoldSource, load};
use crate::error::Failure;
use crate::input::{LEAST, Wanted, read_within};

/// Why a file was not read: the text that the program prints after `error: `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

impl From<Failure> for Unreadable {
    fn from(failure: Failure) -> Self {
        Self(failure.message().to_owned())
    }
}

/// Reads a file of predictions as `calipers estimate FILE` does: the format is that of the path's
/// extension, the columns are guessed, and every number is checked. Nothing is printed.
///
/// ```
/// let file = std::env::temp_dir().join("calipers-door.csv");
/// std::fs::write(&file, "label,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,0.5\n")?;
/// let predictions = calipers_cli::predictions(&file)?;
/// assert_eq!((predictions.rows(), predictions.classes()), (2, 2));
/// # std::fs::remove_file(&file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Whatever is wrong with the file or with what it holds, in words for the person who has it.
pub fn predictions(path: &Path) -> Result<Predictions<'static>, Unreadable> {
    predictions_within(path, LEAST)
}

/// As [`predictions`], of a file that may unfold to so many bytes, instead of 1 GiB, or to a hundred
/// times its size, whichever is more.
///
/// # Errors
/// As [`predictions`]; more than so many bytes.
pub fn predictions_within(path: &Path, bytes: u64) -> Result<Predictions<'static>, Unreadable> {
    let table = read_within(path, &Wanted::default(), bytes)?;
    let loaded = load(table, &ColumnArgs::default(), &FoldSource::Unsaid, &|_| {})?;
    Ok(loaded.predictions)
}
