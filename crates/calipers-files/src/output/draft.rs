//! A file on its way to its place: nobody sees it before it is whole.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// A new file in the folder of its place, to be filled and then put there.
///
/// Where the system has files without a name (Linux, on most file systems) it is one of them: whatever
/// ends the program before the file is whole, a signal, a limit or a loss of power, leaves nothing
/// behind, and no signal needs to be caught for that. It has a name of its own only between the two
/// system calls that give it one and rename it, since no call lets it take another file's place at once.
/// Elsewhere it has a name that starts with `.calipers-` from the start, and is removed if filling it
/// fails; a program that is killed meanwhile leaves it.
pub enum Draft {
    /// A file without a name.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// A file with a name of its own, which is removed unless it is put in its place.
    Named(NamedTempFile),
}

impl Draft {
    /// Creates it in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = linux::unnamed(folder) {
            return Ok(Self::Unnamed(file));
        }
        // Also when the folder cannot be written to, which this then says.
        builder().tempfile_in(folder).map(Self::Named)
    }

    /// What to write to.
    pub fn file(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file_mut(),
        }
    }

    /// Puts the file in its place, in that of a file that may be there.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "it has a name already"))]
    pub fn persist(mut self, folder: &Path, target: &Path) -> io::Result<()> {
        // Else a name might survive a loss of power, and what is in the file might not.
        self.file().sync_all()?;
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => {
                let named = builder().make_in(folder, |path| linux::link(&file, path))?;
                named.persist(target).map_err(|failed| failed.error)
            }
            Self::Named(file) => file.persist(target).map(drop).map_err(|failed| failed.error),
        }
    }
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".calipers-");
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;
        // What a new file gets, before the umask; temporary files are private by default.
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, OFlags, linkat};

    /// A file without a name, if it can be given one later.
    pub fn unnamed(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE.bits().cast_signed();
        let mut options = File::options();
        let file = options.read(true).write(true).mode(0o666).custom_flags(flags).open(folder)?;
        // The name is given by way of /proc, which may not be there.
        fs::symlink_metadata(own_path(&file))?;
        Ok(file)
    }

    /// Gives it a name.
    pub fn link(file: &File, path: &Path) -> io::Result<()> {
        Ok(linkat(CWD, own_path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn own_path(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// The drafts that this system has: the one that is chosen here, and the one for anywhere.
    fn drafts(folder: &Path) -> [Draft; 2] {
        [Draft::new(folder).unwrap(), Draft::Named(builder().tempfile_in(folder).unwrap())]
    }

    #[test]
    fn a_draft_takes_the_place_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("page.html");
        for mut draft in drafts(folder.path()) {
            fs::write(&target, "what was there before").unwrap();
            draft.file().write_all(b"new").unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "what was there before");
            draft.persist(folder.path(), &target).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        }
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for mut draft in drafts(folder.path()) {
            draft.file().write_all(b"half").unwrap();
        }
        assert_eq!(names(folder.path()), [] as [&str; 0]);
    }

    #[test]
    fn a_draft_that_cannot_be_put_in_its_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        for draft in drafts(folder.path()) {
            assert!(draft.persist(folder.path(), &folder.path().join("taken")).is_err());
        }
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_draft_has_no_name_while_it_is_filled() {
        let folder = tempfile::tempdir().unwrap();
        let mut draft = Draft::new(folder.path()).unwrap();
        draft.file().write_all(b"half").unwrap();
        if matches!(draft, Draft::Named(_)) {
            eprintln!("skipped: this file system has no files without a name");
            return;
        }
        assert_eq!(names(folder.path()), [] as [&str; 0]);
    }
}
