//! NumPy's arrays, each a header and the elements one after the other.

mod header;
mod read;
mod write;

pub use read::{Fault, read};
pub use write::write;
