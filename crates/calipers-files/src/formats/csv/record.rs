//! How long a record of text may be: a line, unless quotes span several.
//!
//! A record is held as a whole until it ends. A gigabyte without a line end, or behind a quote that
//! is never closed, would be, too.

use std::io::{self, Read};

/// Bytes that a record may have: 5,000 classes take a tenth of a MiB, and 64 MiB take 3,000,000.
const LONGEST: usize = 64 << 20;

/// Hands on what it reads, as long as records end.
pub struct Records<R> {
    inner: R,
    /// Bytes that were handed on since a record was known to have ended.
    open: usize,
}

impl<R: Read> Records<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, open: 0 }
    }

    /// Says that a record has ended; some of the next may have been read with it.
    pub fn ended(&mut self) {
        self.open = 0;
    }
}

impl<R: Read> Read for Records<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.open > LONGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, too_long()));
        }
        let count = self.inner.read(buffer)?;
        self.open += count;
        Ok(count)
    }
}

/// What is wrong, without its place.
pub fn too_long() -> String {
    format!("a row of more than {} MiB that does not end", LONGEST >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_end_go_on_and_those_that_do_not_are_refused() {
        let mut records = Records::new(io::repeat(b'x'));
        let mut buffer = vec![0; 1 << 20];
        for _ in 0..3 {
            for _ in 0..=(LONGEST >> 20) {
                assert_eq!(records.read(&mut buffer).unwrap(), buffer.len());
            }
            assert_eq!(records.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
            records.ended();
        }
    }
}
