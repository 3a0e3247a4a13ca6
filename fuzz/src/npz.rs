//! An archive of NumPy arrays, read as `calipers estimate` reads it.

use crate::file;

/// Reads the bytes; what is accepted must be sound.
pub fn run(data: &[u8]) {
    file::read("npz", data);
}
