//! Where the error comes from: held-out scores, added up along f.

use super::histogram::{bin_of, edges};
use super::{Axis, Figure, Layer, Mark, Panel, Role, View};
use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::{Estimate, Estimator, Report};
use crate::loss::Metric;

/// How finely the error is told apart along f.
const BINS: usize = 40;

impl View {
    /// The metrics whose scores the figures of a view are made of: l1, and its shares.
    pub(crate) fn metrics(self) -> Result<[Metric; 3]> {
        let l1 = "l1".parse::<Metric>()?;
        let l1 = if self == Self::Top { l1.top() } else { l1 };
        Ok([l1.clone(), l1.clone().over(), l1.under()])
    }
}

impl Estimator {
    /// Where the l1 error of class 1 of two, or of the most probable class of many, comes from: the
    /// held-out scores of rows with like predictions, divided by the number of all rows. The bars of
    /// both shares add up to the estimate.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    ///
    /// ```
    /// use calipers::{Estimator, Mark, Role, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 500, 0)?;
    /// let figure = Estimator::new().contribution(&predictions)?;
    /// let Mark::Bars { top, .. } = &figure.layer(Role::Over).unwrap().mark else { panic!() };
    /// assert!(top.iter().sum::<f64>() > 0.0);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn contribution(&self, predictions: &Predictions<'_>) -> Result<Figure> {
        let view = View::of(predictions);
        let only = self.clone().only(view.metrics()?.into()).draws(0);
        // Its bars are sums over every row's scores.
        let report = only.estimate_all(predictions)?;
        Ok(contribution(predictions, view, &report).unwrap_or_else(|| empty(predictions, view)))
    }
}

/// The figure, from the scores of a report; none if it lacks one of the metrics.
pub(crate) fn contribution(
    predictions: &Predictions<'_>,
    view: View,
    report: &Report,
) -> Option<Figure> {
    let [whole, over, under] = view.metrics().ok()?.map(|metric| report.get(&metric.to_string()));
    let problem = view.problem(predictions);
    let mut buffer = [0.0; 2];
    let bins: Vec<u8> = (0..predictions.rows())
        .map(|row| bin_of(problem.prediction(row, &mut buffer)[1], BINS) as u8)
        .collect();
    drop(problem);
    let sums = |estimate: &Estimate| sums(&bins, estimate, predictions.weights());
    let (over, under) = (sums(over?), sums(under?));
    let mut figure = empty(predictions, view);
    figure.caption = format!(
        "Each bar is the part of {} that rows with such predictions contribute; they add up to {:.4}. \
         Bars below 0 are noise: there the held-out rows were no better for being recalibrated.",
        whole?.metric, whole?.value,
    );
    // Parts of the same sign stand on each other, others on 0.
    let stacked = |below: f64, part: f64| if below * part > 0.0 { below } else { 0.0 };
    let base: Vec<f64> = over.iter().zip(&under).map(|(&o, &u)| stacked(o, u)).collect();
    let top: Vec<f64> = base.iter().zip(&under).map(|(base, part)| base + part).collect();
    let ends = over.iter().chain(&top).copied();
    figure.panels[0].y = Axis::around(format!("contribution to {}", whole?.metric), ends);
    let bars = |base: Vec<f64>, top: Vec<f64>| Mark::Bars { edges: edges(BINS), base, top };
    figure.panels[0].layers = vec![
        Layer::new("over-confident", Role::Over, bars(vec![0.0; BINS], over)),
        Layer::new("under-confident", Role::Under, bars(base, top)),
    ];
    Some(figure)
}

fn empty(predictions: &Predictions<'_>, view: View) -> Figure {
    Figure {
        title: "Where the error comes from".to_owned(),
        caption: String::new(),
        x: Axis::unit(view.of_f(predictions)),
        panels: vec![Panel::new(Axis::unit("contribution"), 1.0, Vec::new())],
    }
}

/// Σ w s / Σ w, bin by bin.
fn sums(bins: &[u8], estimate: &Estimate, weights: Option<&[f64]>) -> Vec<f64> {
    let mut sums = vec![0.0; BINS];
    let mut total = 0.0;
    for (row, (&bin, score)) in bins.iter().zip(&estimate.scores).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        total += weight;
        sums[usize::from(bin)] += weight * score;
    }
    sums.iter_mut().for_each(|sum| *sum /= total);
    sums
}
