//! Two classes: what is asked is how often class 1 was observed in cells of like predictions.

use rand::Rng;
use rayon::prelude::*;

use super::bernoulli::bernoulli;
use super::cells::{Cell, Coarse, divide};
use super::counts::Counts;
use super::{LANES, groups};
use crate::estimate::{Ascending, Problem};
use crate::numeric::simd::widely;
use crate::numeric::solve::Cholesky;
use crate::run::stop;

/// Tables that are held at once: what they take stays small however many rows there are.
const TABLES: usize = 1 << 12;

/// The functions 1, z and z².
const FUNCTIONS: usize = 3;

/// What is the same for all drawings.
pub(super) struct Two<'a> {
    rows: Ascending<'a>,
    cells: Vec<Cell>,
    coarse: Option<Coarse>,
    /// The Cholesky factor of I; none if no label is left to chance.
    information: Option<Cholesky>,
}

/// What is known of some drawings while cells go by: for each function, and for the coarse cell that is
/// under way, the sum of the residuals; and the terms of the coarse cells that have gone by.
struct Drawn<R> {
    draws: R,
    sums: [[f64; LANES]; FUNCTIONS],
    coarse: [f64; LANES],
    terms: [f64; LANES],
}

impl<'a> Two<'a> {
    pub fn new(problem: &'a Problem<'_>) -> Option<Self> {
        let rows = problem.ascending()?;
        let (cells, coarse) = divide(&rows);
        let mut information = [0.0; FUNCTIONS * FUNCTIONS];
        for cell in &cells {
            let phi = cell.functions();
            for (i, one) in phi.iter().enumerate() {
                for (j, other) in phi.iter().enumerate() {
                    information[i * FUNCTIONS + j] += cell.variance * one * other;
                }
            }
        }
        let information = Cholesky::with_ridge(&information, FUNCTIONS);
        Some(Self { rows, cells, coarse, information })
    }

    /// T of the observed labels; infinite if one of them was impossible.
    pub fn observed(&self) -> f64 {
        let (mut sums, mut terms) = ([0.0; FUNCTIONS], 0.0);
        let mut in_coarse = 0.0;
        for (number, cell) in self.cells.iter().enumerate() {
            let mut residual = -cell.expected;
            for place in cell.rows.clone() {
                let (label, weight) = (self.rows.labels[place] as usize, self.rows.weight(place));
                if weight > 0.0 && self.rows.pairs[place][label] <= 0.0 {
                    return f64::INFINITY;
                }
                residual += weight * label as f64;
            }
            sums.iter_mut().zip(cell.functions()).for_each(|(sum, phi)| *sum += phi * residual);
            in_coarse += residual;
            if let Some(variance) = self.ends(number) {
                terms += in_coarse * in_coarse / variance;
                in_coarse = 0.0;
            }
        }
        self.value(sums, terms)
    }

    /// T of so many sets of labels drawn from f.
    pub fn drawn(&self, draws: usize, seed: u64) -> Vec<f64> {
        let mut all = groups(draws, seed, |draws| Drawn {
            draws,
            sums: [[0.0; LANES]; FUNCTIONS],
            coarse: [0.0; LANES],
            terms: [0.0; LANES],
        });
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
                    self.add(drawn, number, &counted);
                }
            });
            from = to;
        }
        let each = all.iter().flat_map(|drawn| {
            (0..LANES).map(|lane| self.value(drawn.sums.map(|sums| sums[lane]), drawn.terms[lane]))
        });
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
    fn add<R>(&self, drawn: &mut Drawn<R>, number: usize, counted: &[f64; LANES]) {
        let (cell, ended) = (&self.cells[number], self.ends(number));
        widely(
            LANES,
            #[inline(always)]
            || {
                for (sums, phi) in drawn.sums.iter_mut().zip(cell.functions()) {
                    for (sum, counted) in sums.iter_mut().zip(counted) {
                        *sum += phi * (counted - cell.expected);
                    }
                }
                for (sum, counted) in drawn.coarse.iter_mut().zip(counted) {
                    *sum += counted - cell.expected;
                }
                if let Some(variance) = ended {
                    for (term, sum) in drawn.terms.iter_mut().zip(&mut drawn.coarse) {
                        *term += *sum * *sum / variance;
                        *sum = 0.0;
                    }
                }
            },
        );
    }

    /// The variance of the coarse cell that a cell is the last of.
    fn ends(&self, cell: usize) -> Option<f64> {
        self.coarse.as_ref()?.ends[cell]
    }

    /// T from the sums of the functions and the terms of the coarse cells.
    fn value(&self, mut sums: [f64; FUNCTIONS], terms: f64) -> f64 {
        let Some(information) = &self.information else { return 0.0 };
        information.solve_lower(&mut sums);
        let total = sums.iter().map(|x| x * x).sum::<f64>();
        match &self.coarse {
            Some(coarse) => total.max(coarse.value(terms, FUNCTIONS as f64)),
            None => total,
        }
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
