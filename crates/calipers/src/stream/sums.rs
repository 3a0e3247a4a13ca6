//! Sums over the scores of a metric that are the same in any order.

use serde::{Deserialize, Serialize};

use crate::estimate::bound::{Possible, Sums};
use crate::estimate::scorer::Scored;
use crate::numeric::exact::Exact;

/// The lowest power of 2 that scores are measured in: of smaller ones the squares are lost, which are no
/// part of any variance that matters, and larger ones are never too large.
const LOWEST: f64 = -20.0;

/// A power of 2 near the root mean square of a metric's scores in the sample: measured in it, scores are
/// of order 1, as exact sums want their terms.
pub(super) fn unit(scores: &[f64]) -> f64 {
    let finite = scores.iter().filter(|score| score.is_finite());
    let (sum, count) =
        finite.fold((0.0, 0.0), |(sum, count), score| (sum + score * score, count + 1.0));
    let root: f64 = (sum / f64::max(count, 1.0)).sqrt();
    let exponent = if root > 0.0 && root.is_finite() { root.log2().floor() } else { LOWEST };
    exponent.max(LOWEST).exp2()
}

/// What a metric's scores add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MetricSums {
    plain: ExactSums,
    hedged: ExactSums,
    /// The loss of f itself, where it is asked for.
    loss: Exact,
    /// Rows whose loss of f is infinite.
    lost: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ExactSums {
    weights: Exact,
    squared_weights: Exact,
    scores: Exact,
    first: Exact,
    second: Exact,
    null: Exact,
    /// Rows whose score is +∞, and −∞.
    infinite: [u64; 2],
}

impl MetricSums {
    /// Adds the score of a row; weights and scores are measured in their units.
    #[inline]
    pub fn add(&mut self, weight: f64, scored: &Scored, unit: f64) {
        if weight <= 0.0 {
            return;
        }
        self.plain.add(weight, scored.plain.scaled(1.0 / unit));
        if let Some(hedged) = scored.hedged {
            self.hedged.add(weight, hedged.scaled(1.0 / unit));
        }
    }

    /// Adds the loss of a row's prediction.
    #[inline]
    pub fn add_loss(&mut self, weight: f64, loss: f64) {
        if weight <= 0.0 {
            return;
        }
        if loss.is_finite() {
            self.loss.add(weight * loss);
        } else {
            self.lost += 1;
        }
    }

    /// Adds the sums of others.
    pub fn merge(&mut self, other: &Self) {
        self.plain.merge(&other.plain);
        self.hedged.merge(&other.hedged);
        self.loss.merge(other.loss);
        self.lost = self.lost.saturating_add(other.lost);
    }

    /// What the estimate is taken from.
    pub fn plain(&self, unit: f64) -> Sums {
        self.plain.sums(unit)
    }

    /// What the lower bound of a hedged metric is taken from.
    pub fn hedged(&self, unit: f64) -> Sums {
        self.hedged.sums(unit)
    }

    /// Rows with an infinite score.
    pub fn infinite_rows(&self) -> u64 {
        self.plain.infinite[0].saturating_add(self.plain.infinite[1])
    }

    /// Σ w times the loss of f; infinite if that of any row is.
    pub fn loss(&self) -> f64 {
        if self.lost > 0 { f64::INFINITY } else { self.loss.value() }
    }

    /// Whether something was too large to be added up.
    pub fn is_full(&self) -> bool {
        let sums = [&self.plain, &self.hedged];
        self.loss.is_full()
            || sums.into_iter().any(|sums| sums.each().iter().any(|sum| sum.is_full()))
    }
}

impl ExactSums {
    fn each(&self) -> [Exact; 6] {
        let Self { weights, squared_weights, scores, first, second, null, .. } = *self;
        [weights, squared_weights, scores, first, second, null]
    }

    #[inline]
    fn add(&mut self, weight: f64, possible: Possible) {
        if possible.score.is_infinite() {
            self.infinite[usize::from(possible.score < 0.0)] += 1;
            return;
        }
        let squared = weight * weight;
        self.weights.add(weight);
        self.squared_weights.add(squared);
        self.scores.add(weight * possible.score);
        self.first.add(squared * possible.score);
        self.second.add(squared * possible.score * possible.score);
        self.null.add(squared * possible.null_variance());
    }

    fn merge(&mut self, other: &Self) {
        let Self { weights, squared_weights, scores, first, second, null, infinite } = self;
        let own = [weights, squared_weights, scores, first, second, null];
        own.into_iter().zip(other.each()).for_each(|(own, other)| own.merge(other));
        for (own, other) in infinite.iter_mut().zip(other.infinite) {
            *own = own.saturating_add(other);
        }
    }

    fn sums(&self, unit: f64) -> Sums {
        Sums {
            weights: self.weights.value(),
            squared_weights: self.squared_weights.value(),
            scores: self.scores.value() * unit,
            first: self.first.value() * unit,
            second: self.second.value() * unit * unit,
            null: self.null.value() * unit * unit,
            infinite: (self.infinite[0] > 0, self.infinite[1] > 0),
        }
    }
}
