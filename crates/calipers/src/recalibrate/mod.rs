//! Recalibrators: ways to learn g, the prediction of Y from f(X).
//!
//! One file each. Every one honours weights and is *total*: one class in training, one distinct
//! prediction, three rows or a thousand classes give a point of the simplex, never a panic. Those with a
//! parameter for every two classes refuse several thousand classes.

mod affine;
mod auto;
mod bayes;
mod beta;
mod bins;
mod bins_mass;
mod bins_width;
pub(crate) mod boost;
mod boosting;
mod builtin;
mod constant;
mod cross_entropy;
mod features;
mod gaps;
mod gathered;
mod gauss;
mod hessian;
mod identity;
mod informed;
mod isotonic;
mod kernel;
mod linear;
mod logistic;
mod matrix;
mod one_vs_rest;
mod partition;
mod preserve;
mod quadratic;
mod registry;
mod saved;
mod scores;
mod shape;
mod sigmoid;
mod sms;
mod stack;
mod strength;
mod svs;
mod temperature;
mod tempered;
#[cfg(test)]
mod toy;
mod vector;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

pub use informed::informed;
pub use preserve::{KeptOrder, Preserve, preserving};
pub(crate) use registry::is_default;
pub use registry::{RecalibratorInfo, default_recalibrator, recalibrator, recalibrators};
pub use saved::{LabelKind, ModelNotes, ModelState, SavedModel, load_model, save_model};

pub(crate) use isotonic::isotonic_levels;
pub(crate) use logistic::LogisticMap;

use crate::data::{FeatureRows, Sample};
use crate::error::Result;
use crate::loss::Purpose;
use crate::numeric::simd::widely;
use crate::run::{room, stop};

/// The penalty on the squared distance from the identity map of those of the logistic family that
/// have none of their own. It moves no estimate by more than rounding where the labels determine
/// the map, and makes the map unique and finite where they do not: separable labels, a class that
/// never occurs, a direction that no row has.
const NO_PENALTY: f64 = 1e-6;

/// A way to learn g.
///
/// ```
/// use std::sync::Arc;
/// use calipers::{Estimator, Fitted, Purpose, Recalibrator, Result, Sample, simulate};
/// use ndarray::{ArrayView2, ArrayViewMut2};
///
/// /// Halves the distance to the uniform distribution, whatever the labels say.
/// struct Timid;
///
/// impl Recalibrator for Timid {
///     fn name(&self) -> String {
///         "timid".to_owned()
///     }
///     fn fit(&self, _: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
///         Ok(Box::new(Timid))
///     }
/// }
///
/// impl Fitted for Timid {
///     fn predict_into(
///         &self, f: ArrayView2<f64>, _: Purpose, mut g: ArrayViewMut2<f64>,
///     ) -> Result<()> {
///         let uniform = 1.0 / f.ncols() as f64;
///         g.zip_mut_with(&f, |g, f| *g = (f + uniform) / 2.0);
///         Ok(())
///     }
/// }
///
/// let overconfident = simulate("binary-overconfident", 1000, 0)?;
/// let report = Estimator::new().recalibrator(Arc::new(Timid)).estimate(&overconfident)?;
/// assert!(report.get("l1").unwrap().value > 0.1);
/// # Ok::<(), calipers::Error>(())
/// ```
pub trait Recalibrator: Send + Sync {
    /// The name it goes by, with parameters that differ from their defaults.
    fn name(&self) -> String;

    /// Learns g from training rows. The seed is for those that draw at random.
    ///
    /// # Errors
    /// The recalibrators of this crate fail when they are stopped; one from outside may.
    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>>;

    /// How the trees grow that see features beside its g.
    fn grows(&self) -> Trees {
        Trees::default()
    }
}

/// How trees grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Trees {
    /// Level by level, with the same question everywhere on a level: CatBoost's.
    #[default]
    Symmetric,
    /// Where it helps most: LightGBM's.
    Leafwise,
}

/// A learnt g.
pub trait Fitted: Send + Sync {
    /// Writes g(f) for each row of f.
    ///
    /// # Errors
    /// Shapes that do not fit together. Else the recalibrators of this crate fail only when they
    /// are stopped, and then leave some rows unwritten; one from outside may.
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        g: ArrayViewMut2<'_, f64>,
    ) -> Result<()>;

    /// The purpose whose predictions serve the one asked for. A g that is the same for every
    /// metric answers the same to all, and is then computed once.
    fn serves(&self, _purpose: Purpose) -> Purpose {
        Purpose::default()
    }

    /// Whether the fit met its tolerance.
    fn converged(&self) -> bool {
        true
    }

    /// What kept the cost of the fit bounded where it would have grown with the data, each in a few
    /// words; nothing if the fit is exact.
    fn approximations(&self) -> Vec<String> {
        Vec::new()
    }

    /// The order that it keeps, if it was asked to ([`preserving`]).
    fn kept_order(&self) -> Option<KeptOrder> {
        None
    }

    /// The model's parameters, if it can be saved: those of this crate can.
    fn state(&self) -> Option<ModelState> {
        None
    }

    /// g(f) for each row of f and each of several purposes: what they have in common is computed
    /// once.
    ///
    /// # Errors
    /// As [`Fitted::predict_into`].
    fn predict_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        let one = |&purpose| {
            let mut g = Array2::zeros(f.dim());
            self.predict_into(f, purpose, g.view_mut())?;
            Ok(g)
        };
        purposes.iter().map(one).collect()
    }

    /// g for each row of f and each of several purposes, given what else is known of the rows. A g that was
    /// learnt from predictions alone has no use for it.
    ///
    /// # Errors
    /// As [`Fitted::predict_into`]; features that are not those it was learnt from.
    fn predict_given(
        &self,
        f: ArrayView2<'_, f64>,
        _features: &FeatureRows,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        self.predict_each(f, purposes)
    }

    /// The names of the features that it was learnt from; without them it predicts from f alone.
    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    /// g(f) for each row of f, to be used in its place.
    ///
    /// # Errors
    /// As [`Fitted::predict_into`].
    fn predict(&self, f: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let mut g = Array2::zeros(f.dim());
        self.predict_into(f, Purpose::default(), g.view_mut())?;
        Ok(g)
    }
}

/// A fitted model of this crate: parameters that serialise, and a map from row to row.
pub(crate) trait Model:
    serde::Serialize + serde::de::DeserializeOwned + Send + Sync + 'static
{
    /// The name under which it is saved.
    const NAME: &'static str;

    /// Writes g(f) for one row.
    fn map_row(&self, f: &[f64], g: &mut [f64]);

    /// Writes g(f) for all rows; for models that gain from seeing them together.
    fn map_rows(&self, f: ArrayView2<'_, f64>, mut g: ArrayViewMut2<'_, f64>) {
        let f = f.as_standard_layout();
        for (row, (f, mut g)) in f.rows().into_iter().zip(g.rows_mut()).enumerate() {
            if stop::requested_at(row) {
                break;
            }
            if let (Some(f), Some(g)) = (f.as_slice(), g.as_slice_mut()) {
                self.map_row(f, g);
            }
        }
    }

    /// Writes g(f) for all rows and each of several purposes, one table each; for models that tell
    /// purposes apart.
    fn map_rows_each(
        &self,
        f: ArrayView2<'_, f64>,
        _purposes: &[Purpose],
        tables: &mut [ArrayViewMut2<'_, f64>],
    ) {
        tables.iter_mut().for_each(|g| self.map_rows(f, g.view_mut()));
    }

    /// The purpose whose predictions serve the one asked for.
    fn serves(&self, _purpose: Purpose) -> Purpose {
        Purpose::default()
    }

    /// How many classes it maps; `None` if any number will do.
    fn classes(&self) -> Option<usize>;

    /// Whether loaded parameters fit together, so that mapping a row cannot go out of bounds.
    fn is_sound(&self) -> bool;

    /// Whether the fit met its tolerance.
    fn converged(&self) -> bool {
        true
    }

    /// What kept the cost of the fit bounded.
    fn approximations(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Refuses predictions of another number of classes than a model's.
fn check_classes(model: &impl Model, f: ArrayView2<'_, f64>) -> Result<()> {
    match model.classes() {
        Some(classes) if classes != f.ncols() => Err(crate::Error::Length {
            what: "classes of the model",
            expected: classes,
            found: f.ncols(),
        }),
        _ => Ok(()),
    }
}

/// Gives a class that f holds possible at least the least normal number. A map that is as steep as the
/// labels of a few rows make it underflows to 0, and one row of that class would make `log` −∞ for all.
fn keep_possible(f: ArrayView2<'_, f64>, mut g: ArrayViewMut2<'_, f64>) {
    let least = |g: f64, f: f64| if g <= 0.0 && f > 0.0 { f64::MIN_POSITIVE } else { g };
    match (f.as_slice(), g.as_slice_mut()) {
        (Some(f), Some(g)) => {
            widely(
                f.len(),
                #[inline(always)]
                || {
                    g.iter_mut().zip(f).for_each(|(g, f)| *g = least(*g, *f));
                },
            );
        }
        _ => g.zip_mut_with(&f, |g, f| *g = least(*g, *f)),
    }
}

impl<M: Model> Fitted for M {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        if f.dim() != g.dim() {
            return Err(crate::Error::Length {
                what: "cells to write predictions to",
                expected: f.len(),
                found: g.len(),
            });
        }
        check_classes(self, f)?;
        if g.is_standard_layout() {
            self.map_rows_each(f, &[purpose], &mut [g.view_mut()]);
        } else {
            // Rows of another layout are not slices: they are written apart and copied.
            let mut rows = Array2::zeros(f.dim());
            self.map_rows_each(f, &[purpose], &mut [rows.view_mut()]);
            g.assign(&rows);
        }
        keep_possible(f, g);
        stop::check()
    }

    fn predict_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        check_classes(self, f)?;
        // Every row is written, unless it was stopped.
        let table = |_| Array2::from_shape_vec(f.dim(), room::stale(f.len())).unwrap_or_default();
        let mut tables: Vec<Array2<f64>> = purposes.iter().map(table).collect();
        let mut views: Vec<_> = tables.iter_mut().map(|table| table.view_mut()).collect();
        self.map_rows_each(f, purposes, &mut views);
        views.into_iter().for_each(|g| keep_possible(f, g));
        stop::check()?;
        Ok(tables)
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        Model::serves(self, purpose)
    }

    fn converged(&self) -> bool {
        Model::converged(self)
    }

    fn approximations(&self) -> Vec<String> {
        Model::approximations(self)
    }

    fn state(&self) -> Option<ModelState> {
        let parameters = serde_json::to_value(self).ok()?;
        Some(ModelState { model: M::NAME, parameters })
    }
}

#[cfg(test)]
mod tests;
