//! The scores of one metric as they come in.

use super::bound::{Inflation, Moments, Together};
use super::cross_fit::{HeldOut, Wanted};
use super::problem::Problem;
use super::report::Estimate;
use super::scorer::{Buffers, Scored, Scorer};
use crate::data::Predictions;
use crate::error::Result;
use crate::loss::{BinaryNorm, Metric, Scope};
use crate::numeric::mean::weighted_mean;
use crate::run::stop;

/// A metric with the scores it has so far, one a row.
pub(crate) struct Track {
    scorer: Scorer,
    scores: Vec<f64>,
    /// What the standard error is taken from.
    moments: Moments,
    /// What the lower bound is taken from, if not from the same scores.
    hedged: Option<Moments>,
}

/// What all folds of a problem found, and how it counts.
pub(crate) struct Findings<'a, 'p> {
    pub problem: &'a Problem<'p>,
    /// Which scope the problem is of.
    pub scope: Scope,
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
        let scorer = Scorer::new(metric, predictions.classes(), binary, log_floor)?;
        let kept = scorer.scope == Scope::Classwise || predictions.clusters().is_some();
        let moments = || Moments::new(predictions.rows(), kept);
        Ok(Self {
            scores: vec![0.0; predictions.rows()],
            moments: moments(),
            hedged: scorer.hedges().then(moments),
            scorer,
        })
    }

    /// Which problem the metric is measured on.
    pub fn scope(&self) -> Scope {
        self.scorer.scope
    }

    /// What it asks of g.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted { purpose: self.scorer.purpose(), scorer: Some(&self.scorer) }
    }

    /// The metric at work.
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// What multiplies its scores.
    pub fn factor(&self) -> f64 {
        self.scorer.factor
    }

    /// Adds the scores of all folds, of which this metric's are the n-th: those that are known, or those of
    /// predictions that were kept.
    pub fn add(&mut self, found: &Findings<'_, '_>, number: usize) {
        // One pass over the rows, with a finger in each fold.
        let classes = found.problem.classes();
        let mut fingers: Vec<_> = found
            .held_out
            .iter()
            .map(|fold| {
                let scored = fold.scored(number).unwrap_or_default().iter();
                (scored, fold.rows(number, classes))
            })
            .collect();
        let mut buffer = vec![0.0; classes];
        let mut buffers = Buffers::new(classes);
        for (row, &fold) in found.folds.iter().enumerate() {
            if stop::requested_at(row) {
                break;
            }
            let (scored, rows) = &mut fingers[fold as usize];
            let scored = match scored.next() {
                Some(scored) => *scored,
                None if self.scorer.loss().block() > 1 => Scored::default(),
                None => {
                    let f = found.problem.prediction(row, &mut buffer);
                    // Where g = f every score is 0.
                    let g = rows.next().unwrap_or(f);
                    self.scorer.row(f, g, found.problem.label(row), &mut buffers)
                }
            };
            self.count(found, row, scored);
        }
    }

    #[inline]
    fn count(&mut self, found: &Findings<'_, '_>, row: usize, scored: Scored) {
        let (share, weight) = (found.share * self.scorer.factor, found.problem.weight(row));
        self.scores[row] = add(self.scores[row], scored.plain.score * share * found.repeat);
        self.moments.add(row, weight, scored.plain, share);
        if let (Some(moments), Some(hedged)) = (&mut self.hedged, scored.hedged) {
            moments.add(row, weight, hedged, share);
        }
    }

    /// Ends a repeat: every problem of the scope has been scored.
    pub fn end_repeat(&mut self, weights: Option<&[f64]>, together: Option<&Together<'_>>) {
        self.moments.end_repeat(weights, together);
        if let Some(hedged) = &mut self.hedged {
            hedged.end_repeat(weights, together);
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
        let spread = self.moments.spread();
        let bounded = self.hedged.as_ref().map_or(spread, Moments::spread);
        Estimate {
            metric: self.scorer.name,
            scope: self.scorer.scope,
            side: self.scorer.side,
            rows: self.scores.len(),
            value: mean.value,
            stderr: spread.stderr(inflation),
            lower: bounded.lower(inflation, confidence),
            best: None,
            interval: None,
            upper: None,
            p_value: None,
            draws: None,
            in_sample: None,
            decomposition: None,
            infinite_rows: mean.infinite,
            scores: self.scores,
            spread,
            bounded,
        }
    }
}

/// The sum. An infinite improvement is a fact that no other class or repeat can take back, so +∞
/// wins over −∞.
fn add(total: f64, part: f64) -> f64 {
    if total >= f64::INFINITY || part >= f64::INFINITY { f64::INFINITY } else { total + part }
}
