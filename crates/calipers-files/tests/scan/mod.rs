//! Many files, a batch at a time.

mod books;
mod dataset;
mod found;
mod odd;
mod places;
mod same;

use std::path::PathBuf;
use std::sync::Mutex;

use calipers_files::{Batch, Columns, Error, Inputs, Layout, Scan};

/// Reads files by these columns on so many threads, and hands every batch to `see`.
pub fn scanned(
    given: &[PathBuf],
    columns: &Columns,
    threads: usize,
    see: &(dyn Fn(&Batch) + Sync),
) -> Result<(), Error> {
    let inputs = Inputs::find(given)?;
    let layout = Layout::of(&inputs, columns)?;
    let scan = Scan::new(&inputs, &layout).threads(threads);
    let step = |(): &mut (), batch: Batch| {
        see(&batch);
        Ok(())
    };
    scan.run(|| (), step, &|_, _| {}).map(drop)
}

/// What is wrong with files, which is the same whatever the number of threads.
pub fn fault(given: &[PathBuf], columns: &Columns) -> Error {
    let errors: Vec<Error> = [1, 2, 8]
        .into_iter()
        .map(|threads| scanned(given, columns, threads, &|_| {}).unwrap_err())
        .collect();
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0].clone()
}

/// The number of rows that a scan hands out.
pub fn rows(given: &[PathBuf], columns: &Columns) -> usize {
    let rows = Mutex::new(0);
    scanned(given, columns, 2, &|batch| *rows.lock().unwrap() += batch.rows()).unwrap();
    rows.into_inner().unwrap()
}
