//! How far a classifier's probabilities are from the truth.
//!
//! A classifier is *calibrated* if, among the samples to which it gives a probability of 70 %,
//! 70 % turn out so. This crate estimates how far it is from that, for any Lp norm, the Brier
//! score or the log loss, for two classes or many, without bins: it learns, by cross-validation, a
//! *recalibrator* g that predicts the label from the prediction, and measures how much a proper
//! loss improves on held-out samples when f is replaced by g(f). In expectation the estimate never
//! exceeds the true calibration error.
//!
//! ```
//! use calipers::{Estimator, simulate};
//!
//! // Predictions of an over-confident model, whose true L1 error is 0.137.
//! let predictions = simulate("binary-overconfident", 2_000, 0)?;
//! let report = Estimator::new().estimate(&predictions)?;
//! let l1 = report.get("l1").unwrap();
//! assert!((0.10..0.17).contains(&l1.value));
//! # Ok::<(), calipers::Error>(())
//! ```
//!
//! # A row's way through the crate
//!
//! A row enters at [`Predictions`], where it is validated, once. It is given a fold ([`Folds`]),
//! becomes part of training [`Sample`]s, from which a [`Recalibrator`] learns a [`Fitted`] map, and
//! is held out once, when the map's prediction is turned into a score by a [`ProperLoss`]. The
//! scores' mean is an [`Estimate`], and estimates make a [`Report`].
//!
//! Where rows keep arriving, [`Monitor`] takes them in turn and holds the evidence against
//! calibration so far, which may be looked at at any time.
//!
//! Everything random takes a seed, and results are equal to the last bit for any number of
//! threads. The mathematics is in the project's `docs/method.md`.

mod data;
mod error;
mod estimate;
mod figure;
mod loss;
mod monitor;
mod neighbours;
mod numeric;
mod params;
mod recalibrate;
mod run;
mod stream;
pub mod words;

pub use data::labels;
pub use data::{
    Clusters, FeatureRows, Features, Folds, Origin, Predictions, Probabilities, Real, RowGroups,
    SUM_TOLERANCE, Sample, Simulation, check_weights, simulate,
};
pub use error::{Error, Result};
pub use estimate::{
    Assumption, Comparison, Condition, Decomposition, Difference, Estimate, Estimator, FeatureGain,
    FeatureShare, GivenFeatures, Group, GroupAware, GroupErrors, Leaderboard, Place, Report,
    Segment, Segments, Test, Wanted,
};
pub use figure::{
    Axis, ClassRow, ClassTable, Examination, Figure, Figures, Layer, Mark, Moved, Movement, Panel,
    Role, View,
};
pub use loss::{
    BinaryNorm, Brier, Distance, DistanceLoss, Linf, Log, Lp, Metric, MetricPart, ProperLoss,
    Purpose, Scope, Side,
};
pub use monitor::Monitor;
pub use neighbours::{
    Measurement, Measurements, Neighbour, NeighbourInfo, NeighbourSums, Neighbours, Quadratic,
    neighbours,
};
pub use params::Parameter;
pub use recalibrate::{
    Fitted, KeptOrder, LabelKind, ModelNotes, ModelState, Preserve, Recalibrator, RecalibratorInfo,
    SavedModel, Trees, informed, load_model, preserving, recalibrator, recalibrators, save_model,
};
pub use run::{Stop, Watcher, with_pool, with_pool_while};
pub use stream::{
    Drawn, Identities, Plan, Rows, Sampler, Tally, candidates, identity, place, usual_sample,
};

/// Runs the examples of the guide with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct Guide;

/// And that of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
