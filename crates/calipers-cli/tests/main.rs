//! The program from outside: what it prints, writes and exits with.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod cmd;
mod columns;
mod common;
mod confidence;
mod config;
mod described;
#[cfg(unix)]
mod environment;
mod formats;
mod hostile;
#[cfg(unix)]
mod interrupts;
mod lm_eval;
#[cfg(unix)]
mod load;
mod models;
mod monitor;
mod options;
mod output;
#[cfg(unix)]
mod piped;
mod recalibrate;
mod report;
mod stream;
