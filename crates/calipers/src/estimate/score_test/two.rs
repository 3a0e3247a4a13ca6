//! Two classes: what is asked is how often class 1 was observed in cells of like predictions.

use rand::Rng;
use rayon::prelude::*;

use super::bernoulli::bernoulli;
use super::cells::{Cell, divide};
use super::counts::Counts;
use super::shapes::{KINDS, Seen, Shapes, oddness};
use super::{LANES, groups};
use crate::estimate::{Ascending, Problem};
use crate::numeric::simd::widely;
use crate::run::stop;

/// Tables that are held at once: what they take stays small however many rows there are.
const TABLES: usize = 1 << 12;

/// What is the same for all drawings.
pub(super) struct Two<'a> {
    rows: Ascending<'a>,
    cells: Vec<Cell>,
    /// None if no label is left to chance.
    shapes: Option<Shapes>,
}

/// What is known of some drawings while cells go by.
struct Drawn<R> {
    draws: R,
    seen: Seen,
}

impl<'a> Two<'a> {
    pub fn new(problem: &'a Problem<'_>) -> Option<Self> {
        let rows = problem.ascending()?;
        let (cells, coarse) = divide(&rows);
        let shapes = Shapes::of(&cells, coarse);
        Some(Self { rows, cells, shapes })
    }

    /// (1 + the number of drawings that are no less odd) / (1 + the number of drawings).
    pub fn p_value(&self, draws: usize, seed: u64) -> f64 {
        let Some(observed) = self.observed() else { return 1.0 / (1 + draws) as f64 };
        let Some(shapes) = &self.shapes else { return 1.0 };
        let mut all = self.drawn(draws, seed);
        all.push(observed);
        let mut odd = oddness(&all, &shapes.slopes());
        let Some(observed) = odd.pop() else { return 1.0 };
        // The last bits of sums over rows in another order must not decide.
        let least = observed - 1e-9 * observed.abs().max(1.0);
        let reached = odd.iter().filter(|&&drawn| drawn >= least).count();
        (1 + reached) as f64 / (1 + draws) as f64
    }

    /// The evidence of the observed labels; none if one of them was impossible.
    pub fn observed(&self) -> Option<[f64; KINDS]> {
        let mut seen = Seen::new();
        for (number, cell) in self.cells.iter().enumerate() {
            let mut residual = -cell.expected;
            for place in cell.rows.clone() {
                let (label, weight) = (self.rows.labels[place] as usize, self.rows.weight(place));
                if weight > 0.0 && self.rows.pairs[place][label] <= 0.0 {
                    return None;
                }
                residual += weight * label as f64;
            }
            if let Some(shapes) = &self.shapes {
                shapes.add(&mut seen, number, &[residual; LANES]);
            }
        }
        Some(self.evidence(&seen, 0))
    }

    fn evidence(&self, seen: &Seen, lane: usize) -> [f64; KINDS] {
        let none = [f64::NEG_INFINITY; KINDS];
        self.shapes.as_ref().map_or(none, |shapes| shapes.evidence(seen, lane))
    }

    /// The evidence of so many sets of labels drawn from f.
    pub fn drawn(&self, draws: usize, seed: u64) -> Vec<[f64; KINDS]> {
        let mut all = groups(draws, seed, |draws| Drawn { draws, seen: Seen::new() });
        let mut from = 0;
        while from < self.cells.len() && !stop::requested() {
            let mut tables = 0;
            let cells = self.cells[from..].iter().take_while(|cell| {
                let before = tables;
                tables += cell.rows.len().div_ceil(Counts::MOST);
                before < TABLES
            });
            let to = from + cells.count();
            let tables: Vec<Vec<Counts>> =
                self.cells[from..to].par_iter().map(|cell| self.tables(cell)).collect();
            all.par_iter_mut().for_each(|drawn| {
                for (number, tables) in (from..to).zip(&tables).take_while(|_| !stop::requested()) {
                    let counted = match self.rows.weights {
                        None => counted(tables, &mut drawn.draws),
                        Some(weights) => self.weighed(number, weights, &mut drawn.draws),
                    };
                    self.add(&mut drawn.seen, number, counted);
                }
            });
            from = to;
        }
        let each =
            all.iter().flat_map(|drawn| (0..LANES).map(|lane| self.evidence(&drawn.seen, lane)));
        each.take(draws).collect()
    }

    /// What the counts of a cell are drawn from, if rows count alike.
    fn tables(&self, cell: &Cell) -> Vec<Counts> {
        if self.rows.weights.is_some() {
            return Vec::new();
        }
        self.rows.pairs[cell.rows.clone()].chunks(Counts::MOST).map(Counts::new).collect()
    }

    /// Σ w y of a cell, each row's label drawn by itself.
    fn weighed(&self, cell: usize, weights: &[f64], draws: &mut impl Rng) -> [f64; LANES] {
        // What every lane has if each row draws its likelier class, and each lane's departure from that.
        let (mut common, mut lanes) = (0.0, [0.0; LANES]);
        for place in self.cells[cell].rows.clone() {
            let (weight, [not, one]) = (weights[place], self.rows.pairs[place]);
            let likely = one > 0.5;
            common += if likely { weight } else { 0.0 };
            let step = if likely { -weight } else { weight };
            let mut others = bernoulli(draws, if likely { not } else { one });
            while others != 0 {
                lanes[others.trailing_zeros() as usize] += step;
                others &= others - 1;
            }
        }
        lanes.map(|lane| lane + common)
    }

    /// Adds Σ w y of a cell.
    #[inline]
    fn add(&self, seen: &mut Seen, number: usize, counted: [f64; LANES]) {
        let Some(shapes) = &self.shapes else { return };
        let expected = self.cells[number].expected;
        widely(
            LANES,
            #[inline(always)]
            || shapes.add(seen, number, &counted.map(|counted| counted - expected)),
        );
    }
}

/// How many rows of a cell are of class 1.
#[inline]
fn counted(tables: &[Counts], draws: &mut impl Rng) -> [f64; LANES] {
    let mut counted = [0; LANES];
    for table in tables {
        let words: [u64; LANES / 2] = std::array::from_fn(|_| draws.next_u64());
        for (pair, word) in counted.as_chunks_mut::<2>().0.iter_mut().zip(words) {
            pair[0] += table.draw(word as u32, draws);
            pair[1] += table.draw((word >> 32) as u32, draws);
        }
    }
    counted.map(f64::from)
}
