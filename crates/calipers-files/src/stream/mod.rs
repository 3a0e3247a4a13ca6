//! From many files to a plan, a tally and a report.
//!
//! The steps: [`draw`] reads every row and keeps a sample, of which a [`Plan`](calipers::Plan) is made
//! ([`planned`]); [`count`] reads every row again and adds up what the plan makes of it, and [`add_up`] what
//! other measures of calibration do. What the files of a
//! plan are, and which label is which class, is written down with it ([`about`]).

mod about;
mod add_up;
mod count;
mod draw;
mod identified;
mod planned;

pub use about::About;
pub use draw::{Pass, Pick};
pub use planned::{Room, fits, planned};
