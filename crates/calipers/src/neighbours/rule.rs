//! A way to measure calibration, what it finds, and how it draws chance.

use std::fmt;

use rand::Rng;
use rayon::prelude::*;

use super::line::Line;
use crate::data::Predictions;
use crate::estimate::score_test::LANES;
use crate::numeric::random::{derive_seed, generator};

/// A way to measure or test calibration other than this crate's own.
pub(crate) trait Rule: fmt::Debug + Send + Sync {
    /// Measures predictions that are one number.
    fn on_line(&self, line: &Line, chance: &Chance) -> Outcome;

    /// Measures whole vectors of more than two classes; for those that say they can.
    fn on_vectors(&self, _: &Predictions<'_>, _: &Chance) -> Outcome {
        Err("it does not measure whole vectors".to_owned())
    }

    /// The power under which the values of several classes are averaged; none if it is a test, of
    /// which a mean says nothing.
    fn power(&self) -> Option<f64> {
        None
    }

    /// Itself as a rule of sums, if sums over rows are all that it needs.
    fn summed(&self) -> Option<&dyn Summed> {
        None
    }
}

/// A rule that needs no more of rows than some sums, within cells of f.
pub(crate) trait Summed: fmt::Debug + Send + Sync {
    /// The number of cells.
    fn cells(&self) -> usize {
        1
    }

    /// The cell of a prediction.
    fn cell(&self, _: f64) -> usize {
        0
    }

    /// What a row adds to the sums of its cell: numbers from −1 to 1.
    fn terms(&self, f: f64, y: f64) -> [f64; 2];

    /// What the cells say; those without rows are left out.
    fn of_cells(&self, cells: &[CellSums]) -> Outcome;
}

/// What a rule of sums says of a line, whose rows may be in any order.
pub(crate) fn over_line(rule: &impl Summed, line: &Line) -> Outcome {
    let mut cells = vec![CellSums { rows: 0.0, sums: [0.0; 2] }; rule.cells()];
    for (f, y) in line.iter() {
        let cell = &mut cells[rule.cell(f)];
        cell.rows += 1.0;
        cell.sums.iter_mut().zip(rule.terms(f, y)).for_each(|(sum, term)| *sum += term);
    }
    cells.retain(|cell| cell.rows > 0.0);
    rule.of_cells(&cells)
}

/// The sums of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellSums {
    /// How many rows it holds.
    pub rows: f64,
    /// What they add up to.
    pub sums: [f64; 2],
}

/// What was found, or why there is nothing to be found in such rows.
pub(crate) type Outcome = std::result::Result<Found, String>;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub value: f64,
    /// The value's power, where it is known better than by raising the value to it.
    pub moment: Option<f64>,
    pub p_value: Option<f64>,
    pub details: Vec<(&'static str, f64)>,
}

impl Found {
    pub fn new(value: f64) -> Self {
        Self { value, moment: None, p_value: None, details: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.details.push((name, value));
        self
    }

    #[must_use]
    pub fn tested(self, p_value: f64) -> Self {
        self.maybe_tested(Some(p_value))
    }

    #[must_use]
    pub fn maybe_tested(mut self, p_value: Option<f64>) -> Self {
        self.p_value = p_value.map(|p| p.clamp(0.0, 1.0));
        self
    }
}

/// How chance is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chance {
    pub seed: u64,
    pub draws: usize,
}

impl Chance {
    /// (1 + the number of drawings that reach what was observed) / (1 + the number of drawings); none
    /// if none are asked for. `draw` gives some statistics, at most [`LANES`], with labels drawn from f.
    pub fn p_value(
        &self,
        observed: f64,
        draw: impl Fn(usize, &mut dyn Rng) -> Vec<f64> + Sync,
    ) -> Option<f64> {
        // What sums over rows in another order may differ by.
        let enough = observed - 1e-9 * observed.abs();
        let reached: usize = (0..self.draws.div_ceil(LANES))
            .into_par_iter()
            .map(|group| {
                let mut draws = generator(derive_seed(self.seed, &[STREAM]), group as u64);
                let count = LANES.min(self.draws - group * LANES);
                draw(count, &mut draws).iter().filter(|&&statistic| statistic >= enough).count()
            })
            .sum();
        (self.draws > 0).then(|| (1 + reached) as f64 / (1 + self.draws) as f64)
    }
}

/// The place of the neighbours' drawings among everything that is seeded.
const STREAM: u64 = 1 << 41;
