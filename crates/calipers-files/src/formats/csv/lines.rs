//! One kind of line end for all files.

use std::io::{self, Read};

/// Turns `\r\n` and `\r` into `\n` and ends the last line with one.
///
/// With one kind of line end, and one after every record, the line of a record is the number of
/// line ends read so far: the csv crate leaves the `\n` of a `\r\n` for later, and would be one
/// line behind.
pub struct UnixLines<R> {
    inner: R,
    last: u8,
    /// A `\r` was the last byte read: a `\n` that follows belongs to it.
    return_before: bool,
    ended: bool,
}

impl<R: Read> UnixLines<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, last: b'\n', return_before: false, ended: false }
    }

    /// Rewrites the bytes in place, and returns how many are left.
    fn rewrite(&mut self, bytes: &mut [u8]) -> usize {
        if !self.return_before && memchr::memchr(b'\r', bytes).is_none() {
            return bytes.len();
        }
        let mut kept = 0;
        for at in 0..bytes.len() {
            let byte = bytes[at];
            if byte == b'\n' && self.return_before {
                self.return_before = false;
                continue;
            }
            self.return_before = byte == b'\r';
            bytes[kept] = if byte == b'\r' { b'\n' } else { byte };
            kept += 1;
        }
        kept
    }
}

impl<R: Read> Read for UnixLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            let count = self.inner.read(buffer)?;
            if count == 0 {
                self.ended = true;
                if self.last != b'\n' {
                    buffer[0] = b'\n';
                    return Ok(1);
                }
                break;
            }
            let kept = self.rewrite(&mut buffer[..count]);
            // Nothing is left of a lone \n after a \r; 0 would be taken for the end.
            if kept > 0 {
                self.last = buffer[kept - 1];
                return Ok(kept);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, the hardest way to be read from.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1);
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn every_line_end_becomes_a_newline() {
        for (given, expected) in [
            ("a\nb\n", "a\nb\n"),
            ("a\nb", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb", "a\nb\n"),
            ("a\r\n\r\nb\r\r\n", "a\n\nb\n\n"),
            ("a\n\r\nb", "a\n\nb\n"),
            ("", ""),
            ("\r\n", "\n"),
        ] {
            let (mut at_once, mut in_drops) = (String::new(), String::new());
            UnixLines::new(given.as_bytes()).read_to_string(&mut at_once).unwrap();
            UnixLines::new(Drops(given.as_bytes())).read_to_string(&mut in_drops).unwrap();
            assert_eq!((at_once.as_str(), in_drops.as_str()), (expected, expected), "{given:?}");
        }
    }
}
