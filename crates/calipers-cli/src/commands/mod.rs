//! One file a sub-command.

mod check;
mod compare;
mod estimate;
mod measure;
mod metrics;
mod neighbours;
mod recalibrators;
mod simulate;

pub use check::check;
pub use compare::compare;
pub use estimate::estimate;
pub use metrics::metrics;
pub use neighbours::neighbours;
pub use recalibrators::recalibrators;
pub use simulate::simulate;
