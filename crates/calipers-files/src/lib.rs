//! Files of predictions: read from CSV, JSON Lines, Parquet, Arrow and NPZ, written to the same, with errors that
//! name the row, the column and the value.
//!
//! # Overview
//!
//! [`predictions`] reads a file in one step: it guesses which column is what. [`load`] is told
//! ([`Columns`]), and says what it guessed of the rest. Beneath them are two steps that can be taken
//! one by one:
//!
//! 1. [`read`] turns a file of any [`Format`] into a [`Table`] of named columns.
//! 2. [`Loaded::of`] picks the columns of labels, probabilities or logits, weights, groups and folds
//!    and makes [`Predictions`](calipers::Predictions) of them, which checks the numbers;
//!    [`Unlabelled::of`] takes the predictions alone.
//!
//! Many files, or one that is larger than the memory, are scanned: [`Inputs`] finds them, a [`Layout`]
//! says which column is what, the same in all of them, and a [`Scan`] hands out a [`Batch`] of checked
//! rows at a time, on several threads. Labels, groups and folds are codes of a [`Book`] then.
//! [`each_table`] hands out whatever is in the files, in order. Where there are no files, [`read_bytes`] reads what
//! one holds from memory.
//!
//! A path may be the URL of something in an object store ([`is_url`]), such as
//! `s3://bucket/day=*/part-*.parquet`: an object is brought into a file without a name when it is opened.
//!
//! The way back is a [`Sheet`]: columns, with probabilities among them, as a file of any format; a
//! [`SheetWriter`] writes many to one file. [`write()`] puts any file in its place, whole or not at all.
//!
//! # Example
//!
//! ```
//! use calipers_files::{Columns, load};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("predictions.csv");
//! std::fs::write(&file, "animal,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,0.5\n")?;
//! let loaded = load(&file, &Columns::new().label("animal"), &|line| eprintln!("{line}"))?;
//! assert_eq!(loaded.predictions.class_names(), ["cat", "dog"]);
//!
//! // An error says where: here, line 3.
//! std::fs::write(&file, "label,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,high\n")?;
//! let error = calipers_files::predictions(&file).unwrap_err();
//! assert!(error.message().ends_with("line 3, column p_dog: probability \"high\" is not a number"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why it is so
//!
//! - **A small file fills no memory.** Compression, run lengths and headers let a kilobyte promise a
//!   terabyte. Every reader counts what it is about to make of a file before it makes it: a hundred
//!   times the file's size, or 1 GiB if that is more.
//! - **A large file fills none either**, if it is scanned: a thread holds one batch of rows. What is
//!   wrong is the same, with the same place, on any number of threads.
//! - **A bad cell is an error, never a reason to drop a column.** Names come before positions, and
//!   what is guessed is said.
//! - **A format is one folder and one line** in a table: that it is recognised, named in messages and
//!   in help texts follows from its entry.
//! - **No file is left half-written.** Output has no name before it is whole, where the system can do
//!   that, and takes its place in one step.
//!
//! # Features
//!
//! - `parquet` (by default): Parquet and Arrow IPC, which take most of the time to build. Without it
//!   the error for such a file says which feature is missing.
//! - `cloud`: objects in S3, Google Cloud Storage and Azure by their URLs, wherever a file is read or
//!   scanned. It brings HTTP and TLS. Without it the error for a URL says which feature is missing.

mod allowance;
mod columns;
mod door;
mod error;
mod formats;
mod harness;
mod names;
mod output;
mod read;
mod remote;
mod scan;
mod sheet;
mod stream;
mod table;
pub mod words;
mod write;
mod writer;

pub use columns::{
    Columns, FeatureColumns, FeatureKind, FoldColumn, GUESSES, Loaded, ModelColumns, ScoreColumns,
    Unlabelled, features, parted,
};
pub use door::{load, predictions, predictions_within};
pub use error::{Error, ErrorKind, Result};
pub use formats::Format;
pub use harness::{
    Answer, Answers, HelmRuns, InspectLogs, LeftOut, LmEval, ModelAnswers, ModelRuns, Question,
    Questions,
};
pub use output::{cannot_write, replace, write};
pub use read::{read, read_bytes, read_within};
pub use remote::is_url;
pub use scan::{Batch, Book, Entry, Inputs, Keys, Layout, Scan, Word, each_table, is_pipe};
pub use sheet::{Cells, Sheet};
pub use stream::{About, Pass, Pick, Room, fits, planned};
pub use table::{Column, Lines, Lists, Source, Table, Text, Values, Wanted};
pub use writer::SheetWriter;

/// Runs the example of the README with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
