//! What went wrong, in words for the person at the keyboard.

use std::fmt;
use std::io::{self, Write};

use calipers_files::ErrorKind;
use calipers_files::words::shortened;

use crate::exit::Exit;

/// A result whose error is a [`Failure`].
pub type Result<T> = std::result::Result<T, Failure>;

/// Why the program stops early.
#[derive(Debug)]
pub enum Failure {
    /// Nobody reads the output any more (`calipers … | head`): not a fault, and nothing to say.
    ClosedPipe,
    /// A fault, with what to say about it.
    Fault(Box<Fault>),
}

/// What to say, and how to exit.
#[derive(Debug)]
pub struct Fault {
    exit: Exit,
    message: String,
    list: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// Something the user can mend; `message` is one sentence.
    pub fn input(message: impl Into<String>) -> Self {
        Self::fault(Exit::BadInput, message.into())
    }

    /// Something that should not have happened.
    pub fn unexpected(message: impl Into<String>) -> Self {
        Self::fault(Exit::Unexpected, message.into())
    }

    fn fault(exit: Exit, message: String) -> Self {
        let message = shortened(&message).into_owned();
        Self::Fault(Box::new(Fault { exit, message, list: Vec::new(), hint: None }))
    }

    /// Adds a line that says how to mend it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Fault(fault) = &mut self {
            fault.hint = Some(hint.into());
        }
        self
    }

    /// As [`Failure::hint`], where there may be nothing to add.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds lines below the message: what there is to choose from.
    #[must_use]
    pub fn list(mut self, lines: Vec<String>) -> Self {
        if let Self::Fault(fault) = &mut self {
            fault.list = lines;
        }
        self
    }

    /// A failed write to standard output.
    pub fn stdout(error: &io::Error) -> Self {
        calipers_files::Error::stdout(error).into()
    }

    /// Whether the user can mend it.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Fault(fault) if matches!(fault.exit, Exit::BadInput))
    }

    /// Tells the user, and says how to exit.
    pub fn report(&self) -> Exit {
        let Self::Fault(fault) = self else { return Exit::Fine };
        say(&format!("error: {}", fault.message));
        for line in &fault.list {
            say(line);
        }
        if let Some(hint) = &fault.hint {
            say(&format!("hint: {hint}"));
        }
        fault.exit
    }
}

/// The message alone.
impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClosedPipe => Ok(()),
            Self::Fault(fault) => to.write_str(&fault.message),
        }
    }
}

/// What is wrong with a file: the exit status follows from whose fault it is.
impl From<calipers_files::Error> for Failure {
    fn from(error: calipers_files::Error) -> Self {
        let failure = match error.kind() {
            ErrorKind::ClosedPipe => return Self::ClosedPipe,
            ErrorKind::Input => Self::input(error.message()),
            _ => Self::unexpected(error.message()),
        };
        failure.list(error.list().to_vec()).maybe_hint(error.hint().map(str::to_owned))
    }
}

/// Prints a line to standard error, where everything goes that is not a result. If nobody listens
/// there either, there is nobody left to tell: unlike `eprintln!` it does not panic.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", shortened(line));
}
