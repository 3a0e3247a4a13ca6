//! The scores of one metric as they come in.

use ndarray::ArrayView2;

use crate::cross_fit::HeldOut;
use crate::error::Result;
use crate::loss::{ProperLoss, Purpose};
use crate::mean::weighted_mean;
use crate::metric::{BinaryNorm, Metric, Scope};
use crate::predictions::Predictions;
use crate::problem::Problem;
use crate::report::Estimate;
use crate::stop;

/// A metric with the scores it has so far, one a row.
pub(crate) struct Track {
    name: String,
    scope: Scope,
    loss: Box<dyn ProperLoss>,
    factor: f64,
    scores: Vec<f64>,
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
        Ok(Self {
            name: metric.to_string(),
            scope: metric.scope(),
            loss: metric.loss(predictions.classes(), log_floor)?,
            factor,
            scores: vec![0.0; predictions.rows()],
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

    /// Adds a share of the scores of all folds, of which this metric's purpose is the n-th.
    pub fn add(
        &mut self,
        problem: &Problem<'_>,
        folds: &[u32],
        held_out: &[HeldOut],
        number: usize,
        share: f64,
    ) {
        if self.loss.block() > 1 {
            return self.add_blocks(problem, folds, held_out, number, share);
        }
        // One pass over the rows, with a finger in each fold's predictions.
        let mut fingers: Vec<_> = held_out
            .iter()
            .map(|fold| fold.predictions(number).chunks_exact(problem.classes()))
            .collect();
        let mut buffer = vec![0.0; problem.classes()];
        for (row, (total, &fold)) in self.scores.iter_mut().zip(folds).enumerate() {
            if stop::requested_at(row) {
                break;
            }
            // Where g = f every score is 0.
            if let Some(g) = fingers[fold as usize].next() {
                let score =
                    self.loss.score(problem.prediction(row, &mut buffer), g, problem.label(row));
                *total = add(*total, score * self.factor * share);
            }
        }
    }

    /// As [`add`](Self::add), for losses that want to see many rows at once.
    fn add_blocks(
        &mut self,
        problem: &Problem<'_>,
        folds: &[u32],
        held_out: &[HeldOut],
        number: usize,
        share: f64,
    ) {
        let classes = problem.classes();
        let mut buffer = vec![0.0; classes];
        for (fold, held_out) in held_out.iter().enumerate() {
            let rows: Vec<usize> =
                (0..folds.len()).filter(|&row| folds[row] as usize == fold).collect();
            let block = self.loss.block();
            let predictions = held_out.predictions(number).chunks(block * classes);
            // Where g = f there are no predictions, and every score is 0.
            for (rows, g) in rows.chunks(block).zip(predictions) {
                if stop::requested() {
                    return;
                }
                let mut f = Vec::with_capacity(rows.len() * classes);
                for &row in rows {
                    f.extend_from_slice(problem.prediction(row, &mut buffer));
                }
                let labels: Vec<u32> = rows.iter().map(|&row| problem.label(row) as u32).collect();
                let shape = (rows.len(), classes);
                let views = ArrayView2::from_shape(shape, &f).ok();
                let Some((f, g)) = views.zip(ArrayView2::from_shape(shape, g).ok()) else { return };
                let mut scores = vec![0.0; rows.len()];
                self.loss.scores(f, g, &labels, &mut scores);
                for (&row, score) in rows.iter().zip(scores) {
                    self.scores[row] = add(self.scores[row], score * self.factor * share);
                }
            }
        }
    }

    /// The mean of the scores.
    pub fn finish(self, weights: Option<&[f64]>) -> Estimate {
        let mean = weighted_mean(&self.scores, weights);
        Estimate {
            metric: self.name,
            value: mean.value,
            stderr: mean.stderr,
            lower: None,
            p_value: None,
            infinite_rows: mean.infinite,
            scores: self.scores,
        }
    }
}

/// The sum. An infinite improvement is a fact that no other class or repeat can take back, so +∞
/// wins over −∞.
fn add(total: f64, part: f64) -> f64 {
    if total >= f64::INFINITY || part >= f64::INFINITY { f64::INFINITY } else { total + part }
}
