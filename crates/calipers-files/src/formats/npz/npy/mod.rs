//! NumPy's arrays, each a header and the elements one after the other.

mod fault;
mod header;
mod read;
mod write;

pub use fault::Fault;
pub use read::read;
pub use write::write;
