//! A file whose fault is told once, at the end.

use std::io::{self, Seek, SeekFrom, Write};

/// A file that takes everything: after the first fault nothing more is written, and
/// [`Steady::finish`] returns the fault as the system told it.
///
/// For writers that would wrap the fault in words of their own, and then, as the archive of an NPZ
/// file does when it is dropped unfinished, try again and print to standard error what came of it.
pub struct Steady<W> {
    inner: W,
    fault: Option<io::Error>,
    /// Where the next byte would go if there had been no fault.
    position: u64,
}

impl<W> Steady<W> {
    /// Around a file that nothing was written to.
    pub fn new(inner: W) -> Self {
        Self { inner, fault: None, position: 0 }
    }

    /// The fault, if there was one.
    pub fn finish(self) -> io::Result<()> {
        self.fault.map_or(Ok(()), Err)
    }

    fn after<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.fault = Some(error);
                Ok(instead)
            }
            done => done,
        }
    }
}

impl<W: Write> Write for Steady<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.fault.is_some() { Ok(bytes.len()) } else { self.inner.write(bytes) };
        let written = self.after(written, bytes.len())?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.fault.is_some() {
            return Ok(());
        }
        let done = self.inner.flush();
        self.after(done, ())
    }
}

impl<W: Seek> Seek for Steady<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.fault.is_none() {
            let at = self.inner.seek(to);
            self.position = self.after(at, self.position)?;
        } else if let SeekFrom::Start(at) = to {
            self.position = at;
        }
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room for so many bytes.
    struct Small(usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_first_fault_is_kept_and_nothing_written_after_it() {
        let mut steady = Steady::new(Small(5));
        steady.write_all(b"four").unwrap();
        steady.write_all(b"too many").unwrap();
        // There would be room, but for a file with a hole.
        steady.write_all(b"1").unwrap();
        assert_eq!((steady.inner.0, steady.position), (1, 13));
        assert_eq!(steady.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn without_a_fault_it_is_the_file() {
        let mut bytes = io::Cursor::new(Vec::new());
        let mut steady = Steady::new(&mut bytes);
        steady.write_all(b"caliperz").unwrap();
        assert_eq!(steady.seek(SeekFrom::Current(-1)).unwrap(), 7);
        steady.write_all(b"s").unwrap();
        steady.flush().unwrap();
        steady.finish().unwrap();
        assert_eq!(bytes.into_inner(), b"calipers");
    }
}
