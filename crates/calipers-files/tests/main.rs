//! Files in and out, from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod columns;
mod common;
mod corpus;
mod formats;
mod growing;
mod lists;
mod packed;
mod pairs;
mod readings;
mod scan;
mod sheets;
