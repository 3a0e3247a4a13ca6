//! What the `calipers` crate found, for people: figures as SVG, PNG and letters, a page of HTML, and
//! tables, sentences and notes as [`text`].
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

mod escape;
mod number;
mod page;
#[cfg(feature = "png")]
mod png;
mod strip;
mod svg;
pub mod text;

pub use page::{Listed, Page, Run, index_page, leaderboard_page};
#[cfg(feature = "png")]
pub use png::png;
pub use strip::strip;
pub use svg::{Size, svg};

/// Runs the example of the README with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
