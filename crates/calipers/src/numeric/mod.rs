//! Numbers: what every room above counts with, and what knows nothing of predictions.

pub(crate) mod borders;
pub(crate) mod exact;
pub(crate) mod mean;
pub(crate) mod order;
pub(crate) mod random;
pub(crate) mod simd;
pub(crate) mod simplex;
pub(crate) mod solve;
