//! Running: threads, how to stop them, and how far they are.

mod clock;
pub(crate) mod stop;

pub(crate) use clock::Clock;
pub use clock::Watcher;
pub(crate) use stop::pooled;
pub use stop::{Stop, with_pool, with_pool_while};
