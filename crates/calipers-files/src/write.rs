//! Files out.

use std::path::Path;

use crate::error::{Error, Result};
use crate::formats::{Format, csv};
use crate::output;
use crate::sheet::{Cells, Sheet};

impl Sheet<'_> {
    /// Writes the file, whole or not at all, in the format that its name ends in; `-` prints CSV to
    /// standard output.
    ///
    /// # Errors
    /// There is no such format or no such place, or the system fails; a column has not as many rows as
    /// there are, unless the format holds arrays.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let format = Format::to_write(path)?;
        self.check(format.holds_arrays())?;
        if path == Path::new("-") {
            return csv::print(self).map_err(|error| Error::stdout(&error));
        }
        output::write(path, |file| format.fill(self, path, file))
    }

    /// Refuses what the writers would stumble over.
    pub(crate) fn check(&self, arrays: bool) -> Result<()> {
        let (rows, classes) = self.probs.dim();
        for (name, cells) in &self.columns {
            if let Cells::Class(class) = cells
                && *class >= classes
            {
                return Err(Error::input(format!(
                    "column {name}: there is no class {class} of {classes}"
                )));
            }
            if let Some(own) = cells.rows().filter(|&own| own != rows && !arrays) {
                return Err(Error::input(format!(
                    "column {name} has {own} rows, but the probabilities have {rows}"
                )));
            }
        }
        Ok(())
    }
}
