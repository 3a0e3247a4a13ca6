//! Calibration errors in a browser: bytes of a file in, JSON and a page of HTML out.
//!
//! A thin shell. [`Session`] holds a file and says what is in it, on any machine; `door`, which is there in
//! WebAssembly alone, is what JavaScript calls. `web/` has the page around it, and `make web` puts both together.

mod answer;
#[cfg(target_arch = "wasm32")]
mod door;
mod session;

pub use answer::{Answer, Asked, ColumnInfo, Fault};
pub use session::Session;
