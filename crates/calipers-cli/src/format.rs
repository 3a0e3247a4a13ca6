//! Which kind of file a path names.

use std::path::Path;

use crate::error::{Failure, Result};

/// The kinds of files that are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text with a delimiter; `None` when it is to be found out from the first line.
    Csv(Option<u8>),
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, the file or the stream format; Feather version 2 is the former.
    Arrow,
    /// NumPy's archive of arrays.
    Npz,
}

const KNOWN: &str = ".csv, .tsv, .txt, .parquet, .arrow, .feather, .ipc and .npz";

impl Format {
    /// The format by the path's extension. A path without one, such as `/dev/fd/63`, is text.
    pub fn of(path: &Path) -> Result<Self> {
        let Some(extension) = path.extension() else { return Ok(Self::Csv(None)) };
        match extension.to_string_lossy().to_lowercase().as_str() {
            "csv" | "txt" => Ok(Self::Csv(None)),
            "tsv" | "tab" => Ok(Self::Csv(Some(b'\t'))),
            "parquet" | "pq" => Ok(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Ok(Self::Arrow),
            "npz" => Ok(Self::Npz),
            other => Err(Failure::input(format!(
                "{}: files that end in .{other} are not known; known are {KNOWN}",
                path.display()
            ))),
        }
    }

    /// The format of a file to write; `-` is CSV on standard output.
    pub fn to_write(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Csv(None));
        }
        let format = Self::of(path)?;
        #[cfg(not(feature = "parquet"))]
        if matches!(format, Self::Parquet | Self::Arrow) {
            return Err(format.left_out(&path.display().to_string()));
        }
        Ok(format)
    }

    /// The error of a build without the formats that take long to build.
    #[cfg(not(feature = "parquet"))]
    pub fn left_out(self, name: &str) -> Failure {
        Failure::input(format!("{name}: this build of calipers has no support for {self:?} files"))
            .hint("build it with the feature parquet")
    }
}
