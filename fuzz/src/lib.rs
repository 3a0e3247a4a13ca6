//! What calipers must bear: one module a way in, each with `run`, which takes any bytes and panics if
//! calipers does something that it must not do.
//!
//! `fuzz_targets` has a program for each that libFuzzer drives (`make long WHAT=fuzz`); `tests/replay.rs` runs
//! them on the seeds, on what once failed, and on mutations of both (`cargo test`).

pub mod arrow;
mod bytes;
pub mod csv;
pub mod estimate;
mod file;
pub mod jsonl;
pub mod metric;
pub mod model;
pub mod neighbour;
pub mod npz;
pub mod parquet;
pub mod predictions;
pub mod recalibrator;
mod sound;
pub mod tally;

use std::alloc::System;

use cap::Cap;

/// Memory that a target may take: an allocation beyond it ends the process, and so is found. Sixteen
/// times what a reader may make of a small file here.
pub const MOST_MEMORY: usize = 16 * file::LEAST as usize;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MOST_MEMORY);

/// A way in.
pub type Target = fn(&[u8]);

/// Every way in, by its name.
pub const TARGETS: [(&str, Target); 12] = [
    ("arrow", arrow::run),
    ("csv", csv::run),
    ("estimate", estimate::run),
    ("jsonl", jsonl::run),
    ("metric", metric::run),
    ("model", model::run),
    ("neighbour", neighbour::run),
    ("npz", npz::run),
    ("parquet", parquet::run),
    ("predictions", predictions::run),
    ("recalibrator", recalibrator::run),
    ("tally", tally::run),
];
