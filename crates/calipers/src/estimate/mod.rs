//! Estimates: from held-out scores to an error, and how sure it is.

pub(crate) mod bound;
mod compare;
mod cross_fit;
mod decompose;
mod driver;
mod estimator;
mod groups;
mod holm;
mod observer;
mod problem;
mod report;
mod run;
pub(crate) mod score_test;
mod track;

pub use compare::{Comparison, Difference};
pub use decompose::Decomposition;
pub use estimator::Estimator;
pub(crate) use observer::Observer;
pub(crate) use problem::Problem;
pub(crate) use report::number;
pub use report::{Estimate, Group, GroupAware, GroupErrors, Report};
pub use score_test::Test;
pub(crate) use track::Findings;
