//! How the program ends, as scripts see it.

use std::process::ExitCode;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Fine = 0,
    /// A check failed: the data show an error above its limit.
    CheckFailed = 1,
    /// Bad usage or bad input: the user can mend it.
    BadInput = 2,
    /// Anything unexpected: a full disk, a bug.
    Unexpected = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A command that has nothing to tell went well.
impl From<()> for Exit {
    fn from((): ()) -> Self {
        Self::Fine
    }
}
