//! What can be read only once, kept to be read again.

use std::fmt;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::SpooledTempFile;

use crate::error::{Error, Result, unreadable};
use crate::words::{file_name, plain};

/// Bytes that are read ahead at a time.
const AHEAD: usize = 1 << 16;

/// What comes through a pipe, as far as it has been read: in memory while it is little, in a file
/// without a name when it is more, which the system removes with the process whatever ends it.
///
/// Several may read it at once, each from where it is. Whoever is the furthest reads from the pipe, so
/// that what is wrong with the first rows is found before the last ones come, if they ever do.
#[derive(Debug, Clone)]
pub struct Held {
    kept: Arc<Mutex<Kept>>,
    at: u64,
}

struct Kept {
    /// What messages call it.
    name: String,
    /// None when it has ended.
    pipe: Option<Box<dyn Read + Send>>,
    bytes: SpooledTempFile,
    count: u64,
    /// What went wrong: from there on bytes are missing.
    fault: Option<Error>,
}

impl Held {
    /// Keeps a pipe of this name, up to so many bytes of it in memory.
    pub fn new(pipe: impl Read + Send + 'static, name: &str, memory: u64) -> Self {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let kept = Kept {
            name: name.to_owned(),
            pipe: Some(Box::new(pipe)),
            bytes: tempfile::spooled_tempfile(memory),
            count: 0,
            fault: None,
        };
        Self { kept: Arc::new(Mutex::new(kept)), at: 0 }
    }

    /// How many bytes have come so far.
    pub fn count(&self) -> u64 {
        self.kept().count
    }

    /// Whether that is all.
    pub fn is_ended(&self) -> bool {
        self.kept().pipe.is_none()
    }

    /// How many bytes there are, if they are at most so many; no more is read than it takes to know.
    ///
    /// # Errors
    /// The pipe cannot be read, or what came cannot be kept.
    pub fn count_within(&self, most: u64) -> Result<Option<u64>> {
        let mut buffer = vec![0; AHEAD];
        let mut kept = self.kept();
        while kept.count <= most {
            if kept.pull(&mut buffer)? == 0 {
                return Ok(Some(kept.count));
            }
        }
        Ok(None)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Held {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut kept = self.kept();
        let count = match self.at < kept.count {
            true => {
                kept.bytes.seek(SeekFrom::Start(self.at))?;
                kept.bytes.read(buffer)?
            }
            false => kept.pull(buffer).map_err(io::Error::other)?,
        };
        drop(kept);
        self.at += count as u64;
        Ok(count)
    }
}

impl Kept {
    /// Reads on, and keeps it.
    fn pull(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.try_pull(buffer).inspect_err(|fault| self.fault = Some(fault.clone()))
    }

    fn try_pull(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let Some(pipe) = &mut self.pipe else { return Ok(0) };
        let count = loop {
            match pipe.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.map_err(|error| unreadable(&self.name, &error))?,
            }
        };
        if count == 0 && !buffer.is_empty() {
            self.pipe = None;
        }
        self.keep(&buffer[..count]).map_err(|error| {
            let (name, folder) = (&self.name, std::env::temp_dir());
            let folder = file_name(&folder);
            Error::unexpected(format!("cannot keep {name} in {folder}: {}", plain(&error)))
        })?;
        self.count += count as u64;
        Ok(count)
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.seek(SeekFrom::Start(self.count))?;
        self.bytes.write_all(bytes)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Kept").field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(held: &mut Held) -> String {
        let mut text = String::new();
        held.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn what_is_held_is_read_twice_at_once_in_memory_or_not() {
        for memory in [0, 3, 8, u64::MAX] {
            let mut one = Held::new(&b"calipers"[..], "pipe", memory);
            let (mut half, mut other) = ([0; 4], one.clone());
            one.read_exact(&mut half).unwrap();
            assert_eq!((one.count(), one.is_ended()), (4, false));
            assert_eq!(rest(&mut other), "calipers");
            assert!(one.is_ended());
            one.read_exact(&mut half).unwrap();
            assert_eq!((&half, rest(&mut one).as_str()), (b"pers", ""));
        }
    }

    #[test]
    fn no_more_is_read_than_is_asked_for() {
        let held = Held::new(io::repeat(7), "pipe", 10);
        assert_eq!(held.count_within(100_000).unwrap(), None);
        assert!(held.count() <= 100_000 + AHEAD as u64);
        let mut held = Held::new(&b"calipers"[..], "pipe", 10);
        assert_eq!(held.count_within(7).unwrap(), None);
        assert_eq!(held.count_within(8).unwrap(), Some(8));
        assert_eq!(rest(&mut held), "calipers");
    }

    /// Three bytes, and a fault.
    struct Broken(usize);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Ok((&b"cal"[..]).read(buffer)?),
                2 => Err(ErrorKind::Interrupted.into()),
                3 => Err(ErrorKind::ConnectionReset.into()),
                _ => Ok((&b"ipers"[..]).read(buffer)?),
            }
        }
    }

    #[test]
    fn a_fault_stays_one_for_whoever_comes_later() {
        let held = Held::new(Broken(0), "pipe", 10);
        for _ in 0..2 {
            let error = held.clone().read_to_string(&mut String::new()).unwrap_err();
            let error = error.get_ref().unwrap().downcast_ref::<Error>().unwrap();
            assert_eq!(error.message(), "cannot read pipe: connection reset");
            assert_eq!(held.count(), 3);
        }
        assert!(held.count_within(5).is_err());
    }
}
