//! Files out, whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use crate::error::{Failure, Result};
use crate::input::plain;

/// Writes a file beside its place and renames it there, so that a failure leaves what was there
/// before, and nothing half-written.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    let failed = |error: io::Error| cannot_write(path, &error);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(failed(ErrorKind::IsADirectory.into())),
        // A device or a pipe is written to: a renamed file would take its place.
        Ok(metadata) if !metadata.is_file() => {
            let mut file = File::options().write(true).open(path).map_err(failed)?;
            return match fill(&mut file) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
                done => done.map_err(failed),
            };
        }
        _ => {}
    }
    // A link stays a link: the file that it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut beside = create_beside(&target).map_err(failed)?;
    fill(beside.as_file_mut()).and_then(|()| beside.as_file().sync_all()).map_err(failed)?;
    beside.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

fn create_beside(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".calipers-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What a new file gets, before the umask; temporary files are private by default.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// A place that is not there is the user's to mend; a full disk is not.
fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = |reason: &str| format!("cannot write {}: {reason}", path.display());
    match error.kind() {
        ErrorKind::NotFound => Failure::input(message("there is no such directory")),
        ErrorKind::IsADirectory => Failure::input(message("it is a directory")),
        ErrorKind::NotADirectory => Failure::input(message("its directory is a file")),
        _ => Failure::unexpected(message(&plain(error))),
    }
}
