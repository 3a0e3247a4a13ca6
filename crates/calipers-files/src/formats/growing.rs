//! A file that sheets are added to, one after the other.

use std::io;

use crate::sheet::Sheet;

/// A file that is being written. All sheets have the columns of the first, by the same names.
pub trait Growing {
    /// Adds the rows of a sheet.
    fn append(&mut self, sheet: &Sheet<'_>) -> io::Result<()>;

    /// Writes what is left, and the end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
