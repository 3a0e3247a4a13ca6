//! Text that was compressed as a whole: gzip and Zstandard.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::extension;
use crate::allowance::Allowance;
use crate::error::{Error, Result};

/// How a text is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed {
    Gzip,
    Zstandard,
}

impl Packed {
    /// How a file is compressed, by what its name ends in, and what it ends in before that.
    pub fn of(path: &Path) -> Option<(Self, String)> {
        let packed = match extension(path)?.as_str() {
            "gz" => Self::Gzip,
            "zst" => Self::Zstandard,
            _ => return None,
        };
        Some((packed, extension(Path::new(path.file_stem()?))?))
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
}

/// A file that compresses what is written to it, or leaves it as it is.
pub enum Packer<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    #[cfg(feature = "parquet")]
    Zstandard(zstd::Encoder<'static, W>),
}

impl<W: Write> Packer<W> {
    /// Nothing is written yet.
    pub fn new(packed: Option<Packed>, file: W) -> io::Result<Self> {
        match packed {
            None => Ok(Self::Plain(file)),
            Some(Packed::Gzip) => {
                Ok(Self::Gzip(Box::new(GzEncoder::new(file, Compression::default()))))
            }
            #[cfg(feature = "parquet")]
            Some(Packed::Zstandard) => {
                zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL).map(Self::Zstandard)
            }
            #[cfg(not(feature = "parquet"))]
            Some(Packed::Zstandard) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Writes what is left, and the end.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut file) => file.flush(),
            Self::Gzip(encoder) => encoder.finish().map(drop),
            #[cfg(feature = "parquet")]
            Self::Zstandard(encoder) => encoder.finish().map(drop),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            #[cfg(feature = "parquet")]
            Self::Zstandard(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            #[cfg(feature = "parquet")]
            Self::Zstandard(encoder) => encoder.flush(),
        }
    }
}

/// Zstandard is in the tree with Parquet: one feature asks for both.
#[cfg(not(feature = "parquet"))]
fn no_zstandard(name: &str) -> Error {
    Error::input(format!("{name}: this build of calipers has no support for .zst files"))
        .with_hint("build it with the feature parquet")
}

/// What is in a text, which may be compressed as a whole.
///
/// # Errors
/// As [`Packed::unpack`].
pub fn unpacked<'a>(path: &Path, file: impl Read + 'a, name: &str) -> Result<Box<dyn Read + 'a>> {
    match Packed::of(path) {
        None => Ok(Box::new(file)),
        Some((packed, _)) => packed.unpack(file, name),
    }
}

/// Begins a text that is compressed as a whole if its name says so.
pub fn packer<W: Write>(path: &Path, file: W) -> io::Result<Packer<W>> {
    Packer::new(Packed::of(path).map(|(packed, _)| packed), file)
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

/// The error that a reader was stopped by, if it is one in words of ours, such as [`Unfolded`]'s.
pub fn refused(error: &io::Error) -> Option<Error> {
    error.get_ref()?.downcast_ref::<Error>().cloned()
}
