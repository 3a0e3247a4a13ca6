//! What the arguments that name files say: the formats follow from their table.

use calipers_files::Format;

/// The help of a file of predictions to read.
pub fn to_read() -> String {
    format!("The predictions: {}; - is CSV on standard input", Format::endings("or"))
}

/// The help of files of predictions to read, of one model.
pub fn many_to_read() -> String {
    format!(
        "{}. Several files, directories and patterns such as 'day=*/*.parquet' are one table",
        to_read()
    )
}

/// The help of a file of columns to write.
pub fn to_write() -> String {
    format!("File to write: {}; - prints CSV", Format::endings("or"))
}
