//! Sheets out, one after another to one file.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::formats::growing::Growing;
use crate::formats::{Format, csv};
use crate::output::{Begun, failed};
use crate::sheet::Sheet;
use crate::words::file_name;

/// Writes sheets one after another to one file, whole or not at all: it takes its place when it is
/// finished, and one that is dropped before leaves nothing. `-` prints CSV to standard output.
///
/// ```
/// use calipers_files::{Cells, Sheet, SheetWriter};
/// use ndarray::array;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// let mut writer = SheetWriter::begin(&file)?;
/// for probs in [array![[0.75, 0.25]], array![[0.5, 0.5], [0.125, 0.875]]] {
///     let columns = vec![("p".to_owned(), Cells::Class(1))];
///     writer.append(&Sheet { probs: probs.view(), columns })?;
/// }
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&file)?, "p\n0.25\n0.5\n0.875\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SheetWriter {
    path: PathBuf,
    /// What takes its place at the end; standard output is none.
    begun: Option<Begun>,
    growing: Box<dyn Growing>,
    /// The columns of the first sheet.
    names: Option<Vec<String>>,
}

impl SheetWriter {
    /// Begins a file in the format that its name ends in.
    ///
    /// # Errors
    /// There is no such format or no such place, or the format holds arrays, which begin with their
    /// lengths.
    pub fn begin(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let format = Format::to_write(&path)?;
        if path == Path::new("-") {
            let growing = csv::append_stdout();
            return Ok(Self { path, begun: None, growing, names: None });
        }
        if !format.grows() {
            return Err(Error::input(format!(
                "{}: {} files are written at once, and not batch after batch",
                file_name(&path),
                format.name()
            ))
            .with_hint("write CSV, Parquet or Arrow"));
        }
        let begin = || {
            let mut begun = Begun::new(&path)?;
            let growing = format.append(&path, begun.file().try_clone()?)?;
            Ok((begun, growing))
        };
        match begin() {
            Ok((begun, growing)) => Ok(Self { path, begun: Some(begun), growing, names: None }),
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// Adds the rows of a sheet, which has the columns of the first.
    ///
    /// # Errors
    /// The columns are others, or hold what the file has no room for: text or fractions below whole
    /// numbers, where the format gives a column a type. The system fails.
    pub fn append(&mut self, sheet: &Sheet<'_>) -> Result<()> {
        sheet.check(false)?;
        let names = sheet.columns.iter().map(|(name, _)| name);
        match &self.names {
            None => self.names = Some(names.cloned().collect()),
            Some(first) if names.eq(first) => {}
            Some(_) => {
                return Err(Error::input(format!(
                    "cannot write {}: the columns are not the same in all batches",
                    file_name(&self.path)
                )));
            }
        }
        self.growing.append(sheet).map_err(|error| fault(&self.path, &error))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Nothing was written to it, or the system fails: nothing is left of it then.
    pub fn finish(self) -> Result<()> {
        let Self { path, begun, growing, names } = self;
        if names.is_none() {
            return Err(Error::input(format!(
                "cannot write {}: there are no rows",
                file_name(&path)
            )));
        }
        let finished = growing.finish().and_then(|()| begun.map_or(Ok(()), Begun::finish));
        finished.map_err(|error| fault(&path, &error))
    }
}

/// What cannot be written is the user's to mend if it is for what it is, and not for where.
fn fault(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        _ if path == Path::new("-") => Error::stdout(error),
        // The system's own faults hold nothing.
        ErrorKind::InvalidInput if error.get_ref().is_some() => {
            Error::input(format!("cannot write {}: column {error}", file_name(path)))
                .with_hint("write CSV, in which a column has no type")
        }
        _ => failed(path, error),
    }
}
