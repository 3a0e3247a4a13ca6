//! A file some rows at a time, so that one of any size is read in the same memory.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::table::Table;

/// Rows of a piece, unless there are many columns or long texts.
const ROWS: usize = 1 << 16;

/// Cells of a piece, about: 4 MiB of numbers, whose memory is used again for the next piece. Larger ones the
/// system takes back, and has to clear before it gives them out once more.
const CELLS: usize = 1 << 19;

/// Rows of a piece however many columns there are: what is done once a piece is to cost nothing.
const FEWEST: usize = 1 << 8;

/// Bytes of text after which a piece ends.
const LETTERS: u64 = 1 << 25;

/// How large a piece may be.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Rows at most.
    pub rows: usize,
    /// Bytes of text after which no row is added.
    pub letters: u64,
}

impl Size {
    /// That of a piece of so many columns.
    pub fn of(columns: usize) -> Self {
        Self { rows: (CELLS / columns.max(1)).clamp(FEWEST, ROWS), letters: LETTERS }
    }

    /// Everything at once.
    pub const WHOLE: Self = Self { rows: usize::MAX, letters: u64::MAX };
}

/// Some rows of a file.
#[derive(Debug)]
pub struct Piece {
    /// The rows.
    pub table: Table,
    /// How many bytes of the file they took, about.
    pub bytes: u64,
}

/// The pieces of a part of a file, in order: one at least, if only to name the columns.
pub type Pieces<'a> = Box<dyn Iterator<Item = Result<Piece>> + 'a>;

/// What a file says of itself without being read.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Parts that can be read one without the other, at least one.
    pub parts: usize,
    /// Rows, if that is known.
    pub rows: Option<u64>,
}

/// A file that is open, to be read some rows at a time.
pub trait Opened {
    /// What it says of itself; most formats say nothing, and are read from the start to the end.
    fn shape(&self) -> Shape {
        Shape { parts: 1, rows: None }
    }

    /// The rows of a part.
    ///
    /// # Errors
    /// Whatever is wrong with the part as a whole.
    fn pieces(&mut self, part: usize) -> Result<Pieces<'_>>;
}

/// A file of a format that is read as a whole: one piece.
pub struct Whole<F>(Option<F>);

impl<F: FnOnce() -> Result<Piece>> Whole<F> {
    /// The file that `read` reads.
    pub fn new(read: F) -> Self {
        Self(Some(read))
    }
}

impl<F: FnOnce() -> Result<Piece>> Opened for Whole<F> {
    fn pieces(&mut self, _: usize) -> Result<Pieces<'_>> {
        let piece = self.0.take().map(|read| read());
        Ok(Box::new(piece.into_iter()))
    }
}

/// Pieces that `next` makes one after the other, until one has no rows or cannot be read. The first is
/// handed out in any case: it names the columns.
pub fn until_empty<'a>(mut next: impl FnMut() -> Result<Piece> + 'a) -> Pieces<'a> {
    let mut begun = false;
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let piece = next();
        let is_empty = piece.as_ref().is_ok_and(|piece| piece.table.rows() == 0);
        ended = piece.is_err() || is_empty;
        let is_over = is_empty && begun;
        begun = true;
        (!is_over).then_some(piece)
    }))
}

/// A file that counts the bytes that were read of it.
pub struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

/// How many bytes were read since it was last asked.
#[derive(Debug)]
pub struct Count {
    count: Arc<AtomicU64>,
    before: u64,
}

impl<R> Counted<R> {
    /// Counts from here on.
    pub fn new(inner: R) -> (Self, Count) {
        let count = Arc::new(AtomicU64::new(0));
        (Self { inner, count: Arc::clone(&count) }, Count { count, before: 0 })
    }
}

impl Count {
    /// The bytes since it was last asked.
    pub fn take(&mut self) -> u64 {
        let now = self.count.load(Ordering::Relaxed);
        now - std::mem::replace(&mut self.before, now)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
