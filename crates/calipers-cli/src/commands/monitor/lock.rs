//! One run at a time holds a state.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use calipers_files::cannot_write;
use calipers_files::words::file_name;

use crate::error::{Failure, Result, say};

/// A lock on the file `STATE.lock`, which the system takes back however the program ends. The file itself
/// stays: if a run removed it, two others could hold locks on two files of that one name.
pub struct Lock(#[expect(dead_code, reason = "it is held, and not looked at")] File);

impl Lock {
    /// Takes the lock of the state in this place; `said` is how the user calls it.
    pub fn hold(place: &Path, said: &Path) -> Result<Self> {
        let path = beside(place);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| unlocked(said, &path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::input(format!("--state {}: another run holds it", file_name(said)))
                    .hint("wait for that run to end, or give each its own state"))
            }
            // Some network file systems have no locks: then it is the user who has to see to it.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                say(
                    "note: the state cannot be locked where it is: let no other run use it meanwhile",
                );
                Ok(Self(file))
            }
            Err(TryLockError::Error(error)) => Err(cannot_write(&path, &error).into()),
        }
    }
}

/// What stands where a state is to be written is said of the state, as far as it holds for it, too.
fn unlocked(said: &Path, lock: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => cannot_write(said, error).into(),
        _ => cannot_write(lock, error).into(),
    }
}

/// The name of the lock's file.
fn beside(place: &Path) -> PathBuf {
    let mut path = OsString::from(place);
    path.push(".lock");
    path.into()
}
