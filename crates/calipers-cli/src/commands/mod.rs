//! One file a sub-command.

mod estimate;
mod metrics;
mod recalibrators;
mod simulate;

pub use estimate::estimate;
pub use metrics::metrics;
pub use recalibrators::recalibrators;
pub use simulate::simulate;
