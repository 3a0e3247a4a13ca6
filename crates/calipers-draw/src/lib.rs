//! Drawings of the figures that the `calipers` crate makes: SVG, PNG, text, and a page of HTML.
//!
//! A [`Figure`](calipers::Figure) says what is to be seen; this crate says how it looks. Marks carry
//! the figure's roles as classes, so that one style sheet makes light, dark and print of the same
//! drawing. Nothing here computes a statistic, and nothing reads or writes a file.
//!
//! ```
//! use calipers::{Estimator, View, simulate};
//! use calipers_draw::{Size, svg};
//!
//! let predictions = simulate("binary-overconfident", 500, 0)?;
//! let figure = Estimator::new().reliability(&predictions, View::of(&predictions))?;
//! assert!(svg(&figure, Size::TALL, false).starts_with("<svg"));
//! # Ok::<(), calipers::Error>(())
//! ```

mod number;
mod page;
#[cfg(feature = "png")]
mod png;
mod strip;
mod svg;
mod text;

pub use number::{decimal, thousands};
pub use page::{Page, Run};
#[cfg(feature = "png")]
pub use png::png;
pub use strip::strip;
pub use svg::{Size, svg};
