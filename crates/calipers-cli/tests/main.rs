//! The program from outside: what it prints, writes and exits with.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cmd;
mod columns;
mod common;
#[cfg(unix)]
mod environment;
mod formats;
mod hostile;
#[cfg(unix)]
mod interrupts;
#[cfg(unix)]
mod load;
mod options;
mod output;
#[cfg(unix)]
mod piped;
mod recalibrate;
mod report;
mod stream;
