//! Files in.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::allowance::{Allowance, LEAST};
use crate::error::{Error, Result, unreadable};
use crate::formats::{Asked, Content, Format, csv};
use crate::remote::{Stores, is_url};
use crate::scan::class_names;
use crate::table::{ClassNames, Table, Wanted};
use crate::words::file_name;

/// Reads a file, or with the feature `cloud` the object that has a URL; `-` is CSV on standard input.
/// Columns that are not wanted may be passed over. Where a file, or the dataset that it is of, names the classes that
/// a column's numbers stand for, the column is of these names.
///
/// ```
/// use calipers_files::{Values, Wanted, read};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("predictions.csv");
/// std::fs::write(&file, "label,p\nyes,0.75\nno,\n")?;
/// let table = read(&file, &Wanted::default())?;
/// assert_eq!(table.columns[1].name, "p");
/// let Values::Numbers(numbers) = &table.columns[1].values else { panic!("{table:?}") };
/// assert!(numbers[0] == 0.75 && numbers[1].is_nan());
/// assert!(table.source.place(1).ends_with("predictions.csv, line 3"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Whatever is wrong with the file, in words for the person who has it.
pub fn read(path: impl AsRef<Path>, wanted: &Wanted) -> Result<Table> {
    read_within(path, wanted, LEAST)
}

/// As [`read`], of a file that may unfold to so many bytes, instead of 1 GiB, or to a hundred times
/// its size, whichever is more.
///
/// # Errors
/// As [`read`]; more than so many bytes.
pub fn read_within(path: impl AsRef<Path>, wanted: &Wanted, bytes: u64) -> Result<Table> {
    let path = path.as_ref();
    if path.as_os_str() == "-" {
        let name = "standard input";
        let allowance = Allowance::of(name, 0, bytes);
        return csv::read(io::stdin().lock(), Asked { path, name, wanted, allowance });
    }
    let name = file_name(path);
    let format = Format::of(path)?;
    let file = match is_url(path) {
        true => Stores::default().object(path)?.bring()?,
        false => File::open(path).map_err(|error| unreadable(&name, &error))?,
    };
    let metadata = file.metadata().map_err(|error| unreadable(&name, &error))?;
    if metadata.is_dir() {
        return Err(Error::input(format!("cannot read {name}: it is a directory")));
    }
    let allowance = Allowance::of(&name, metadata.len(), bytes);
    let mut table = format.read(path, Content::File(file), wanted, allowance)?;
    // What the dataset says that a file is of: what is in an object store is of none.
    let names = if is_url(path) { ClassNames::default() } else { class_names(path)? };
    table.name_classes(&names)?;
    Ok(table)
}

/// Reads what a file holds from memory, where there are no files, as in a browser: the format is that of the name's
/// extension.
///
/// ```
/// use calipers_files::{Columns, Loaded, read_bytes};
///
/// let columns = Columns::new();
/// let table = read_bytes("dropped.csv", b"label,p\n1,0.75\n0,0.5\n", &columns.wanted())?;
/// assert_eq!(Loaded::of(table, &columns, &|_| {})?.predictions.rows(), 2);
/// # Ok::<(), calipers_files::Error>(())
/// ```
///
/// # Errors
/// Whatever is wrong with what it holds, in words for the person who has it.
pub fn read_bytes(name: impl AsRef<Path>, bytes: &[u8], wanted: &Wanted) -> Result<Table> {
    let path = name.as_ref();
    let allowance = Allowance::of(&file_name(path), bytes.len() as u64, LEAST);
    let mut table = Format::of(path)?.read(path, Content::of(bytes), wanted, allowance)?;
    table.name_classes(&ClassNames::default())?;
    Ok(table)
}
