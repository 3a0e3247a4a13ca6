//! Every batch of every file, on several threads.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::alike::places;
use super::batch::{Batch, Lookups, batch};
use super::book::Book;
use super::constant::add_partitions;
use super::inputs::Inputs;
use super::layout::{Layout, no_rows};
use super::queue::{Queue, Unit};
use crate::columns::Columns;
use crate::columns::choose::Choice;
use crate::error::{Error, Result};
use crate::formats::pieces::Opened;
use crate::table::Wanted;

/// Reads many files a batch at a time, on several threads: the memory that it takes is that of a batch a
/// thread, however much there is to read.
///
/// ```
/// use calipers_files::{Columns, Error, Inputs, Layout, Scan};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.csv"), "y,p\nyes,0.75\nno,0.5\n")?;
/// std::fs::write(folder.path().join("b.csv"), "y,p\nyes,0.25\n")?;
/// let inputs = Inputs::find(&[folder.path().to_owned()])?;
/// let layout = Layout::of(&inputs, &Columns::new())?;
/// let scan = Scan::new(&inputs, &layout);
/// let rows = scan.run(
///     || 0,
///     |rows, batch| {
///         *rows += batch.rows();
///         Ok::<(), Error>(())
///     },
///     &|_, _| {},
/// )?;
/// assert_eq!(rows.iter().sum::<usize>(), 3);
/// let yes = scan.label_book().words().into_iter().find(|entry| entry.text == "yes");
/// assert_eq!(yes.map(|entry| entry.count), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scan<'a> {
    inputs: &'a Inputs,
    layout: &'a Layout,
    columns: Columns,
    wanted: Wanted,
    labels: Book,
    groups: Book,
    folds: Book,
    threads: usize,
}

impl<'a> Scan<'a> {
    /// A scan of these files by this layout, with books that take any word, on a thread a core.
    pub fn new(inputs: &'a Inputs, layout: &'a Layout) -> Self {
        let columns = layout.to_columns();
        Self {
            inputs,
            layout,
            wanted: columns.wanted(),
            columns,
            labels: Book::new(),
            groups: Book::new(),
            folds: Book::new(),
            threads: 0,
        }
    }

    /// Takes the codes of labels from this book.
    #[must_use]
    pub fn labels(mut self, book: Book) -> Self {
        self.labels = book;
        self
    }

    /// Takes the codes of groups from this book.
    #[must_use]
    pub fn groups(mut self, book: Book) -> Self {
        self.groups = book;
        self
    }

    /// Takes the codes of folds from this book.
    #[must_use]
    pub fn folds(mut self, book: Book) -> Self {
        self.folds = book;
        self
    }

    /// Reads on so many threads; 0 is one a core.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The words that labels are, so far.
    pub fn label_book(&self) -> &Book {
        &self.labels
    }

    /// The words that groups are, so far.
    pub fn group_book(&self) -> &Book {
        &self.groups
    }

    /// The words that folds are, so far.
    pub fn fold_book(&self) -> &Book {
        &self.folds
    }

    /// Reads every batch of every file once.
    ///
    /// Each thread has a state of its own, which `start` makes and `step` is handed with every batch that
    /// the thread has read; the states come back, in no particular order. Threads share out the groups of
    /// rows of Parquet files, and other files as a whole, as are those in object stores. `seen` is told of the rows and bytes that were
    /// read since it was last told.
    ///
    /// # Errors
    /// What is wrong with a file, or what `step` finds: of several faults the first, by the order of the
    /// files and of the parts in a file, whatever the number of threads. There are no rows.
    pub fn run<S: Send, E: From<Error> + Send>(
        &self,
        start: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, Batch) -> std::result::Result<(), E> + Sync,
        seen: &(dyn Fn(u64, u64) + Sync),
    ) -> std::result::Result<Vec<S>, E> {
        let queue = Queue::new(self.inputs.len());
        let rows = AtomicU64::new(0);
        let states = self.spread(|| {
            let mut state = None;
            let mut lookups = Lookups::new(&self.labels, &self.groups, &self.folds);
            self.each_unit(&queue, |unit, opened| {
                let state = state.get_or_insert_with(&start);
                self.read(unit, opened?, &mut lookups, |batch, count, bytes| {
                    rows.fetch_add(count, Ordering::Relaxed);
                    if let Some(batch) = batch {
                        step(state, batch)?;
                    }
                    seen(count, bytes);
                    Ok::<bool, E>(!queue.is_beyond(unit))
                })
            });
            state
        });
        queue.finish()?;
        if rows.into_inner() == 0 {
            return Err(no_rows(self.inputs).into());
        }
        if self.layout.is_ragged() {
            self.layout.check_fewest(&self.labels.fewest())?;
        }
        Ok(states.into_iter().flatten().collect())
    }

    /// Tries every file by itself and says which are bad, and why, in the order of the files: for those
    /// who would rather leave them out ([`Inputs::without`]).
    ///
    /// ```
    /// use calipers_files::{Columns, Inputs, Layout, Scan};
    ///
    /// let folder = tempfile::tempdir()?;
    /// for (name, p) in [("a.csv", "0.75"), ("b.csv", "high"), ("c.csv", "0.5")] {
    ///     std::fs::write(folder.path().join(name), format!("y,p\n1,{p}\n"))?;
    /// }
    /// let inputs = Inputs::find(&[folder.path().to_owned()])?;
    /// let layout = Layout::of(&inputs, &Columns::new())?;
    /// let bad = Scan::new(&inputs, &layout).bad_files();
    /// assert_eq!(bad.len(), 1);
    /// assert!(bad[0].0 == 1 && bad[0].1.message().contains("b.csv, line 2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bad_files(&self) -> Vec<(usize, Error)> {
        // The first bad part of each file.
        let bad: Mutex<BTreeMap<usize, (usize, Error)>> = Mutex::default();
        let bad_files = || bad.lock().unwrap_or_else(PoisonError::into_inner);
        let queue: Queue<Error> = Queue::new(self.inputs.len());
        self.spread(|| {
            self.each_unit(&queue, |Unit { file, part }, opened| {
                // A file's words are its own: the books of the scan count those that are read for good.
                let books = [&self.labels, &self.groups, &self.folds].map(Book::like);
                let [labels, groups, folds] = &books;
                let mut lookups = Lookups::new(labels, groups, folds);
                let is_first =
                    |bad: Option<&(usize, Error)>| bad.is_none_or(|(first, _)| part <= *first);
                let read = opened.and_then(|opened| {
                    self.read(Unit { file, part }, opened, &mut lookups, |_, _, _| {
                        Ok(is_first(bad_files().get(&file)))
                    })
                });
                if let Err(error) = read {
                    let mut bad = bad_files();
                    if is_first(bad.get(&file)) {
                        bad.insert(file, (part, error));
                    }
                }
                Ok(())
            });
        });
        let bad = bad.into_inner().unwrap_or_else(PoisonError::into_inner);
        bad.into_iter().map(|(file, (_, error))| (file, error)).collect()
    }

    /// Runs the same on every thread, this one among them; fewer do if the system has no more.
    fn spread<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        let threads = match self.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, &work).ok())
                .collect();
            let mut done = vec![work()];
            for other in others {
                done.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            done
        })
    }

    /// Takes units until there are none; a file stays open for the next part of it.
    fn each_unit<E: From<Error>>(
        &self,
        queue: &Queue<E>,
        mut read: impl FnMut(Unit, Result<&mut (dyn Opened + '_)>) -> std::result::Result<(), E>,
    ) {
        let mut last: Option<(usize, Box<dyn Opened + '_>)> = None;
        while let Some((unit, opening)) = queue.next() {
            let opened = match last.take().filter(|(file, _)| *file == unit.file) {
                Some((_, opened)) => Ok(opened),
                None => self.inputs.open(unit.file, &self.wanted),
            };
            if let (Some(mut opening), Ok(opened)) = (opening, &opened) {
                opening.parts = match self.inputs.is_shared(unit.file) {
                    true => opened.shape().parts,
                    false => 1,
                };
            }
            let done = match opened {
                Ok(mut opened) => {
                    let done = read(unit, Ok(opened.as_mut()));
                    last = Some((unit.file, opened));
                    done
                }
                Err(error) => read(unit, Err(error)),
            };
            if let Err(error) = done {
                queue.fault(unit, error);
            }
        }
    }

    /// Reads a unit: `each` is handed a batch, or none where there are no rows, how many rows there are
    /// and how many bytes they took, and says whether to go on.
    fn read<E: From<Error>>(
        &self,
        unit: Unit,
        opened: &mut (dyn Opened + '_),
        lookups: &mut Lookups<'_>,
        mut each: impl FnMut(Option<Batch>, u64, u64) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        let partitions = self.inputs.partitions(unit.file);
        let parts = match self.inputs.is_shared(unit.file) {
            true => unit.part..unit.part + 1,
            false => 0..opened.shape().parts,
        };
        let names = self.inputs.class_names(unit.file);
        let mut choice: Option<Choice> = None;
        for part in parts {
            for piece in opened.pieces(part)? {
                let piece = piece?;
                let mut table = piece.table;
                add_partitions(&mut table, self.columns.singles().map(String::as_str), partitions);
                let choice = match &choice {
                    Some(choice) => choice,
                    None => choice.insert(places(&table, self.layout, partitions)?),
                };
                table.name_classes(&names)?;
                self.layout.check_names(&table.source)?;
                let rows = table.rows();
                let batch = match rows {
                    0 => None,
                    _ => Some(batch(table, unit.file, self.layout, choice, lookups)?),
                };
                if !each(batch, rows as u64, piece.bytes)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
