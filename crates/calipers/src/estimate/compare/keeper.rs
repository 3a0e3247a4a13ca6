//! What the scores of a model could have been, kept for the comparison with another's.

use ndarray::Array2;

use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::estimator::Estimator;
use crate::estimate::observer::Observer;
use crate::estimate::scorer::Scorer;
use crate::estimate::track::Findings;
use crate::loss::{Purpose, Scope};
use crate::numeric::simplex::argmax;

/// Cells that are kept of a metric at most: of longer data every second row, every third, ….
/// They serve a mean over rows that labels have no part in, which so many rows give to three digits.
const MOST_CELLS: usize = 4_000_000;
/// Rows that are scored in one call where the loss does not want more.
const BLOCK: usize = 256;

/// For each metric, what every class would add to the score of a row, were it the observed one.
///
/// They are known up to a number that all classes of a row share: it does not matter to a variance.
#[derive(Debug)]
pub(crate) struct Kept {
    classes: usize,
    /// Every how many rows one is kept.
    step: usize,
    /// One table a metric, a row after the other.
    tables: Vec<Vec<f64>>,
}

impl Kept {
    /// The rows that are kept, and what their classes add to a metric's score.
    pub fn rows(&self, metric: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let table = self.tables.get(metric).map_or(&[][..], Vec::as_slice);
        (0..).step_by(self.step).zip(table.chunks_exact(self.classes))
    }
}

/// Keeps them while a model is estimated, and lets another observer look on.
pub(crate) struct Keeper<'a, 'd> {
    predictions: &'a Predictions<'d>,
    metrics: Vec<Scorer>,
    /// The problems of a repeat in their order: the scope, and the class of "this class or not".
    problems: Vec<(Scope, usize)>,
    seen: usize,
    kept: Kept,
    beside: &'a mut (dyn Observer + Send),
}

impl<'a, 'd> Keeper<'a, 'd> {
    /// One for the metrics that are asked for.
    pub fn new(
        asked: &Estimator,
        predictions: &'a Predictions<'d>,
        beside: &'a mut (dyn Observer + Send),
    ) -> Result<Self> {
        let classes = predictions.classes();
        let mut metrics: Vec<Scorer> = Vec::new();
        let mut problems: Vec<(Scope, usize)> = Vec::new();
        for metric in asked.metrics_or_default(classes)? {
            let scope = metric.scope();
            if problems.iter().all(|(known, _)| *known != scope) {
                let count = if scope == Scope::Classwise { classes } else { 1 };
                problems.extend((0..count).map(|number| (scope, number)));
            }
            metrics.push(Scorer::new(&metric, classes, asked.binary, asked.floor())?);
        }
        let step = (predictions.rows() * classes).div_ceil(MOST_CELLS).max(1);
        let cells = predictions.rows().div_ceil(step) * classes;
        let tables = vec![vec![0.0; cells]; metrics.len()];
        let kept = Kept { classes, step, tables };
        Ok(Self { predictions, metrics, problems, seen: 0, kept, beside })
    }

    /// What was kept.
    pub fn finish(self) -> Kept {
        self.kept
    }

    /// Adds what the g of one metric, the n-th of its scope, makes of the scores.
    fn add(&mut self, found: &Findings<'_, '_>, metric: usize, number: usize, class: usize) {
        let scorer = &self.metrics[metric];
        let loss = scorer.loss();
        let (classes, share) =
            (found.problem.classes(), found.share * found.repeat * scorer.factor);
        let table = &mut self.kept.tables[metric];
        let (all, step) = (self.kept.classes, self.kept.step);
        let mut buffer = vec![0.0; classes.max(all)];
        for (fold, held_out) in found.held_out.iter().enumerate() {
            let own = (0..found.folds.len()).filter(|&row| found.folds[row] as usize == fold);
            // Where g = f every score is 0.
            let Some(g) = held_out.predictions(number) else { continue };
            let rows: Vec<(usize, &[f64])> =
                own.zip(g.chunks_exact(classes)).filter(|(row, _)| row % step == 0).collect();
            for rows in rows.chunks(loss.block().max(BLOCK)) {
                let shape = (rows.len(), classes);
                let (mut f, mut g) = (Array2::zeros(shape), Array2::zeros(shape));
                let mut scores = Array2::zeros(shape);
                for (place, (row, own)) in rows.iter().enumerate() {
                    let predicted = found.problem.prediction(*row, &mut buffer[..classes]);
                    f.row_mut(place).iter_mut().zip(predicted).for_each(|(to, from)| *to = *from);
                    g.row_mut(place).iter_mut().zip(*own).for_each(|(to, from)| *to = *from);
                }
                loss.block_scores(f.view(), g.view(), scores.view_mut());
                for ((row, _), scores) in rows.iter().zip(scores.rows()) {
                    let kept = &mut table[row / step * all..][..all];
                    let class = match scorer.scope {
                        Scope::Canonical => {
                            kept.iter_mut().zip(scores).for_each(|(sum, s)| *sum += share * s);
                            continue;
                        }
                        Scope::Classwise => class,
                        Scope::Top => argmax(self.predictions.held().row(*row, &mut buffer[..all])),
                    };
                    // All other classes share the score of "not this one".
                    kept[class] += share * (scores[1] - scores[0]);
                }
            }
        }
    }
}

impl Observer for Keeper<'_, '_> {
    /// What the first metric of the scope is given, so that nothing more is computed.
    fn wants(&self, scope: Scope) -> Option<Purpose> {
        let first = self.metrics.iter().find(|metric| metric.scope == scope);
        self.beside.wants(scope).or(first.map(Scorer::purpose))
    }

    fn observe(&mut self, found: &Findings<'_, '_>, number: usize) {
        let Some(&(scope, class)) = self.problems.get(self.seen % self.problems.len().max(1))
        else {
            return;
        };
        self.seen += 1;
        let own: Vec<usize> =
            (0..self.metrics.len()).filter(|&at| self.metrics[at].scope == scope).collect();
        for (number, metric) in own.into_iter().enumerate() {
            self.add(found, metric, number, class);
        }
        if self.beside.wants(scope).is_some() {
            self.beside.observe(found, number);
        }
    }
}
