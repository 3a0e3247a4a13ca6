//! The files of a scan.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dataset::class_names;
use super::find::files;
use super::held::Held;
use super::partitions::partitions;
use crate::allowance::{Allowance, LEAST};
use crate::error::{Error, Result, unreadable};
use crate::formats::pieces::Opened;
use crate::formats::{Asked, Content, Format, csv};
use crate::remote::{Object, Stores, is_url};
use crate::table::{ClassNames, Table, Wanted};
use crate::words::file_name;

/// What is kept in memory of standard input, or of another pipe, unless something else is asked for.
const HELD: u64 = 1 << 26;

/// The files that were asked for, in order.
///
/// ```
/// use calipers_files::Inputs;
///
/// let folder = tempfile::tempdir()?;
/// for day in ["day=1", "day=2"] {
///     std::fs::create_dir(folder.path().join(day))?;
///     std::fs::write(folder.path().join(day).join("part.csv"), "y,p\n1,0.75\n")?;
/// }
/// let inputs = Inputs::find(&[folder.path().join("day=*/part.csv")])?;
/// assert_eq!((inputs.len(), inputs.bytes()), (2, 22));
/// assert_eq!(inputs.partitions(1), [("day".to_owned(), "2".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Inputs {
    files: Vec<Arc<Input>>,
}

#[derive(Debug)]
struct Input {
    path: PathBuf,
    /// The path as messages name it.
    name: String,
    format: &'static Format,
    bytes: u64,
    partitions: Vec<(String, String)>,
    /// What the dataset of the file says of its columns.
    class_names: ClassNames,
    /// What came through a pipe.
    held: Option<Held>,
    /// What is in an object store, and is brought here whenever it is opened.
    object: Option<Object>,
}

impl Inputs {
    /// Finds what is given: files, the files below directories, those that patterns such as
    /// `day=*/part-*.parquet` match, in this order; within a directory or a pattern, by their paths. `-`
    /// is CSV on standard input, which is kept as it is read, so that it can be read more than once: 64 MiB
    /// in memory, and more in a temporary file. With the feature `cloud`, a URL such as
    /// `s3://bucket/day=*/part-*.parquet` is an object, a pattern, or, if it ends in a slash, a directory.
    ///
    /// Of a directory, files whose ending is not known are passed over, and so are names that begin with
    /// `_` or a point. A file that is given twice is there twice.
    ///
    /// # Errors
    /// A file is not there or of no known ending, a pattern matches nothing, a directory has no files, a
    /// store denies access.
    pub fn find(given: &[PathBuf]) -> Result<Self> {
        Self::find_within(given, HELD)
    }

    /// As [`find`](Self::find), with at most so many bytes of each pipe in memory.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_within(given: &[PathBuf], memory: u64) -> Result<Self> {
        let mut found: Vec<Arc<Input>> = Vec::new();
        // What comes through a pipe comes once, however often it is given.
        let mut piped: Vec<Arc<Input>> = Vec::new();
        let mut stores = Stores::default();
        for given in given {
            if is_url(given) {
                for object in stores.objects(given)? {
                    found.push(Arc::new(Input::of_object(object)?));
                }
                continue;
            }
            if let Some(before) = piped.iter().find(|input| input.path == *given) {
                found.push(Arc::clone(before));
                continue;
            }
            let paths = match is_stdin(given) {
                true => vec![given.clone()],
                false => files(given)?,
            };
            for path in paths {
                let input = Arc::new(Input::new(path, memory)?);
                if input.held.is_some() {
                    piped.push(Arc::clone(&input));
                }
                found.push(input);
            }
        }
        Ok(Self { files: found })
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What messages call a file, by its number from 0.
    pub fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |input| &input.name)
    }

    /// Where a file is: its path or its URL; standard input is `-`.
    pub fn path(&self, file: usize) -> &Path {
        self.files.get(file).map_or(Path::new(""), |input| &input.path)
    }

    /// What all files take on the disk, or in their store; of a pipe, what has come so far.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, input| sum.saturating_add(input.bytes()))
    }

    /// The same, if it is known: what comes through a pipe must have ended.
    pub fn total(&self) -> Option<u64> {
        let ended = |input: &Arc<Input>| input.held.as_ref().is_none_or(Held::is_ended);
        self.files.iter().all(ended).then(|| self.bytes())
    }

    /// What a file takes on the disk, or in its store; of a pipe, what has come so far.
    pub fn size(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, |input| input.bytes())
    }

    /// Whether all files take at most so many bytes. Of a pipe no more is read than it takes to know.
    ///
    /// ```
    /// use calipers_files::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("predictions.csv");
    /// std::fs::write(&path, "y,p\n1,0.75\n")?;
    /// let inputs = Inputs::find(&[path])?;
    /// assert!(inputs.is_within(11)? && !inputs.is_within(10)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A pipe cannot be read.
    pub fn is_within(&self, bytes: u64) -> Result<bool> {
        let mut left = bytes;
        for input in &self.files {
            let own = match &input.held {
                Some(held) => held.count_within(left)?,
                None => Some(input.bytes),
            };
            match own.and_then(|own| left.checked_sub(own)) {
                Some(rest) => left = rest,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// How many rows there are, if every file says so without being read, as Parquet does on the disk.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn rows(&self) -> Result<Option<u64>> {
        if self.files.iter().any(|input| input.object.is_some()) {
            return Ok(None);
        }
        let nothing = Wanted::new(Vec::new(), false);
        let mut sum: u64 = 0;
        for file in 0..self.len() {
            let Some(rows) = self.open(file, &nothing)?.shape().rows else { return Ok(None) };
            sum = sum.saturating_add(rows);
        }
        Ok(Some(sum))
    }

    /// What the folders of a file say of its rows: `site=north/day=3/part.parquet` is of the site
    /// `north` and of day `3`. A missing value is empty.
    pub fn partitions(&self, file: usize) -> &[(String, String)] {
        self.files.get(file).map_or(&[], |input| &input.partitions)
    }

    /// What the dataset that a file is of says of the numbers of its columns.
    pub(super) fn class_names(&self, file: usize) -> ClassNames {
        self.files.get(file).map(|input| input.class_names.clone()).unwrap_or_default()
    }

    /// The same without some files.
    ///
    /// ```
    /// use calipers_files::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// for name in ["a.csv", "b.csv", "c.csv"] {
    ///     std::fs::write(folder.path().join(name), "y,p\n1,0.75\n")?;
    /// }
    /// let rest = Inputs::find(&[folder.path().to_owned()])?.without(&[1]);
    /// assert!(rest.name(0).ends_with("a.csv") && rest.name(1).ends_with("c.csv"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without(&self, left_out: &[usize]) -> Self {
        let kept = self.files.iter().enumerate().filter(|(file, _)| !left_out.contains(file));
        Self { files: kept.map(|(_, input)| Arc::clone(input)).collect() }
    }

    /// Whether threads may share out the parts of a file: an object is the thread's that brought it.
    pub(super) fn is_shared(&self, file: usize) -> bool {
        self.files.get(file).is_some_and(|input| input.object.is_none())
    }

    /// Reads a file as a whole.
    ///
    /// # Errors
    /// As [`read`](crate::read).
    pub fn read(&self, file: usize, wanted: &Wanted) -> Result<Table> {
        match self.files.get(file) {
            Some(input) => input.read(wanted),
            None => Err(no_such_file(file)),
        }
    }

    /// Opens a file to be read some rows at a time.
    pub(super) fn open<'a>(
        &'a self,
        file: usize,
        wanted: &'a Wanted,
    ) -> Result<Box<dyn Opened + 'a>> {
        match self.files.get(file) {
            Some(input) => input.open(wanted),
            None => Err(no_such_file(file)),
        }
    }
}

fn no_such_file(file: usize) -> Error {
    Error::unexpected(format!("there is no file {file}"))
}

/// Whether a path is standard input, or another pipe of text: what can be read only once, and whose size
/// is not known before.
///
/// ```
/// use calipers_files::is_pipe;
///
/// assert!(is_pipe("-".as_ref()) && !is_pipe("predictions.csv".as_ref()));
/// ```
pub fn is_pipe(path: &Path) -> bool {
    let special = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    is_stdin(path)
        || (!is_url(path)
            && Format::of(path).is_ok_and(Format::is_text)
            && path.metadata().is_ok_and(special))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Input {
    fn new(path: PathBuf, memory: u64) -> Result<Self> {
        let name = if is_stdin(&path) { "standard input".to_owned() } else { file_name(&path) };
        let format = Format::of(&path)?;
        let failed = |error: io::Error| unreadable(&name, &error);
        let (held, bytes) = if is_stdin(&path) {
            (Some(Held::new(io::stdin(), &name, memory)), 0)
        } else if is_pipe(&path) {
            (Some(Held::new(File::open(&path).map_err(failed)?, &name, memory)), 0)
        } else {
            (None, fs::metadata(&path).map_err(failed)?.len())
        };
        Ok(Self {
            partitions: partitions(&path),
            class_names: class_names(&path)?,
            path,
            name,
            format,
            bytes,
            held,
            object: None,
        })
    }

    fn of_object(object: Object) -> Result<Self> {
        let path = object.url();
        Ok(Self {
            name: file_name(&path),
            format: Format::of(&path)?,
            bytes: object.bytes(),
            partitions: partitions(&path),
            class_names: ClassNames::default(),
            held: None,
            object: Some(object),
            path,
        })
    }

    fn bytes(&self) -> u64 {
        self.held.as_ref().map_or(self.bytes, Held::count)
    }

    fn open<'a>(&'a self, wanted: &'a Wanted) -> Result<Box<dyn Opened + 'a>> {
        if let Some(held) = &self.held {
            return Ok(Box::new(csv::open(Box::new(held.clone()), self.asked(wanted, 0))?));
        }
        let (file, bytes) = self.file()?;
        self.format.open(file, self.asked(wanted, bytes))
    }

    fn read(&self, wanted: &Wanted) -> Result<Table> {
        if let Some(held) = &self.held {
            return csv::read(held.clone(), self.asked(wanted, held.count()));
        }
        let (file, bytes) = self.file()?;
        let (content, allowance) = (Content::File(file), self.asked(wanted, bytes).allowance);
        let mut table = self.format.read(&self.path, content, wanted, allowance)?;
        table.name_classes(&self.class_names)?;
        Ok(table)
    }

    /// The file, and what it takes.
    fn file(&self) -> Result<(File, u64)> {
        let failed = |error: io::Error| unreadable(&self.name, &error);
        let file = match &self.object {
            Some(object) => object.bring()?,
            None => File::open(&self.path).map_err(failed)?,
        };
        let bytes = file.metadata().map_err(failed)?.len();
        Ok((file, bytes))
    }

    fn asked<'a>(&'a self, wanted: &'a Wanted, bytes: u64) -> Asked<'a> {
        let Self { path, name, .. } = self;
        Asked { path, name, wanted, allowance: Allowance::of(name, bytes, LEAST) }
    }
}
