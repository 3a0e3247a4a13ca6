//! What a reader reads: a file that is open, or bytes in memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// What a file holds, wherever it is.
pub(crate) enum Content<'a> {
    File(File),
    Memory(Cursor<&'a [u8]>),
}

impl<'a> Content<'a> {
    /// Bytes in memory.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self::Memory(Cursor::new(bytes))
    }

    /// A file with the same in it, for libraries that read nothing else: one without a name, if there is none yet.
    #[cfg(feature = "parquet")]
    pub fn into_file(self, name: &str) -> crate::error::Result<File> {
        use std::io::Write;

        let kept = |bytes: &[u8]| {
            let mut file = tempfile::tempfile()?;
            file.write_all(bytes)?;
            file.rewind()?;
            Ok(file)
        };
        match self {
            Self::File(file) => Ok(file),
            Self::Memory(bytes) => kept(bytes.get_ref()).map_err(|error: io::Error| {
                let reason = crate::words::plain(&error);
                crate::error::Error::unexpected(format!("cannot keep {name} in a file: {reason}"))
            }),
        }
    }
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Memory(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Content<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }
}
