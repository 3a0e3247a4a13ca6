//! Files out, whole or not at all.

mod draft;
mod file;
pub(crate) mod steady;

pub(crate) use file::{Begun, failed};
pub use file::{cannot_write, replace, write};
