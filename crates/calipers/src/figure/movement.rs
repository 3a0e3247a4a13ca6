//! The confusion of recalibration: which classes gain and lose probability when f becomes g.

use serde::Serialize;

use crate::estimate::{Findings, Observer, Problem};
use crate::loss::{Purpose, Scope};
use crate::numeric::simplex::argmax;

/// Beyond so many classes only the net gains are kept: a table of pairs would be larger than the
/// predictions.
const MOST_PAIRS: usize = 1_000;

/// How many pairs are worth showing.
const SHOWN: usize = 20;

/// What the held-out g moves, as shares of all rows.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Movement {
    /// The mean of g, one a class.
    pub mean_g: Vec<f64>,
    /// The largest movements among rows of one predicted class, the largest first.
    pub largest: Vec<Moved>,
}

/// How much probability one class gains among the rows of which another one (or itself) is the most
/// probable.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Moved {
    /// The most probable class of these rows.
    pub predicted: usize,
    /// The class that gains, or loses.
    pub class: usize,
    /// The gain: the mean over all rows of g − f where that class was predicted.
    pub gain: f64,
}

/// Adds up what moves while the folds are scored.
pub(crate) struct Mover {
    classes: usize,
    mean_g: Vec<f64>,
    pairs: Vec<f64>,
    total: f64,
}

impl Mover {
    /// For so many classes; 0 to look at nothing.
    pub fn new(classes: usize) -> Self {
        let pairs = if classes <= MOST_PAIRS { classes * classes } else { 0 };
        Self { classes, mean_g: vec![0.0; classes], pairs: vec![0.0; pairs], total: 0.0 }
    }

    /// What moved; none if no rows were added.
    pub fn finish(self) -> Option<Movement> {
        let Self { classes, mean_g, pairs, total } = self;
        if total <= 0.0 {
            return None;
        }
        let mut largest: Vec<Moved> = pairs
            .iter()
            .enumerate()
            .map(|(place, sum)| {
                let (predicted, class) = (place / classes, place % classes);
                Moved { predicted, class, gain: sum / total }
            })
            .filter(|moved| moved.gain.abs() > 0.0)
            .collect();
        let size = |moved: &Moved| moved.gain.abs();
        largest.sort_by(|a, b| size(b).total_cmp(&size(a)));
        largest.truncate(SHOWN);
        Some(Movement { mean_g: mean_g.iter().map(|sum| sum / total).collect(), largest })
    }
}

impl Observer for Mover {
    fn wants(&self, scope: Scope) -> Option<Purpose> {
        (scope == Scope::Canonical && self.classes > 0).then_some(Purpose::Use)
    }

    /// Adds the rows of one repeat.
    fn observe(&mut self, found: &Findings<'_, '_>, number: usize) {
        let problem: &Problem<'_> = found.problem;
        let mut fingers: Vec<_> =
            found.held_out.iter().map(|fold| fold.rows(number, self.classes)).collect();
        let mut buffer = vec![0.0; self.classes];
        for (row, &fold) in found.folds.iter().enumerate() {
            let f = problem.prediction(row, &mut buffer);
            let g = fingers[fold as usize].next().unwrap_or(f);
            let weight = problem.weight(row);
            self.total += weight;
            self.mean_g.iter_mut().zip(g).for_each(|(sum, g)| *sum += weight * g);
            if !self.pairs.is_empty() {
                let from = argmax(f) * self.classes;
                let pairs = self.pairs[from..from + self.classes].iter_mut();
                pairs.zip(f.iter().zip(g)).for_each(|(sum, (f, g))| *sum += weight * (g - f));
            }
        }
    }
}
