//! Text that was compressed as a whole: gzip and Zstandard.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::super::extension;
use crate::allowance::Allowance;
use crate::error::{Error, Result};

/// How a text is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed {
    Gzip,
    Zstandard,
}

impl Packed {
    /// How a file is compressed, by what its name ends in; what it ends in before that is `of`.
    pub fn of(path: &Path, of: &[&str]) -> Option<Self> {
        let packed = match extension(path)?.as_str() {
            "gz" => Self::Gzip,
            "zst" => Self::Zstandard,
            _ => return None,
        };
        let before = extension(Path::new(path.file_stem()?))?;
        of.contains(&before.as_str()).then_some(packed)
    }

    /// Refuses what this build cannot write.
    ///
    /// # Errors
    /// It has no Zstandard.
    pub fn check(self, name: &str) -> Result<()> {
        self.unpack(io::empty(), name).map(drop)
    }

    /// What is in the file.
    ///
    /// # Errors
    /// This build has no Zstandard, or the system fails.
    pub fn unpack<'a>(self, file: impl Read + 'a, name: &str) -> Result<Box<dyn Read + 'a>> {
        match self {
            // Files that were put together end to end are one file.
            Self::Gzip => Ok(Box::new(MultiGzDecoder::new(file))),
            #[cfg(feature = "parquet")]
            Self::Zstandard => match zstd::Decoder::new(file) {
                Ok(decoder) => Ok(Box::new(decoder)),
                Err(error) => Err(crate::error::unreadable(name, &error)),
            },
            #[cfg(not(feature = "parquet"))]
            Self::Zstandard => Err(no_zstandard(name)),
        }
    }

    /// Compresses what `fill` writes.
    pub fn pack(
        self,
        file: impl Write,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(file, Compression::default());
                fill(&mut encoder)?;
                encoder.finish().map(drop)
            }
            #[cfg(feature = "parquet")]
            Self::Zstandard => {
                let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                fill(&mut encoder)?;
                encoder.finish().map(drop)
            }
            #[cfg(not(feature = "parquet"))]
            Self::Zstandard => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Zstandard is in the tree with Parquet: one feature asks for both.
#[cfg(not(feature = "parquet"))]
fn no_zstandard(name: &str) -> Error {
    Error::input(format!("{name}: this build of calipers has no support for .zst files"))
        .with_hint("build it with the feature parquet")
}

/// Hands on what it reads, as long as it may be made of the file.
pub struct Unfolded<R> {
    inner: R,
    allowance: Allowance,
}

impl<R: Read> Unfolded<R> {
    pub fn new(inner: R, allowance: Allowance) -> Self {
        Self { inner, allowance }
    }
}

impl<R: Read> Read for Unfolded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.allowance.spend(count as u64).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// The error that a reader was stopped by, if it is one of [`Unfolded`]'s.
pub fn refused(error: &io::Error) -> Option<Error> {
    error.get_ref()?.downcast_ref::<Error>().cloned()
}
