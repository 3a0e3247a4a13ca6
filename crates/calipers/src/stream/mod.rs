//! Streams: more rows than fit in memory, on one machine or many: g is fitted to a sample, and every
//! row is scored.
//!
//! A row's way: it has an [`identity`], by which a [`Sampler`] knows whether it is in the sample. From the
//! sample a [`Plan`] is made. Every row then goes by a [`Tally`] ([`Rows`] at a time), which adds up what
//! the plan's [`maps`] make of it: of two classes in [`cells`], of more in [`sums`]. Tallies of parts are
//! merged, and the plan turns them into a report ([`finish`]). Rows that are [in memory](in_memory) go
//! the same way where they are too many to learn from all of them.

mod cells;
mod finish;
mod identity;
mod in_memory;
mod maps;
mod plan;
mod rows;
mod sampler;
mod saved;
mod sums;
mod tally;
#[cfg(test)]
mod tests;
mod weigh;

pub use identity::{Identities, candidates, identity, place};
pub use plan::Plan;
pub use rows::Rows;
pub use sampler::{Drawn, Sampler, usual_sample};
pub use tally::Tally;
