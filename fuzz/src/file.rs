//! Bytes as a file of predictions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::thread;

use calipers_files::predictions_within;

use crate::sound;

/// What a small file may unfold to, in bytes. Less than what users may: a run must be short, and
/// what exceeds it must be found out by counting, never by trying.
pub const LEAST: u64 = 16 << 20;

/// Reads the bytes as a file of this extension; what is accepted must be sound, and what is refused
/// must be refused with a word.
pub fn read(extension: &str, data: &[u8]) {
    let path = place(extension);
    if fs::write(&path, data).is_err() {
        // A full disk is no fault of what is tested.
        return;
    }
    let read = predictions_within(&path, LEAST);
    let _ = fs::remove_file(&path);
    match read {
        Ok(predictions) => sound::check(&predictions),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A path for this thread alone, in memory if there is such a place.
fn place(extension: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { env::temp_dir() };
    let name = format!("calipers-fuzz-{}-{:?}.{extension}", process::id(), thread::current().id());
    folder.join(name)
}
