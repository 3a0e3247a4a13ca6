//! Files out, whole or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::draft::Draft;
use crate::error::{Error, Result};
use crate::words::{file_name, plain};

/// Links that are followed at most, as many as Linux does.
const LINKS: usize = 40;

/// Writes a file beside its place and renames it there, so that a failure leaves what was there
/// before, and nothing half-written. What a link leads to is replaced; a pipe or a device is written to.
///
/// ```
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("note.txt");
/// calipers_files::write(&file, |file| file.write_all(b"whole\n"))?;
/// assert_eq!(std::fs::read_to_string(&file)?, "whole\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The place is none for a file, or the system fails, in words for the person who asked: nothing is
/// left of it then.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    replace(path, fill).map_err(|error| failed(path, &error))
}

/// Says what is wrong, unless nobody reads the output any more.
pub fn failed(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::BrokenPipe => Error::closed_pipe(),
        _ => cannot_write(path, error),
    }
}

/// As [`write()`], with the system's own error.
///
/// # Errors
/// As [`write()`].
pub fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut begun = Begun::new(path)?;
    fill(begun.file())?;
    begun.finish()
}

/// A file that is being written, and takes its place once it is whole.
pub enum Begun {
    /// A file beside its place.
    Draft { draft: Draft, target: PathBuf },
    /// A device or a pipe is written to: a renamed file would take its place.
    Device(File),
}

impl Begun {
    /// Begins a file.
    pub fn new(path: &Path) -> io::Result<Self> {
        let before = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                return File::options().write(true).open(path).map(Self::Device);
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            other => other.ok(),
        };
        let target = place(path);
        let mut draft = Draft::new(folder(&target))?;
        if let Some(before) = before {
            keep_mode(draft.file(), &before);
        }
        Ok(Self::Draft { draft, target })
    }

    /// What to write to.
    pub fn file(&mut self) -> &mut File {
        match self {
            Self::Draft { draft, .. } => draft.file(),
            Self::Device(file) => file,
        }
    }

    /// Puts the file in its place.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Draft { draft, target } => draft.persist(folder(&target), &target),
            Self::Device(_) => Ok(()),
        }
    }
}

/// Lets a file be read and written by those who could before: what was private stays private, from before
/// anything is in it.
#[cfg_attr(not(unix), allow(unused_variables, reason = "elsewhere it is the folder that decides"))]
fn keep_mode(draft: &File, before: &Metadata) {
    // A file system that cannot do it has one mode for all files.
    #[cfg(unix)]
    let _ = draft.set_permissions(before.permissions());
}

/// The file that a path leads to. A link stays a link: what it points to is replaced, or made.
fn place(path: &Path) -> PathBuf {
    if let Ok(target) = fs::canonicalize(path) {
        return target;
    }
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = folder(&target).join(next);
    }
    target
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Says why a file could not be written: a place that is not there is the user's to mend, a full disk
/// is not.
pub fn cannot_write(path: &Path, error: &io::Error) -> Error {
    let message = |reason: &str| format!("cannot write {}: {reason}", file_name(path));
    match error.kind() {
        // Folders such as those of /proc, or one that is being removed, say that they are not there.
        ErrorKind::NotFound if folder(&place(path)).is_dir() => {
            Error::input(message("its directory takes no new files"))
        }
        ErrorKind::NotFound => Error::input(message("there is no such directory")),
        ErrorKind::IsADirectory => Error::input(message("it is a directory")),
        ErrorKind::NotADirectory => Error::input(message("its directory is a file")),
        ErrorKind::InvalidFilename => Error::input(message(&plain(error))),
        _ => Error::unexpected(message(&plain(error))),
    }
}
