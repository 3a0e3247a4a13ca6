//! Scanning: many files, a batch of rows at a time, on several threads, in bounded memory.
//!
//! The steps: [`inputs`] finds the files, [`layout`] looks at the first and says which column is what,
//! [`queue`] shares out the parts of the files among the threads of a [`run`]; a file must be [`alike`], a
//! table of some rows becomes a [`batch`], and its words become codes of a [`book`].

mod alike;
mod batch;
mod book;
mod constant;
mod dataset;
mod find;
mod held;
mod inputs;
mod keys;
mod layout;
mod lookup;
mod partitions;
mod queue;
mod run;
mod tables;

pub use batch::Batch;
pub use book::{Book, Entry, Word};
pub(crate) use dataset::class_names;
pub use inputs::{Inputs, is_pipe};
pub use keys::Keys;
pub use layout::Layout;
pub use run::Scan;
pub use tables::each_table;
