//! Running: threads, how to stop them, how far they are, and the memory that they use again.

mod clock;
mod handle;
mod pool;
pub(crate) mod room;
pub(crate) mod stop;

pub(crate) use clock::Clock;
pub use clock::Watcher;
pub use handle::Stop;
pub(crate) use stop::pooled;
pub use stop::{with_pool, with_pool_while};
