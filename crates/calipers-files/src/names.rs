//! Names of files that stand for others: patterns, folders, and what is passed over in them.

use std::path::Path;

use glob::MatchOptions;

use crate::formats::{Format, npz};

/// As a shell does it: a `*` stands for no slash, and for no point at the start of a name.
pub const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// What makes a name a pattern, if nothing is called that.
pub const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Whether a name is one that writers leave beside the data: `_SUCCESS`, `.part-0.parquet.crc`.
pub fn is_passed_over(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']))
}

/// Whether a file that nobody named can be read, by what it ends in.
pub fn is_readable(path: &Path) -> bool {
    // A single array is half of what is needed, and beside it is the other.
    path.extension().is_some() && Format::of(path).is_ok() && !npz::is_one(path)
}
