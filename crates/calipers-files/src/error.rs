//! What went wrong, in words for the person who has the file.

use std::fmt;
use std::io;

use crate::words::{plain, shortened};

/// A result whose error is an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file was not read or written: what kind of fault it is, one sentence that names the place,
/// and, where there is something to choose from or to do about it, a list and a hint.
///
/// ```
/// use calipers_files::{ErrorKind, predictions};
///
/// let error = predictions("table.xlsx").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Input);
/// assert!(error.to_string().starts_with("table.xlsx: files that end in .xlsx are not known"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Said>);

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The user can mend it: a file that is not there, a cell that is no number.
    Input,
    /// It should not have happened: a full disk.
    Unexpected,
    /// Nobody reads the output any more, as with `… | head`: not a fault, and nothing to say.
    ClosedPipe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    kind: ErrorKind,
    message: String,
    list: Vec<String>,
    hint: Option<String>,
}

impl Error {
    /// Something the user can mend; `message` is one sentence.
    pub fn input(message: impl AsRef<str>) -> Self {
        Self::new(ErrorKind::Input, message.as_ref())
    }

    /// Something that should not have happened.
    pub fn unexpected(message: impl AsRef<str>) -> Self {
        Self::new(ErrorKind::Unexpected, message.as_ref())
    }

    /// Nobody reads the output any more.
    pub fn closed_pipe() -> Self {
        Self::new(ErrorKind::ClosedPipe, "nobody reads the output any more")
    }

    fn new(kind: ErrorKind, message: &str) -> Self {
        let message = shortened(message).into_owned();
        Self(Box::new(Said { kind, message, list: Vec::new(), hint: None }))
    }

    /// A failed write to standard output.
    pub fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::closed_pipe(),
            _ => Self::unexpected(format!("cannot write to standard output: {}", plain(error))),
        }
    }

    /// Adds a line that says how to mend it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// As [`Error::with_hint`], where there may be nothing to add.
    #[must_use]
    pub fn with_any_hint(mut self, hint: Option<String>) -> Self {
        self.0.hint = hint;
        self
    }

    /// Adds lines below the message: what there is to choose from.
    #[must_use]
    pub fn with_list(mut self, lines: Vec<String>) -> Self {
        self.0.list = lines;
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What there is to choose from, one a line.
    pub fn list(&self) -> &[String] {
        &self.0.list
    }

    /// How to mend it, if that is known.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

/// The message alone.
impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// A file that cannot be read is the user's to mend.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Error {
    Error::input(format!("cannot read {name}: {}", plain(error)))
}
