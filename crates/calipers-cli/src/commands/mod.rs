//! One file a sub-command.

mod check;
mod compare;
mod estimate;
mod measure;
mod metrics;
mod neighbours;
mod plot;
mod recalibrate;
mod recalibrators;
mod report;
mod simulate;

pub use check::check;
pub use compare::compare;
pub use estimate::estimate;
pub use metrics::metrics;
pub use neighbours::neighbours;
pub use plot::plot;
pub use recalibrate::recalibrate;
pub use recalibrators::recalibrators;
pub use report::report;
pub use simulate::simulate;
