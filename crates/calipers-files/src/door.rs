//! The way in: from a file to predictions in one step.

use std::path::Path;

use calipers::Predictions;

use crate::allowance::LEAST;
use crate::columns::{Columns, Loaded, paired};
use crate::error::Result;
use crate::read::{read, read_within};

/// Reads a file of predictions as `calipers estimate FILE` does: the format is that of the path's
/// extension, the columns are guessed, and every number is checked. Nothing is printed.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// std::fs::write(&file, "label,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,0.5\n")?;
/// let predictions = calipers_files::predictions(&file)?;
/// assert_eq!((predictions.rows(), predictions.classes()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Whatever is wrong with the file or with what it holds, in words for the person who has it.
pub fn predictions(path: impl AsRef<Path>) -> Result<Predictions<'static>> {
    predictions_within(path, LEAST)
}

/// As [`predictions`], of a file that may unfold to so many bytes, instead of 1 GiB, or to a hundred
/// times its size, whichever is more.
///
/// # Errors
/// As [`predictions`]; more than so many bytes.
pub fn predictions_within(path: impl AsRef<Path>, bytes: u64) -> Result<Predictions<'static>> {
    let columns = paired(path.as_ref(), &Columns::default())?;
    let table = read_within(path, &columns.wanted(), bytes)?;
    Ok(Loaded::of(table, &columns, &|_| {})?.predictions)
}

/// Reads what is needed of a file and makes predictions of the columns asked for; `say` is told, a
/// line at a time, what was guessed.
///
/// ```
/// use calipers_files::{Columns, load};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.tsv");
/// std::fs::write(&file, "y\tscore\tcount\n0\t-1.5\t3\n1\t0.25\t1\n")?;
/// let columns = Columns::new().logits(["score"]).weight("count");
/// let loaded = load(&file, &columns, &|line| eprintln!("{line}"))?;
/// assert!(loaded.logits && loaded.predictions.weights().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read`] and [`Loaded::of`].
pub fn load(path: impl AsRef<Path>, columns: &Columns, say: &dyn Fn(&str)) -> Result<Loaded> {
    let columns = paired(path.as_ref(), columns)?;
    Loaded::of(read(path, &columns.wanted())?, &columns, say)
}
