//! Class by class: each against the rest.

use rayon::prelude::*;
use serde::Serialize;

use super::reliability::diagram;
use super::{Figure, Movement, View};
use crate::data::{Folds, Predictions};
use crate::error::Result;
use crate::estimate::Estimator;
use crate::loss::Metric;
use crate::numeric::random::generator;
use crate::numeric::simplex::argmax;
use crate::recalibrate::recalibrator;
use crate::run::stop;

/// Beyond so many classes each is measured with a recalibrator that takes next to nothing.
const MOST_CLASSES: usize = 20;

/// That recalibrator.
const CHEAP: &str = "isotonic";

/// Rows × classes that are measured class by class; of more, rows are drawn. It keeps the time to a
/// few seconds.
const MOST_CELLS: usize = 20_000_000;

/// The classes with the largest errors have a diagram each.
const DIAGRAMS: usize = 6;

/// What can be said class by class.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClassTable {
    /// One row a class, in the order of the columns.
    pub rows: Vec<ClassRow>,
    /// What the classes' errors were measured with.
    pub recalibrator: String,
    /// How many rows they were measured on.
    pub measured_rows: usize,
    /// The confidence of each lower bound, with which all hold together.
    pub confidence: f64,
    /// Reliability diagrams of the classes with the largest errors, the largest first.
    pub worst: Vec<(usize, Figure)>,
    /// What recalibration moves, if the whole vector was measured.
    pub movement: Option<Movement>,
}

/// One class against the rest.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ClassRow {
    /// Its name.
    pub name: String,
    /// How many rows it was observed in.
    pub rows: usize,
    /// How many rows it is the most probable in.
    pub predicted: usize,
    /// The mean of f.
    pub mean_f: f64,
    /// How often it was observed.
    pub frequency: f64,
    /// The mean of the held-out g, if the whole vector was measured.
    pub mean_g: Option<f64>,
    /// The estimate of its one-versus-rest l1 error.
    pub value: f64,
    /// The lower bound of that; those of all classes hold together.
    pub lower: f64,
}

impl ClassTable {
    /// Measures every class on its own.
    pub(crate) fn new(
        estimator: &Estimator,
        predictions: &Predictions<'_>,
        movement: Option<Movement>,
    ) -> Result<Self> {
        let classes = predictions.classes();
        let mut rows = counted(predictions, movement.as_ref());
        let drawn = drawn(predictions.rows(), classes, estimator.own_seed());
        let confidence = 1.0 - (1.0 - estimator.confidence) / classes as f64;
        let count = drawn.as_ref().map_or(predictions.rows(), Vec::len);
        let folds = match (&estimator.folds, &drawn) {
            (Folds::Given { .. }, Some(_)) => Folds::Shuffled(5),
            (folds, _) => folds.clone(),
        };
        let mut one =
            estimator.within(folds, confidence, 0).only(vec!["l1".parse::<Metric>()?]).draws(0);
        one = one.bracket(false);
        if classes > MOST_CLASSES {
            one = one.recalibrator(recalibrator(CHEAP)?);
        }
        let measured = (0..classes)
            .into_par_iter()
            .map(|class| {
                stop::check()?;
                let estimate = one.estimate_all(&against_rest(predictions, class, &drawn)?)?;
                Ok(estimate.estimates.first().map_or((0.0, 0.0), |l1| (l1.value, l1.lower)))
            })
            .collect::<Result<Vec<_>>>()?;
        for (row, (value, lower)) in rows.iter_mut().zip(measured) {
            (row.value, row.lower) = (value, lower);
        }
        let mut order: Vec<usize> = (0..classes).collect();
        let key = |class: usize| (rows[class].lower, rows[class].value);
        order.sort_by(|&a, &b| {
            let ((low_a, a), (low_b, b)) = (key(a), key(b));
            low_b.total_cmp(&low_a).then(b.total_cmp(&a))
        });
        order.truncate(DIAGRAMS);
        let worst = order
            .into_iter()
            .map(|class| {
                let view = View::Class(class);
                let figure = diagram(one.learner(), one.own_seed(), predictions, view)?;
                Ok((class, figure))
            })
            .collect::<Result<Vec<_>>>()?;
        let recalibrator = one.learner().name();
        Ok(Self { rows, recalibrator, measured_rows: count, confidence, worst, movement })
    }
}

/// What can be counted in one pass.
fn counted(predictions: &Predictions<'_>, movement: Option<&Movement>) -> Vec<ClassRow> {
    let names = predictions.class_names().iter().enumerate();
    let mut rows: Vec<ClassRow> = names
        .map(|(class, name)| ClassRow {
            name: name.clone(),
            rows: 0,
            predicted: 0,
            mean_f: 0.0,
            frequency: 0.0,
            mean_g: movement.map(|moved| moved.mean_g[class]),
            value: 0.0,
            lower: 0.0,
        })
        .collect();
    let mut buffer = vec![0.0; predictions.classes()];
    let mut total = 0.0;
    for (row, &label) in predictions.labels().iter().enumerate() {
        let weight = predictions.weights().map_or(1.0, |weights| weights[row]);
        let f = predictions.held().row(row, &mut buffer);
        total += weight;
        rows.iter_mut().zip(f).for_each(|(class, f)| class.mean_f += weight * f);
        rows[argmax(f)].predicted += 1;
        rows[label as usize].rows += 1;
        rows[label as usize].frequency += weight;
    }
    for row in &mut rows {
        row.mean_f /= total;
        row.frequency /= total;
    }
    rows
}

/// A fixed draw of rows where there are too many; none for all of them.
fn drawn(rows: usize, classes: usize, seed: u64) -> Option<Vec<usize>> {
    let most = (MOST_CELLS / classes).max(1_000);
    (rows > most).then(|| {
        let mut drawn = rand::seq::index::sample(&mut generator(seed, 2), rows, most).into_vec();
        drawn.sort_unstable();
        drawn
    })
}

/// The problem "this class or not".
fn against_rest(
    predictions: &Predictions<'_>,
    class: usize,
    drawn: &Option<Vec<usize>>,
) -> Result<Predictions<'static>> {
    let count = drawn.as_ref().map_or(predictions.rows(), Vec::len);
    let row_at = |place: usize| drawn.as_ref().map_or(place, |drawn| drawn[place]);
    let each = || (0..count).map(row_at);
    let f: Vec<f64> = each().map(|row| predictions.held().at(row, class).min(1.0)).collect();
    let labels: Vec<u32> =
        each().map(|row| u32::from(predictions.labels()[row] as usize == class)).collect();
    let two = Predictions::binary(f, &labels)?;
    match predictions.weights() {
        // A draw of rows that all have weight 0 counts them alike.
        Some(weights) if each().any(|row| weights[row] > 0.0) => {
            two.with_weights(each().map(|row| weights[row]).collect())
        }
        _ => Ok(two),
    }
}
