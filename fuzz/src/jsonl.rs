//! JSON Lines, read as `calipers estimate` reads them.

use crate::file;

/// Reads the bytes; what is accepted must be sound.
pub fn run(data: &[u8]) {
    file::read("jsonl", data);
}
