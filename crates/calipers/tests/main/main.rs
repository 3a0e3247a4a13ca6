//! The crate as a user sees it: one program, so that it is linked once.
//!
//! Simulations are as long as their claims need; `CALIPERS_LONG=1` (`make long WHAT=simulations`)
//! makes them as long as they have ever been.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod borrowed;
mod closed_form;
mod clusters;
mod common;
mod consistency;
mod estimator;
mod extremes;
mod features;
mod inference;
mod interface;
mod lower_bound;
mod neighbours;
mod oracles;
mod properties;
mod stop;
mod stream;
mod synthetic_figure;
