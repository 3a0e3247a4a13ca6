//! What can be read only once, kept to be read again.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// A file without a name that holds what came through a pipe. Several may read it at once, each from
/// where it is.
#[derive(Debug, Clone)]
pub struct Held {
    file: Arc<File>,
    at: u64,
}

impl Held {
    /// Reads to the end and keeps it; the number is its bytes.
    pub fn keep(mut from: impl Read) -> io::Result<(Self, u64)> {
        let mut file = tempfile::tempfile()?;
        let bytes = io::copy(&mut from, &mut file)?;
        Ok((Self { file: Arc::new(file), at: 0 }, bytes))
    }
}

impl Read for Held {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_read_twice_at_once() {
        let (mut one, bytes) = Held::keep(&b"calipers"[..]).unwrap();
        assert_eq!(bytes, 8);
        let (mut half, mut other) = ([0; 4], one.clone());
        one.read_exact(&mut half).unwrap();
        let mut all = String::new();
        other.read_to_string(&mut all).unwrap();
        one.read_exact(&mut half).unwrap();
        assert_eq!((all.as_str(), &half), ("calipers", b"pers"));
    }
}
