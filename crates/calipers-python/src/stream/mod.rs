//! `calipers.Plan` and `calipers.Tally`, after the package has brought batches into shape.
//!
//! A batch of rows ([`batch`]) says who its rows are ([`keys`]). A [`Sampler`] sees all batches, or those
//! that may be in the sample; the [`Plan`] that is made of it reads labels as they were read then
//! ([`reading`]), and a [`Tally`] of each batch can be sent and added.

mod batch;
mod keys;
mod plan;
mod reading;
mod sampler;
mod tally;

pub use keys::{candidates, identities, usual_sample};
pub use plan::Plan;
pub use sampler::Sampler;
pub use tally::Tally;
