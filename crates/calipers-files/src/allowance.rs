//! How much a file may unfold to: the one rule that keeps a small file from filling the memory.
//!
//! Compression, run lengths and dictionaries let a kilobyte stand for a terabyte, and a header can
//! promise anything. So every reader counts what it is about to make of a file, *before* it makes it:
//! an allocation that fails ends the process, and nothing can be said any more.
//!
//! A file may unfold to 100 times its size, and a small one to 1 GiB all the same. Numbers count 8
//! bytes each, text its letters and 8 bytes a cell. Predictions do not compress by that much: noise
//! is in every digit.

use crate::error::{Error, Result};

/// What any file may unfold to, in bytes, unless something else is asked for.
pub const LEAST: u64 = 1 << 30;

/// What a file may unfold to, in its own sizes.
const TIMES: u64 = 100;

/// Bytes that a number takes, and the end of a cell of text.
pub const CELL: u64 = 8;

/// What a file may still unfold to.
#[derive(Debug, Clone)]
pub struct Allowance {
    name: String,
    size: u64,
    least: u64,
    spent: u64,
}

impl Allowance {
    /// That of a file of `size` bytes, which may unfold to `least` bytes however small it is.
    pub fn of(name: &str, size: u64, least: u64) -> Self {
        Self { name: name.to_owned(), size, least, spent: 0 }
    }

    /// What the file may unfold to in all, in bytes.
    pub fn limit(&self) -> u64 {
        self.size.saturating_mul(TIMES).max(self.least)
    }

    /// The size of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Counts bytes that are about to be made of the file.
    ///
    /// # Errors
    /// All that came before and these are too many.
    pub fn spend(&mut self, bytes: u64) -> Result<()> {
        self.spent = self.spent.saturating_add(bytes);
        if self.spent <= self.limit() {
            return Ok(());
        }
        Err(self.refused(&format!("it unfolds to {} or more", readable(self.spent.into()))))
    }

    /// Looks at what the file says of itself: `what`, of which there would be so many bytes.
    ///
    /// # Errors
    /// They are too many by themselves.
    pub fn promised(&self, bytes: u128, what: &str) -> Result<()> {
        if bytes <= self.limit().into() {
            return Ok(());
        }
        Err(self.refused(&format!("it promises {what}, which is {}", readable(bytes))))
    }

    fn refused(&self, reason: &str) -> Error {
        let (size, limit) = (readable(self.size.into()), readable(self.limit().into()));
        Error::input(format!(
            "{}: {reason}; a file of {size} may unfold to {limit} at most",
            self.name
        ))
        .with_hint(
            "the file is damaged or made to fill the memory; if it is neither, write it as CSV",
        )
    }
}

/// A number of bytes for people: at most four digits and a unit.
fn readable(bytes: u128) -> String {
    const UNITS: [&str; 9] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_may_unfold_to_a_gibibyte_and_a_large_one_to_a_hundred_times_its_size() {
        assert_eq!(Allowance::of("a", 0, LEAST).limit(), 1 << 30);
        assert_eq!(Allowance::of("a", 1 << 30, LEAST).limit(), 100 << 30);
        assert_eq!(Allowance::of("a", u64::MAX, LEAST).limit(), u64::MAX);
    }

    #[test]
    fn what_is_spent_adds_up() {
        let mut allowance = Allowance::of("a.npz", 3000, LEAST);
        assert!(allowance.spend(1 << 29).is_ok());
        assert!(allowance.spend(1 << 29).is_ok());
        let error = allowance.spend(1).unwrap_err();
        assert_eq!(
            error.message(),
            "a.npz: it unfolds to 1.0 GiB or more; a file of 2.9 KiB may unfold to 1.0 GiB at most"
        );
        assert!(allowance.spend(u64::MAX).is_err());
    }

    #[test]
    fn promises_are_looked_at_one_by_one() {
        let allowance = Allowance::of("a.npz", 10, LEAST);
        assert!(allowance.promised(1 << 30, "much").is_ok());
        let error = allowance.promised(1 << 63, "2 rows").unwrap_err();
        assert!(
            error.message().contains("it promises 2 rows, which is 8.0 EiB; a file of 10 bytes")
        );
    }
}
