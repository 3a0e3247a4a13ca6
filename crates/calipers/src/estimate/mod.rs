//! Estimates: from held-out scores to an error, and how sure it is.

mod best;
pub(crate) mod bound;
mod compare;
mod cross_fit;
mod decompose;
mod driver;
mod estimator;
mod given;
mod groups;
mod holm;
mod observer;
mod problem;
mod report;
mod run;
pub(crate) mod score_test;
pub(crate) mod scorer;
mod track;
mod upper;

pub use compare::{Comparison, Difference, Leaderboard, Place};
pub(crate) use cross_fit::predicted;
pub use decompose::Decomposition;
pub(crate) use decompose::parts_of;
pub use estimator::Estimator;
pub(crate) use groups::{FEWEST_ROWS, adjust, aware};
pub(crate) use observer::{Nobody, Observer};
pub(crate) use problem::{Ascending, Problem, Problems};
pub(crate) use report::number;
pub use report::{
    Condition, Estimate, FeatureGain, FeatureShare, GivenFeatures, Group, GroupAware, GroupErrors,
    Report, Segment, Segments, Wanted,
};
pub use score_test::Test;
pub(crate) use track::Findings;
pub use upper::Assumption;
