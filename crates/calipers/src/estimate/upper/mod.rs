//! How large an error can be at most, if the truth rises with the prediction.
//!
//! Without any assumption no number of rows bounds a calibration error from above: the truth may swing to and
//! fro between the rows. If C rises with f, it cannot. Two bounds then hold for any n, each with its share
//! of the level:
//!
//! - [`band`]: a band that holds C at every prediction at once, after Dimitriadis, Dümbgen, Henzi, Puke and
//!   Ziegel;
//! - [`total`]: a bound on the mean of |f − C|, from binned sums that err upwards in expectation.
//!
//! A row's part of an error, D_f(C), is convex in C, so that it is at most the larger of its values at the
//! ends of the band, and at most in proportion to |f − C| until there. What all rows come to is greatest if
//! the total is spent where it weighs most.

mod band;
mod binomial;
mod total;

use self::band::Band;
use self::total::total;
use super::problem::{Ascending, Problem, Problems};
use super::scorer::Scorer;
use crate::data::Predictions;
use crate::loss::Scope;

/// What is taken to be true of the data beyond what they show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// The truth never falls as the prediction rises: of class 1 of two, of the top class's confidence, or of
    /// each class against the rest.
    Monotone,
}

impl Assumption {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monotone => "monotone",
        }
    }
}

/// The share of the level that is the band's. What is asked for first is the mean distance, which the other
/// bound decides.
const OF_BAND: f64 = 0.2;

/// An upper bound, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Upper {
    /// With the confidence asked for, the error is below it if the assumption holds.
    At(f64),
    /// The assumption says nothing of this metric: it is about two classes.
    Silent,
    /// The data contradict the assumption.
    Contradicted,
}

/// The upper bound of a metric.
pub(crate) fn upper(predictions: &Predictions<'_>, scorer: &Scorer, confidence: f64) -> Upper {
    if scorer.scope == Scope::Canonical && predictions.classes() > 2 {
        return Upper::Silent;
    }
    let mut problems = Problems::new(predictions, scorer.scope, false);
    let count = problems.count();
    // Each class has its share of the level, so that all bounds hold at once.
    let level = (1.0 - confidence) / count as f64;
    let mut sum = 0.0;
    for number in 0..count {
        let problem = problems.problem(number);
        match of_problem(&problem, scorer, level) {
            Upper::At(bound) => sum += bound,
            other => return other,
        }
    }
    Upper::At(scorer.factor * sum / count as f64)
}

/// The upper bound of one two-class problem.
fn of_problem(problem: &Problem<'_>, scorer: &Scorer, level: f64) -> Upper {
    let Some(rows) = problem.ascending() else { return Upper::Silent };
    let band = Band::of(&rows, OF_BAND * level);
    if !band.is_possible() {
        return Upper::Contradicted;
    }
    let distance = Distance::of(scorer);
    let sides: Vec<Sides> = rows.pairs.iter().map(|f| distance.sides(f)).collect();
    let total = total(&rows, &sides, (1.0 - OF_BAND) * level);
    Upper::At(spend(&rows, &band, &distance, total))
}

/// Which way the truth may lie from a prediction to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    pub up: bool,
    pub down: bool,
}

/// D_f(q), from a proper loss: what q gains over f if labels are drawn from q.
struct Distance<'a> {
    scorer: &'a Scorer,
}

impl<'a> Distance<'a> {
    fn of(scorer: &'a Scorer) -> Self {
        Self { scorer }
    }

    fn at(&self, f: &[f64; 2], truth: f64) -> f64 {
        let q = [1.0 - truth, truth];
        let mut scores = [0.0; 2];
        self.scorer.loss().class_scores(f, &q, &mut scores);
        let terms = q.iter().zip(scores).filter(|(q, _)| **q > 0.0);
        terms.map(|(q, score)| q * score).sum::<f64>().max(0.0)
    }

    fn sides(&self, f: &[f64; 2]) -> Sides {
        let [low, high] = [0.5 * f[1], 0.5 * (1.0 + f[1])];
        Sides {
            up: high > f[1] && self.at(f, high) > 0.0,
            down: low < f[1] && self.at(f, low) > 0.0,
        }
    }
}

/// The largest mean of D_f(C) with C in the band and a mean |f − C| of at most so much.
fn spend(rows: &Ascending<'_>, band: &Band, distance: &Distance<'_>, total: f64) -> f64 {
    let count = rows.pairs.len() as f64;
    // What a row can add, and how much of it for each unit of |f − C|.
    let mut items: Vec<(f64, f64)> = Vec::with_capacity(rows.pairs.len());
    for (f, (low, high)) in rows.pairs.iter().zip(band.rows()) {
        let ends = [(low, f[1] - low), (high, high - f[1])];
        let ends = ends.into_iter().filter(|(_, way)| *way > 0.0);
        let (most, rate) = ends.fold((0.0f64, 0.0f64), |(most, rate), (end, way)| {
            let there = distance.at(f, end);
            (most.max(there), rate.max(there / way))
        });
        if most > 0.0 {
            items.push((rate, most));
        }
    }
    items.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    let (mut left, mut sum) = (total * count, 0.0);
    for (rate, most) in items {
        if most >= f64::INFINITY {
            return f64::INFINITY;
        }
        let spent = (most / rate).min(left);
        sum += spent * rate;
        left -= spent;
        if left <= 0.0 {
            break;
        }
    }
    sum / count
}

#[cfg(test)]
mod tests;
