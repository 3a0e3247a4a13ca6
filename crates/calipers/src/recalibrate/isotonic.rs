use serde::{Deserialize, Serialize};

use super::Fitted;
use super::builtin::Builtin;
use super::one_vs_rest::{Curve, OneVsRest};
use crate::data::{Column, Sample};

/// Predictions closer than this are the same one: the last bits are rounding, and must not decide
/// whether rows are pooled.
const TIE: f64 = 1e-15;

/// Products below this have lost digits, or soon will.
const SMALL: f64 = 1e-290;

/// The increasing map of f₁ that fits the labels best in squared error; more than two classes:
/// one-versus-rest.
///
/// Rows of equal f are pooled first, so the order of rows never matters. Between the ends of two
/// blocks g is interpolated, beyond the first and the last it is constant. 1/(n + 1) of the
/// uniform is mixed in, since a block of zeros says 0, and 0 is infinitely wrong when it is.
/// Cost: a sort and one pass, k times.
///
/// ## Reference
/// Zadrozny and Elkan, *Transforming classifier scores into accurate multiclass probability
/// estimates*, 2002; Ayer et al., *An empirical distribution function for sampling with incomplete
/// information*, 1955, for pooling adjacent violators.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Isotonic;

impl Builtin for Isotonic {
    const NAME: &'static str = "isotonic";
    const ABOUT: &'static str = "the best increasing map of f; one-versus-rest";
    type Model = OneVsRest<Steps>;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(OneVsRest::fit(sample, Steps::fit).mixed(sample))
    }
}

/// An increasing, piecewise linear function through the ends of its level blocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Steps {
    positions: Vec<f64>,
    levels: Vec<f64>,
}

/// Neighbouring positions that share one level.
struct Block {
    first: f64,
    last: f64,
    weight: f64,
    observed: f64,
}

impl Block {
    fn level(&self) -> f64 {
        self.observed / self.weight
    }

    /// Whether the level is at least the other's; by a product, because divisions are slow, unless
    /// weights are so small that it would vanish.
    fn is_not_below(&self, next: &Block) -> bool {
        let (own, other) = (self.observed * next.weight, next.observed * self.weight);
        if own.max(other) < SMALL && self.observed.max(next.observed) > 0.0 {
            return self.level() >= next.level();
        }
        own >= other
    }

    fn absorb(&mut self, next: &Block) {
        self.last = next.last;
        self.weight += next.weight;
        self.observed += next.observed;
    }
}

impl Steps {
    fn fit(column: Column<'_>) -> Self {
        // Two-class problems come sorted, and need no copy.
        if column.iter().is_sorted_by(|a, b| a.0 <= b.0) {
            return Self::pool(column.iter(), TIE);
        }
        let mut rows: Vec<(f64, f64, f64)> = column.iter().collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self::pool(rows.into_iter(), TIE)
    }

    /// Pools ties, positions closer than `tie` or equal, then adjacent violators, of rows (position,
    /// observed, weight) in ascending order.
    pub(super) fn pool(rows: impl Iterator<Item = (f64, f64, f64)>, tie: f64) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut rows = rows.peekable();
        while let Some((position, observed, weight)) = rows.next() {
            let mut block =
                Block { first: position, last: position, weight, observed: weight * observed };
            while let Some((_, observed, weight)) =
                rows.next_if(|next| next.0 <= position || next.0 - position < tie)
            {
                block.weight += weight;
                block.observed += weight * observed;
            }
            while let Some(mut before) = blocks.pop_if(|before| before.is_not_below(&block)) {
                before.absorb(&block);
                block = before;
            }
            blocks.push(block);
        }
        let mut steps = Self { positions: Vec::new(), levels: Vec::new() };
        for block in blocks {
            steps.push(block.first, block.level());
            if block.last > block.first {
                steps.push(block.last, block.level());
            }
        }
        steps
    }

    fn push(&mut self, position: f64, level: f64) {
        self.positions.push(position);
        self.levels.push(level);
    }
}

/// The isotonic regression of y on f at every row, for rows (f, y) in ascending order of f. Ties are
/// predictions of the same bits.
pub(crate) fn isotonic_levels(rows: impl Iterator<Item = (f64, f64)> + Clone) -> Vec<f64> {
    let steps = Steps::pool(rows.clone().map(|(f, y)| (f, y, 1.0)), 0.0);
    rows.map(|(f, _)| steps.at(f)[1]).collect()
}

impl Curve for Steps {
    const NAME: &'static str = "isotonic";

    #[allow(clippy::float_cmp, reason = "two ends of one block hold the same bits")]
    fn at(&self, probability: f64) -> [f64; 2] {
        let after = self.positions.partition_point(|&position| position <= probability);
        let level = if after == 0 {
            self.levels[0]
        } else if after == self.positions.len() || self.levels[after - 1] == self.levels[after] {
            self.levels[after - 1]
        } else {
            let (left, right) = (self.positions[after - 1], self.positions[after]);
            let (low, high) = (self.levels[after - 1], self.levels[after]);
            low + (high - low) * ((probability - left) / (right - left))
        };
        [1.0 - level, level]
    }

    fn is_sound(&self) -> bool {
        !self.positions.is_empty()
            && self.positions.len() == self.levels.len()
            && self.positions.windows(2).all(|pair| pair[0] < pair[1])
            && self.levels.iter().all(|level| (0.0..=1.0).contains(level))
    }
}
