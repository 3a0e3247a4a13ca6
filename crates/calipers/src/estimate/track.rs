//! The scores of one metric as they come in.

use ndarray::{Array2, ArrayView2};

use super::bound::{Inflation, Possible, Tally};
use super::cross_fit::HeldOut;
use super::problem::Problem;
use super::report::Estimate;
use crate::data::Predictions;
use crate::error::Result;
use crate::loss::{BinaryNorm, Metric, ProperLoss, Purpose, Scope, Side};
use crate::numeric::mean::weighted_mean;
use crate::run::stop;

/// A metric with the scores it has so far, one a row.
pub(crate) struct Track {
    name: String,
    scope: Scope,
    side: Option<Side>,
    loss: Box<dyn ProperLoss>,
    factor: f64,
    scores: Vec<f64>,
    /// What the standard error is taken from.
    tally: Tally,
    /// What the lower bound is taken from, if not from the same scores.
    hedged: Option<Tally>,
}

/// What all folds of a problem found, and how it counts.
pub(crate) struct Findings<'a, 'p> {
    pub problem: &'a Problem<'p>,
    pub folds: &'a [u32],
    pub held_out: &'a [HeldOut],
    /// The problem's share of a row's score.
    pub share: f64,
    /// The repeat's share of the scores.
    pub repeat: f64,
}

impl Track {
    /// A metric without scores.
    pub fn new(
        metric: &Metric,
        predictions: &Predictions<'_>,
        binary: BinaryNorm,
        log_floor: f64,
    ) -> Result<Self> {
        let whole_pair = metric.scope() == Scope::Canonical && predictions.classes() == 2;
        let factor = match binary {
            BinaryNorm::Vector if whole_pair => metric.vector_factor(),
            _ => 1.0,
        };
        let loss = metric.loss(predictions.classes(), log_floor)?;
        let tally = || Tally::new(predictions.rows(), metric.scope() == Scope::Classwise);
        Ok(Self {
            name: metric.to_string(),
            scope: metric.scope(),
            side: metric.side(),
            factor,
            scores: vec![0.0; predictions.rows()],
            tally: tally(),
            hedged: (loss.hedge() > 0.0).then(tally),
            loss,
        })
    }

    /// Which problem the metric is measured on.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// What its loss needs of g.
    pub fn purpose(&self) -> Purpose {
        self.loss.purpose()
    }

    /// What multiplies its scores.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Adds the scores of all folds, of which this metric's purpose is the n-th.
    pub fn add(&mut self, found: &Findings<'_, '_>, number: usize) {
        if self.loss.block() > 1 {
            return self.add_blocks(found, number);
        }
        // One pass over the rows, with a finger in each fold's predictions.
        let classes = found.problem.classes();
        let mut fingers: Vec<_> =
            found.held_out.iter().map(|fold| fold.rows(number, classes)).collect();
        let mut buffer = vec![0.0; classes];
        let mut scores = vec![0.0; classes];
        let mut mixed = vec![0.0; classes];
        for (row, &fold) in found.folds.iter().enumerate() {
            if stop::requested_at(row) {
                break;
            }
            let f = found.problem.prediction(row, &mut buffer);
            // Where g = f every score is 0.
            let g = fingers[fold as usize].next().unwrap_or(f);
            self.loss.class_scores(f, g, &mut scores);
            let label = found.problem.label(row);
            self.count(found, row, possible(self.scope, f, &scores, label));
            if let Some(hedged) = &mut self.hedged {
                let hedge = self.loss.hedge();
                for (mixed, (f, g)) in mixed.iter_mut().zip(f.iter().zip(g)) {
                    *mixed = g + hedge * (f - g);
                }
                self.loss.class_scores(f, &mixed, &mut scores);
                let possible = possible(self.scope, f, &scores, label);
                hedged.add(row, found.problem.weight(row), possible, found.share * self.factor);
            }
        }
    }

    /// As [`add`](Self::add), for losses that want to see many rows at once.
    fn add_blocks(&mut self, found: &Findings<'_, '_>, number: usize) {
        let Findings { problem, folds, held_out, .. } = found;
        let classes = problem.classes();
        let mut buffer = vec![0.0; classes];
        for (fold, held_out) in held_out.iter().enumerate() {
            let rows: Vec<usize> =
                (0..folds.len()).filter(|&row| folds[row] as usize == fold).collect();
            let block = self.loss.block();
            let Some(predictions) = held_out.predictions(number) else {
                // There g = f, and every score is 0.
                rows.iter().for_each(|&row| self.count(found, row, Possible::default()));
                continue;
            };
            for (rows, g) in rows.chunks(block).zip(predictions.chunks(block * classes)) {
                if stop::requested() {
                    return;
                }
                let mut f = Vec::with_capacity(rows.len() * classes);
                for &row in rows {
                    f.extend_from_slice(problem.prediction(row, &mut buffer));
                }
                let shape = (rows.len(), classes);
                let views = ArrayView2::from_shape(shape, &f).ok();
                let Some((f, g)) = views.zip(ArrayView2::from_shape(shape, g).ok()) else { return };
                let mut scores = Array2::zeros(shape);
                self.loss.block_scores(f, g, scores.view_mut());
                for ((&row, scores), f) in rows.iter().zip(scores.rows()).zip(f.rows()) {
                    let (f, scores) = (f.to_vec(), scores.to_vec());
                    self.count(found, row, possible(self.scope, &f, &scores, problem.label(row)));
                }
            }
        }
    }

    fn count(&mut self, found: &Findings<'_, '_>, row: usize, possible: Possible) {
        let share = found.share * self.factor;
        self.scores[row] = add(self.scores[row], possible.score * share * found.repeat);
        self.tally.add(row, found.problem.weight(row), possible, share);
    }

    /// Ends a repeat: every problem of the scope has been scored.
    pub fn end_repeat(&mut self, weights: Option<&[f64]>) {
        self.tally.end_repeat(weights);
        if let Some(hedged) = &mut self.hedged {
            hedged.end_repeat(weights);
        }
    }

    /// The mean of the scores.
    pub fn value(&self, weights: Option<&[f64]>) -> f64 {
        weighted_mean(&self.scores, weights).value
    }

    /// The mean of the scores, and how sure it is.
    pub fn finish(
        self,
        weights: Option<&[f64]>,
        inflation: &Inflation,
        confidence: f64,
    ) -> Estimate {
        let mean = weighted_mean(&self.scores, weights);
        let spread = self.tally.spread();
        let bounded = self.hedged.as_ref().map_or(spread, Tally::spread);
        Estimate {
            metric: self.name,
            scope: self.scope,
            side: self.side,
            value: mean.value,
            stderr: spread.stderr(inflation),
            lower: bounded.lower(inflation, confidence),
            p_value: None,
            draws: None,
            in_sample: None,
            decomposition: None,
            infinite_rows: mean.infinite,
            scores: self.scores,
            bounded,
        }
    }
}

/// What the score of a row is and could have been, from those of all classes.
fn possible(scope: Scope, f: &[f64], scores: &[f64], label: usize) -> Possible {
    match scope {
        Scope::Classwise => Possible::of_one_class(f, scores, label),
        Scope::Canonical | Scope::Top => Possible::of(f, scores, label),
    }
}

/// The sum. An infinite improvement is a fact that no other class or repeat can take back, so +∞
/// wins over −∞.
fn add(total: f64, part: f64) -> f64 {
    if total >= f64::INFINITY || part >= f64::INFINITY { f64::INFINITY } else { total + part }
}
