//! A g that leaves an order as it was.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::isotonic::{Steps, isotonic_levels};
use super::one_vs_rest::Curve;
use super::{Fitted, ModelState, Recalibrator};
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::numeric::simplex::argmax;

/// The name under which such a model is saved.
pub(super) const NAME: &str = "preserving";

/// This much of f is mixed in, so that what f tells apart is not tied in g.
const OF_F: f64 = 1e-6;

/// The most predictions that a curve of two classes passes through.
const MOST_KNOTS: usize = 4_096;

/// What is counted as the least probability where the logarithm is taken.
const FLOOR: f64 = 1e-12;

/// What recalibration must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Preserve {
    /// Two classes: which of two rows has the larger probability. More: which of two classes has the
    /// larger probability in a row.
    Ranking,
    /// Which class has the largest probability in a row.
    Accuracy,
}

/// An order that a model keeps, and what that costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeptOrder {
    /// What is kept.
    pub preserve: Preserve,
    /// By how much the mean log loss on the rows that the model was fitted to is larger than it would be
    /// without.
    pub log: f64,
    /// The same of the Brier score.
    pub brier: f64,
}

/// A recalibrator whose g keeps an order: that of another one, moved no further than it has to be.
///
/// With more than two classes, each row of g is replaced by the nearest one (in squared error) whose
/// order is that of f, or whose largest class is f's. Two classes and [`Preserve::Ranking`]: g is made
/// an increasing function of f, the nearest one at the rows that it is fitted to. A millionth of f is
/// mixed in, so that classes or rows that f tells apart are not tied. Cost beyond that of the other: n
/// log n, and k log k for each row that is predicted.
///
/// ```
/// use calipers::{Preserve, Sample, preserving, recalibrator, simulate};
///
/// let predictions = simulate("multiclass-overconfident-3", 1_000, 0)?;
/// let keeping = preserving(recalibrator("auto")?, Preserve::Ranking);
/// let fitted = keeping.fit(&Sample::from(&predictions), 0)?;
/// let g = fitted.predict(predictions.probs().view())?;
/// for (f, g) in predictions.probs().rows().into_iter().zip(g.rows()) {
///     assert_eq!(f[0] < f[1], g[0] < g[1]);
/// }
/// assert!(fitted.kept_order().is_some_and(|kept| kept.brier < 0.01));
/// # Ok::<(), calipers::Error>(())
/// ```
///
/// ## Reference
/// Rahimi et al., *Intra order-preserving functions for calibration of multi-class neural networks*,
/// 2020, for the requirement.
pub fn preserving(
    recalibrator: Arc<dyn Recalibrator>,
    preserve: Preserve,
) -> Arc<dyn Recalibrator> {
    Arc::new(Preserving { recalibrator, preserve })
}

struct Preserving {
    recalibrator: Arc<dyn Recalibrator>,
    preserve: Preserve,
}

impl Recalibrator for Preserving {
    fn name(&self) -> String {
        self.recalibrator.name()
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        let inner = self.recalibrator.fit(sample, seed)?;
        let mut g = inner.predict(sample.probs())?;
        let before = losses(sample, &g);
        let is_curve = self.preserve == Preserve::Ranking && sample.classes() == 2;
        let curve = is_curve.then(|| increasing(sample, &g));
        let kept = KeptOrder { preserve: self.preserve, log: 0.0, brier: 0.0 };
        let mut ordered = Ordered { inner, curve, kept };
        ordered.put_in_order(sample.probs(), g.view_mut());
        let after = losses(sample, &g);
        ordered.kept.log = after[0] - before[0];
        ordered.kept.brier = after[1] - before[1];
        Ok(Box::new(ordered))
    }
}

/// The mean log loss and Brier score.
fn losses(sample: &Sample, g: &Array2<f64>) -> [f64; 2] {
    let (mut sums, mut total) = ([0.0; 2], 0.0);
    for (row, g) in g.rows().into_iter().enumerate() {
        let (observed, weight) = (g[sample.labels()[row] as usize], sample.weight(row));
        sums[0] -= weight * observed.max(FLOOR).ln();
        sums[1] += weight * (1.0 - 2.0 * observed + g.dot(&g));
        total += weight;
    }
    sums.map(|sum| sum / total)
}

/// The nearest increasing function to g of class 1, of two.
fn increasing(sample: &Sample, g: &Array2<f64>) -> Steps {
    let f = sample.probs();
    let mut order: Vec<usize> = (0..sample.rows()).collect();
    order.sort_by(|&a, &b| f[[a, 1]].total_cmp(&f[[b, 1]]));
    let step = order.len().div_ceil(MOST_KNOTS).max(1);
    let rows = order.into_iter().step_by(step);
    Steps::pool(rows.map(|row| (f[[row, 1]], g[[row, 1]], sample.weight(row))), 0.0)
}

/// A model whose predictions are put into f's order.
struct Ordered {
    inner: Box<dyn Fitted>,
    /// For the ranking of two classes: what takes the place of the model.
    curve: Option<Steps>,
    kept: KeptOrder,
}

impl Ordered {
    fn put_in_order(&self, f: ArrayView2<'_, f64>, mut g: ArrayViewMut2<'_, f64>) {
        for (f, mut g) in f.rows().into_iter().zip(g.rows_mut()) {
            let (f, before) = (f.to_vec(), g.to_vec());
            let ordered = match (&self.curve, self.kept.preserve) {
                (Some(curve), _) => curve.at(f[1]).to_vec(),
                (None, Preserve::Ranking) => in_order_of(&f, &before),
                (None, Preserve::Accuracy) => led_by(argmax(&f), before),
            };
            for ((g, ordered), f) in g.iter_mut().zip(ordered).zip(f) {
                *g = ordered + OF_F * (f - ordered);
            }
        }
    }
}

/// The nearest row to g whose classes are in the order of f.
fn in_order_of(f: &[f64], g: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..f.len()).collect();
    order.sort_by(|&a, &b| f[a].total_cmp(&f[b]));
    let levels = isotonic_levels(order.iter().map(|&class| (f[class], g[class])));
    let mut ordered = vec![0.0; g.len()];
    order.into_iter().zip(levels).for_each(|(class, level)| ordered[class] = level);
    ordered
}

/// The nearest row to g in which no class is above this one: those that are share their mean with it.
fn led_by(leader: usize, mut g: Vec<f64>) -> Vec<f64> {
    let mut others: Vec<usize> = (0..g.len()).filter(|&class| class != leader).collect();
    others.sort_by(|&a, &b| g[b].total_cmp(&g[a]));
    let (mut sum, mut count) = (g[leader], 1.0);
    let above = others.into_iter().take_while(|&class| {
        let is_above = g[class] > sum / count;
        if is_above {
            sum += g[class];
            count += 1.0;
        }
        is_above
    });
    let above: Vec<usize> = above.collect();
    above.into_iter().chain([leader]).for_each(|class| g[class] = sum / count);
    g
}

impl Fitted for Ordered {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        self.inner.predict_into(f, purpose, g.view_mut())?;
        self.put_in_order(f, g);
        Ok(())
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        self.inner.serves(purpose)
    }

    fn converged(&self) -> bool {
        self.inner.converged()
    }

    fn approximations(&self) -> Vec<String> {
        self.inner.approximations()
    }

    fn kept_order(&self) -> Option<KeptOrder> {
        Some(self.kept)
    }

    fn state(&self) -> Option<ModelState> {
        let ModelState { model, parameters } = self.inner.state()?;
        let (curve, kept) = (&self.curve, &self.kept);
        let parameters =
            json!({ "model": model, "parameters": parameters, "curve": curve, "kept": kept });
        Some(ModelState { model: NAME, parameters })
    }
}

/// What [`Ordered::state`] holds.
#[derive(Deserialize)]
struct Saved {
    model: String,
    parameters: Value,
    curve: Option<Steps>,
    kept: KeptOrder,
}

/// The model of saved parameters, given how the one inside is loaded.
///
/// # Errors
/// Parameters that do not fit together.
pub(super) fn load(
    parameters: Value,
    load_inner: impl FnOnce(&str, Value) -> Result<Box<dyn Fitted>>,
) -> Result<Box<dyn Fitted>> {
    let unusable = |reason: String| Error::Model { reason };
    let Saved { model, parameters, curve, kept } =
        serde_json::from_value(parameters).map_err(|error| unusable(error.to_string()))?;
    // A text could nest models deeper than calls can be.
    if model == NAME || curve.as_ref().is_some_and(|curve| !curve.is_sound()) {
        return Err(unusable("its parameters do not fit together".to_owned()));
    }
    Ok(Box::new(Ordered { inner: load_inner(&model, parameters)?, curve, kept }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;
    use crate::recalibrate::{ModelNotes, load_model, recalibrator, recalibrators, save_model};

    /// Every order of f is kept by every recalibrator, strictly, on rows that none has seen.
    #[test]
    fn no_pair_changes_places() {
        for (name, classes) in [("binary-overconfident", 2), ("multiclass-overconfident-3", 3)] {
            let predictions = simulate(name, 400, 1).unwrap();
            let (sample, new) = (Sample::from(&predictions), simulate(name, 300, 2).unwrap());
            let f = new.probs();
            for info in recalibrators() {
                for preserve in [Preserve::Ranking, Preserve::Accuracy] {
                    let keeping = preserving(recalibrator(info.name).unwrap(), preserve);
                    let fitted = keeping.fit(&sample, 0).unwrap();
                    let g = fitted.predict(f.view()).unwrap();
                    let of = |row: usize| (f.row(row).to_vec(), g.row(row).to_vec());
                    let of_rows = classes == 2 && preserve == Preserve::Ranking;
                    for (f, g) in (0..f.nrows()).filter(|_| !of_rows).map(of) {
                        assert!((g.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", info.name);
                        assert_eq!(argmax(&f), argmax(&g), "{}", info.name);
                        let pairs = (0..classes).flat_map(|a| (0..a).map(move |b| (a, b)));
                        for (a, b) in pairs.filter(|_| preserve == Preserve::Ranking) {
                            assert_eq!(f[a] < f[b], g[a] < g[b], "{}: {f:?} {g:?}", info.name);
                        }
                    }
                    if of_rows {
                        let mut rows: Vec<_> = (0..f.nrows()).map(of).collect();
                        rows.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
                        let rises = |pair: &[(Vec<f64>, Vec<f64>)]| {
                            // Predictions that differ in their last bits alone may be tied.
                            pair[0].1[1] < pair[1].1[1] || pair[1].0[1] - pair[0].0[1] < 1e-9
                        };
                        assert!(rows.windows(2).all(rises), "{}", info.name);
                    }
                }
            }
        }
    }

    /// An order that is kept anyway costs nothing; one that is not costs what the losses say.
    #[test]
    fn it_costs_what_the_losses_say() {
        let predictions = simulate("binary-overconfident", 500, 3).unwrap();
        let sample = Sample::from(&predictions);
        let cost = |name: &str, preserve| {
            let fitted = preserving(recalibrator(name).unwrap(), preserve).fit(&sample, 0);
            fitted.unwrap().kept_order().unwrap()
        };
        let free = cost("temperature", Preserve::Ranking);
        // A millionth of f is mixed in.
        assert!(free.log.abs() < 1e-5 && free.brier.abs() < 1e-5, "{free:?}");
        // Rows whose largest class the constant does not share are left undecided.
        let paid = cost("constant", Preserve::Accuracy);
        let constant = recalibrator("constant").unwrap().fit(&sample, 0).unwrap();
        let g = constant.predict(sample.probs()).unwrap();
        let (mut log, mut brier) = (0.0, 0.0);
        for (row, f) in sample.probs().rows().into_iter().enumerate() {
            let p = g[[row, sample.labels()[row] as usize]];
            if (f[1] > f[0]) != (g[[row, 1]] > g[[row, 0]]) {
                log += p.ln() - 0.5f64.ln();
                brier += 0.5 - 2.0 * (1.0 - p).powi(2);
            }
        }
        let rows = sample.rows() as f64;
        assert!(log.abs() > 1.0 && (paid.log - log / rows).abs() < 1e-5, "{paid:?} {log}");
        assert!((paid.brier - brier / rows).abs() < 1e-5, "{paid:?} {brier}");
    }

    /// The nearest row of an order, against a search over a grid of all rows that have it.
    #[test]
    fn rows_are_the_nearest_ones() {
        let distance =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let (f, g) = ([0.2, 0.5, 0.3], [0.45, 0.15, 0.4]);
        let found = [in_order_of(&f, &g), led_by(1, g.to_vec())];
        let mut least = [f64::INFINITY; 2];
        for a in 0..=300 {
            for b in 0..=300 - a {
                let row =
                    [f64::from(a) / 300.0, f64::from(b) / 300.0, f64::from(300 - a - b) / 300.0];
                if row[0] <= row[2] && row[2] <= row[1] {
                    least[0] = least[0].min(distance(&row, &g));
                }
                if row[1] >= row[0].max(row[2]) {
                    least[1] = least[1].min(distance(&row, &g));
                }
            }
        }
        for (found, least) in found.iter().zip(least) {
            // The grid is 1/300 wide, and no row of it is nearer than the nearest of all.
            let at = distance(found, &g);
            assert!(at <= least + 1e-12 && least < at + 0.01, "{found:?}: {at} {least}");
        }
    }

    #[test]
    fn it_is_saved_and_loaded() {
        for name in ["binary-overconfident", "multiclass-overconfident-3"] {
            let predictions = simulate(name, 200, 1).unwrap();
            let keeping = preserving(recalibrator("auto").unwrap(), Preserve::Ranking);
            let fitted = keeping.fit(&Sample::from(&predictions), 0).unwrap();
            let text = save_model(fitted.as_ref(), &ModelNotes::default()).unwrap();
            let again = load_model(&text).unwrap().fitted;
            assert_eq!(again.kept_order(), fitted.kept_order());
            let f = predictions.probs();
            assert_eq!(again.predict(f.view()).unwrap(), fitted.predict(f.view()).unwrap());
            let inner = if name.starts_with("binary") { "bayes" } else { "stack" };
            let nested =
                text.replacen(&format!("\"model\":\"{inner}\""), "\"model\":\"preserving\"", 1);
            assert_ne!(nested, text);
            assert!(load_model(&nested).is_err());
        }
    }
}
