//! The kinds of files that are read and written. One folder a format: its reader, its writer and its
//! entry in the table below.
//!
//! A new format is such a folder and a line in [`FORMATS`]. That it is recognised, listed where an
//! ending is not known, and named in help texts follows from its entry. Its reader counts what it
//! makes of a file ([`Allowance`]) before it makes it.

mod arrow;
mod content;
pub(crate) mod csv;
pub(crate) mod growing;
#[cfg(feature = "parquet")]
mod guard;
mod jsonl;
pub(crate) mod npz;
pub(crate) mod packed;
mod parquet;
pub(crate) mod pieces;

use std::fs::File;
use std::io;
use std::path::Path;

use calipers::words::visible;

use crate::allowance::Allowance;
use crate::error::{Error, Result};
use crate::sheet::Sheet;
use crate::table::{Table, Wanted};
use crate::words::{file_name, joined};
pub(crate) use content::Content;
use growing::Growing;
use packed::Packed;
use pieces::Opened;

/// Every format, in the order in which they are named.
static FORMATS: [Format; 5] =
    [csv::FORMAT, jsonl::FORMAT, parquet::FORMAT, arrow::FORMAT, npz::FORMAT];

/// What a path without an ending is, and standard output.
static TEXT: &Format = &FORMATS[0];

/// A kind of file.
///
/// ```
/// use calipers_files::Format;
/// use std::path::Path;
///
/// let format = Format::of(Path::new("predictions.PQ"))?;
/// assert_eq!(format.name(), "Parquet");
/// assert_eq!(
///     Format::endings("or"),
///     ".csv, .tsv, .txt, .jsonl, .ndjson, .parquet, .arrow, .feather, .ipc or .npz"
/// );
/// # Ok::<(), calipers_files::Error>(())
/// ```
#[derive(Debug)]
pub struct Format {
    /// What it is called in a message.
    name: &'static str,
    /// What it is, where a sentence says "files are …".
    about: &'static str,
    /// The endings of file names, in small letters and without the point.
    extensions: &'static [&'static str],
    /// Endings that are recognised and not named: there are better ones.
    aliases: &'static [&'static str],
    /// The first bytes of such a file, and what it is called if it is taken for text.
    start: Option<(&'static [u8], &'static str)>,
    /// Whether it holds arrays that say by their names what they are, instead of columns.
    arrays: bool,
    /// Whether a file may be compressed as a whole, which a second ending says: it is text.
    packs: bool,
    support: Support,
}

/// Whether this build reads and writes a format.
#[derive(Debug)]
enum Support {
    BuiltIn {
        read: fn(Content<'_>, Asked<'_>) -> Result<Table>,
        /// The same some rows at a time.
        open: for<'a> fn(File, Asked<'a>) -> Result<Box<dyn Opened + 'a>>,
        write: fn(&Sheet<'_>, &Path, &mut File) -> io::Result<()>,
        /// Writes one sheet after another, where the format can be cut.
        append: Option<Append>,
    },
    /// It takes long to build, and this feature was not asked for.
    #[cfg(not(feature = "parquet"))]
    LeftOut { feature: &'static str },
}

/// Begins a file that sheets are added to.
type Append = fn(&Path, File) -> io::Result<Box<dyn Growing>>;

/// What a reader is told beside what it reads.
pub(crate) struct Asked<'a> {
    pub path: &'a Path,
    /// The path as messages name it.
    pub name: &'a str,
    pub wanted: &'a Wanted,
    /// What the file may unfold to; what is read some rows at a time, what these may.
    pub allowance: Allowance,
}

impl Format {
    /// Every format.
    pub fn all() -> &'static [Self] {
        &FORMATS
    }

    /// The format by the path's extension. A path without one, such as `/dev/fd/63`, is text. Text may be
    /// compressed as a whole, which a second extension says: `.csv.gz`, `.jsonl.zst`.
    ///
    /// # Errors
    /// The extension is not known; the message says which are.
    pub fn of(path: &Path) -> Result<&'static Self> {
        let Some(extension) = extension(path) else { return Ok(TEXT) };
        let ends = |format: &Self, end: &str| format.all_extensions().any(|own| own == end);
        if let Some((_, within)) = Packed::of(path)
            && let Some(text) = FORMATS.iter().find(|format| format.packs && ends(format, &within))
        {
            return Ok(text);
        }
        FORMATS.iter().find(|format| ends(format, &extension)).ok_or_else(|| {
            let error = Error::input(format!(
                "{}: files that end in .{} are not known; known are {}",
                file_name(path),
                visible(&extension),
                Self::endings("and")
            ));
            let hint = "if there is an object a line in it, it is JSON Lines: name it .jsonl";
            error.with_any_hint((extension == "json").then(|| hint.to_owned()))
        })
    }

    /// The format of a file to write; `-` is CSV on standard output.
    ///
    /// # Errors
    /// As [`Format::of`]; this build does not write it.
    pub fn to_write(path: &Path) -> Result<&'static Self> {
        if path == Path::new("-") {
            return Ok(TEXT);
        }
        let format = Self::of(path)?;
        if npz::is_one(path) {
            let name = file_name(path);
            return Err(Error::input(format!(
                "{name}: an NPY file holds one array, and is only read"
            ))
            .with_hint("write .npz"));
        }
        match format.support {
            Support::BuiltIn { .. } => match Packed::of(path) {
                Some((packed, _)) => packed.check(&file_name(path)).map(|()| format),
                None => Ok(format),
            },
            #[cfg(not(feature = "parquet"))]
            Support::LeftOut { feature } => Err(format.left_out(path, feature)),
        }
    }

    /// What it is called, such as `Parquet`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The endings of file names, in small letters and without the point; the usual one comes first.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    /// Whether this build reads and writes it.
    pub fn is_built_in(&self) -> bool {
        matches!(self.support, Support::BuiltIn { .. })
    }

    /// Whether it holds arrays that say by their names what they are (`probs`, `labels`), instead of
    /// columns.
    pub fn holds_arrays(&self) -> bool {
        self.arrays
    }

    /// The endings of all formats for a sentence: `.csv, .tsv, … or .npz`, if `or` is what comes
    /// before the last.
    pub fn endings(last: &str) -> String {
        let extensions = FORMATS.iter().flat_map(|format| format.extensions);
        joined(&extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>(), last)
    }

    /// What all formats are, for a sentence that starts with "files are".
    pub fn described() -> String {
        let abouts: Vec<&str> = FORMATS.iter().map(|format| format.about).collect();
        match abouts.as_slice() {
            [first @ .., last] => format!("{}, or {last}", first.join(", ")),
            [] => String::new(),
        }
    }

    /// Whether it is text, which needs no place to be looked up in, and so may come through a pipe.
    pub(crate) fn is_text(&self) -> bool {
        std::ptr::eq(self, TEXT)
    }

    fn all_extensions(&self) -> impl Iterator<Item = &'static str> {
        self.extensions.iter().chain(self.aliases).copied()
    }

    /// Reads what a file holds.
    pub(crate) fn read(
        &self,
        path: &Path,
        content: Content<'_>,
        wanted: &Wanted,
        allowance: Allowance,
    ) -> Result<Table> {
        match self.support {
            Support::BuiltIn { read, .. } => {
                let name = &file_name(path);
                read(content, Asked { path, name, wanted, allowance })
            }
            #[cfg(not(feature = "parquet"))]
            Support::LeftOut { feature } => Err(self.left_out(path, feature)),
        }
    }

    /// Opens a file to be read some rows at a time.
    pub(crate) fn open<'a>(&self, file: File, asked: Asked<'a>) -> Result<Box<dyn Opened + 'a>> {
        match self.support {
            Support::BuiltIn { open, .. } => open(file, asked),
            #[cfg(not(feature = "parquet"))]
            Support::LeftOut { feature } => Err(self.left_out(asked.path, feature)),
        }
    }

    /// Fills an open file.
    pub(crate) fn fill(&self, sheet: &Sheet<'_>, path: &Path, file: &mut File) -> io::Result<()> {
        match self.support {
            Support::BuiltIn { write, .. } => write(sheet, path, file),
            #[cfg(not(feature = "parquet"))]
            Support::LeftOut { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Whether a file can be written one sheet after another.
    pub(crate) fn grows(&self) -> bool {
        matches!(self.support, Support::BuiltIn { append: Some(_), .. })
    }

    /// Begins a file that sheets are added to.
    pub(crate) fn append(&self, path: &Path, file: File) -> io::Result<Box<dyn Growing>> {
        match self.support {
            Support::BuiltIn { append: Some(append), .. } => append(path, file),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    #[cfg(not(feature = "parquet"))]
    fn left_out(&self, path: &Path, feature: &str) -> Error {
        Error::input(format!(
            "{}: this build of calipers has no support for {} files",
            file_name(path),
            self.name
        ))
        .with_hint(format!("build it with the feature {feature}"))
    }
}

/// What a path ends in, in small letters.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// What else is taken for text, by its first bytes: what its name does not say that it is.
const OTHERS: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "gzip-compressed"),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// What a file is that starts with the first bytes of a format, or of what is no text, if it does.
fn started(start: &[u8]) -> Option<&'static str> {
    let starts = FORMATS.iter().filter_map(|format| format.start).chain(OTHERS);
    starts.into_iter().find(|(bytes, _)| start.starts_with(bytes)).map(|(_, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_that_of_one_format() {
        let mut endings: Vec<&str> = FORMATS.iter().flat_map(Format::all_extensions).collect();
        assert!(endings.iter().all(|ending| *ending == ending.to_lowercase()));
        let count = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), count);
    }

    #[test]
    fn a_path_is_of_the_format_that_it_ends_in() {
        for (path, name) in [
            ("a.csv", "CSV"),
            ("a.TAB", "CSV"),
            ("/dev/fd/63", "CSV"),
            ("a.csv.pq", "Parquet"),
            ("a.arrows", "Arrow"),
            ("a.npz", "NPZ"),
            ("a.npy", "NPZ"),
            ("a.csv.gz", "CSV"),
            ("a.b.TSV.GZ", "CSV"),
            ("a.csv.zst", "CSV"),
            ("a.ndjson", "JSONL"),
            ("a.jsonl.GZ", "JSONL"),
        ] {
            assert_eq!(Format::of(Path::new(path)).unwrap().name, name, "{path}");
        }
        for path in ["a.npy.gz", "a.gz", "a.parquet.gz", "csv.gz"] {
            assert!(Format::of(Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(Format::to_write(Path::new("-")).unwrap().name, "CSV");
    }
}
