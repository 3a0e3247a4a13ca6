use std::io;

use crate::error::Error;

/// Why an array cannot be read.
#[derive(Debug)]
pub enum Fault {
    /// The archive cannot be read, or not be unpacked.
    Io(io::Error),
    /// It is not what it should be.
    Damaged(String),
    /// It is too large.
    Refused(Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
