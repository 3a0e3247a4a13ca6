//! Files out.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use calipers_files::words::plain;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Writes a file, whole or not at all: whatever goes wrong, or ends the process, leaves what was there
/// before, or the new file. A link stays a link.
#[pyfunction]
#[pyo3(signature = (path, text))]
pub fn write_file(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
    let written =
        py.detach(|| calipers_files::replace(&path, |file| file.write_all(text.as_bytes())));
    written.map_err(|error| raised(&error, &path))
}

/// The exception that Python's own functions raise.
fn raised(error: &io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        // Python chooses the exception by the number.
        Some(number) => PyOSError::new_err((number, plain(error), path.display().to_string())),
        None => {
            let words = calipers_files::cannot_write(path, error);
            io::Error::new(error.kind(), words.message().to_owned()).into()
        }
    }
}
