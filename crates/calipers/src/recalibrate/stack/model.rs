//! The stack: members, their weights, and what they say together.

use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::Model;
use super::kernel::Layout;
use super::members::{Members, Predicted};
use super::mixture::Mixture;
use super::weights::LeastSquares;
use crate::data::Sample;
use crate::loss::Purpose;
use crate::numeric::simd::{largest_of, padded, sum_of, widely};
use crate::numeric::simplex::{is_moderate, mix_with_uniform, normalise};
use crate::run::stop;

/// Probabilities of the squared error's g are kept above this.
const LEAST: f64 = 1e-6;

/// Rows that are predicted together, and numbers if rows are long: what is made of them is to stay in a
/// near cache.
const BLOCK: usize = 256;
const BLOCK_NUMBERS: usize = 1 << 15;

/// A fitted stack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Stacked {
    classes: usize,
    members: Members,
    /// The weight of what each member changes.
    weights: Vec<f64>,
    /// For the logarithm: the share of the stack, then those of the members.
    mixture: Vec<f64>,
    /// How far to go from f where g is used.
    used: f64,
}

impl Stacked {
    /// Fits the members, then the weights to what they predict for rows that they have not seen.
    pub fn fit(sample: &Sample, seed: u64) -> Self {
        let (members, training, predicted) = Members::fit(sample, seed);
        let sample = &training.sample;
        let classes = sample.classes();
        let mut squares = [(); 2].map(|()| LeastSquares::new(members.count()));
        let mut changes = vec![0.0; members.count() * padded(classes)];
        for row in (0..predicted.rows).take_while(|_| !stop::requested()) {
            predicted.write_changes(row, sample.row(row), &mut changes);
            let label = sample.labels()[row] as usize;
            squares[row % 2].add(sample.row(row), label, sample.weight(row), &changes);
        }
        // Each half's rows are new to the other half's weights.
        let [of_even, of_odd] = squares.each_ref().map(LeastSquares::solve);
        let unseen = [of_odd, of_even];
        let weights = LeastSquares::solve_halves(squares, &unseen);
        let mut this = Self { classes, members, weights, mixture: Vec::new(), used: 1.0 };
        let mut mixture = [(); 2].map(|()| Mixture::new(1 + this.members.count()));
        let mut own = [Vec::new(), Vec::new()];
        let (mut change, mut g) = (vec![0.0; classes], vec![0.0; classes]);
        for row in (0..predicted.rows).take_while(|_| !stop::requested()) {
            let (f, label) = (sample.row(row), sample.labels()[row] as usize);
            predicted.write_changes(row, f, &mut changes);
            this.write_change(&unseen[row % 2], &changes, &mut change);
            Self::write_squared(f, &change, &mut g);
            let members = this.changes(&changes).map(|change| f[label] + change[label]);
            let given = [g[label]].into_iter().chain(members).map(|p| this.mixed(p));
            own[row % 2].push(this.mixed(f[label]));
            mixture[row % 2].add(given, sample.weight(row));
        }
        // The first member is T, behind the stack itself.
        (this.mixture, this.used) = Mixture::solve_halves(mixture, 1, [&own[0], &own[1]]);
        this
    }

    /// What each member changes.
    #[inline(always)]
    fn changes<'a>(&self, changes: &'a [f64]) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        changes.chunks_exact(padded(self.classes))
    }

    /// Moves 1/(n + 1) of a probability towards the uniform one.
    fn mixed(&self, p: f64) -> f64 {
        let share = 1.0 / (self.members.training_rows() + 1.0);
        p + (1.0 / self.classes as f64 - p) * share
    }

    /// Σ w D: what the stack changes.
    #[inline(always)]
    fn write_change(&self, weights: &[f64], changes: &[f64], sum: &mut [f64]) {
        sum.fill(0.0);
        for (weight, change) in weights.iter().zip(self.changes(changes)) {
            sum.iter_mut().zip(change).for_each(|(sum, change)| *sum += weight * change);
        }
    }

    /// As far along the change as the simplex goes, and no further than the change itself: of a
    /// norm only the direction matters.
    #[inline(always)]
    fn write_direction(f: &[f64], change: &[f64], g: &mut [f64]) {
        // f over the largest fall beside it, negative so that the least is the largest.
        let room = |f: f64, change: f64| if change < 0.0 { f / change } else { -1.0 };
        let most = -largest_of(f, change, -1.0, room);
        let each = g.iter_mut().zip(f).zip(change);
        each.for_each(|((g, f), change)| *g = (f + most * change).clamp(0.0, 1.0));
    }

    /// The change itself, floored and normalised.
    #[inline(always)]
    fn write_squared(f: &[f64], change: &[f64], g: &mut [f64]) {
        let each = g.iter_mut().zip(f).zip(change);
        each.for_each(|((g, f), change)| *g = (f + change).max(LEAST));
        normalise(g);
    }

    /// The mean of what is best for the squared error and for the logarithm: the first may rule a class
    /// out that the second does not, and the second may be timid.
    #[inline(always)]
    fn write_used(&self, f: &[f64], squared: &[f64], changes: &[f64], g: &mut [f64]) {
        self.write_log(f, squared, changes, g);
        let far = 0.5 * self.used;
        let rows = g.iter_mut().zip(squared).zip(f);
        rows.for_each(|((g, squared), f)| *g = far * (*g + squared) + (1.0 - self.used) * f);
    }

    /// The mixture of the stack, which is what is best for the squared error, and its members.
    #[inline(always)]
    fn write_log(&self, f: &[f64], squared: &[f64], changes: &[f64], g: &mut [f64]) {
        let own = self.mixture[0];
        let rows = g.iter_mut().zip(squared).zip(f);
        rows.for_each(|((g, squared), f)| *g = own * squared + (1.0 - own) * f);
        for (share, change) in self.mixture[1..].iter().zip(self.changes(changes)) {
            g.iter_mut().zip(change).for_each(|(g, change)| *g += share * change);
        }
        g.iter_mut().for_each(|g| *g = g.max(0.0));
        mix_with_uniform(g, self.members.training_rows());
        normalise(g);
    }

    /// Writes what rows of f become, to a table for each purpose.
    fn write_rows(
        &self,
        f: &[f64],
        layout: Option<&Layout>,
        purposes: &[Purpose],
        tables: &mut [&mut [f64]],
    ) {
        let classes = self.classes;
        let Ok(rows) = ArrayView2::from_shape((f.len() / classes, classes), f) else { return };
        let mut changes = vec![0.0; self.members.count() * padded(classes)];
        let (mut change, mut squared) = (vec![0.0; classes], vec![0.0; classes]);
        // Who estimates holds rows out; who uses g may come back with those it was fitted to.
        for new in [true, false] {
            let is_own = |purpose: &Purpose| (*purpose != Purpose::Use) == new;
            if !purposes.iter().any(is_own) {
                continue;
            }
            let squares = |purpose: &Purpose| is_own(purpose) && *purpose != Purpose::Direction;
            let is_squared = purposes.iter().any(squares);
            let predicted = self.members.rows(rows, layout, new);
            widely(
                f.len(),
                #[inline(always)]
                || {
                    for (row, f) in f.chunks_exact(classes).enumerate() {
                        predicted.write_changes(row, f, &mut changes);
                        self.write_change(&self.weights, &changes, &mut change);
                        if is_squared {
                            Self::write_squared(f, &change, &mut squared);
                        }
                        let own = tables.iter_mut().zip(purposes);
                        for (g, purpose) in own.filter(|(_, purpose)| is_own(purpose)) {
                            let g = &mut g[row * classes..(row + 1) * classes];
                            match purpose {
                                Purpose::Direction => Self::write_direction(f, &change, g),
                                Purpose::Squared => g.copy_from_slice(&squared),
                                Purpose::Log => self.write_log(f, &squared, &changes, g),
                                Purpose::Use => self.write_used(f, &squared, &changes, g),
                            }
                        }
                    }
                },
            );
        }
    }
}

impl Predicted {
    /// Writes what each member changes of a row of f, member after member.
    #[inline(always)]
    fn write_changes(&self, row: usize, f: &[f64], changes: &mut [f64]) {
        let classes = f.len();
        for (table, changes) in self.tables.iter().zip(changes.chunks_exact_mut(padded(classes))) {
            let g = &table[row * classes..(row + 1) * classes];
            let scale = 1.0 / sum_of(g, g, |p, _| f64::from(p));
            for ((change, &g), f) in changes.iter_mut().zip(g).zip(f) {
                *change = f64::from(g) * scale - f;
            }
        }
    }
}

impl Model for Stacked {
    const NAME: &'static str = "stack";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        if let (Ok(f), Ok(g)) =
            (ArrayView2::from_shape((1, f.len()), f), ArrayViewMut2::from_shape((1, f.len()), g))
        {
            self.map_rows(f, g);
        }
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, g: ArrayViewMut2<'_, f64>) {
        self.map_rows_each(f, &[Purpose::default()], &mut [g]);
    }

    fn map_rows_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
        tables: &mut [ArrayViewMut2<'_, f64>],
    ) {
        let f = f.as_standard_layout();
        let rows = f.as_slice().unwrap_or_default();
        let layout = self.members.layout();
        let size = (BLOCK_NUMBERS / self.classes).clamp(1, BLOCK) * self.classes;
        let tables = tables.iter_mut().map(|table| table.as_slice_mut().unwrap_or_default());
        let mut blocks: Vec<Vec<&mut [f64]>> = rows.chunks(size).map(|_| Vec::new()).collect();
        for table in tables {
            let parts = blocks.iter_mut().zip(table.chunks_mut(size));
            parts.for_each(|(block, part)| block.push(part));
        }
        let work = rows.par_chunks(size).zip(blocks.par_iter_mut());
        work.for_each(|(f, block)| self.write_rows(f, layout.as_ref(), purposes, block));
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        purpose
    }

    fn classes(&self) -> Option<usize> {
        Some(self.classes)
    }

    fn is_sound(&self) -> bool {
        let count = self.members.count();
        let fine = |&value: &f64| value >= 0.0 && is_moderate(value);
        self.classes >= 2
            && self.members.is_sound(self.classes)
            && self.weights.len() == count
            && self.mixture.len() == 1 + count
            && self.weights.iter().all(fine)
            && self.mixture.iter().all(fine)
            && (0.0..=1.0).contains(&self.used)
            && (self.mixture.iter().sum::<f64>() - 1.0).abs() < 1e-9
    }

    fn converged(&self) -> bool {
        self.members.converged()
    }

    fn approximations(&self) -> Vec<String> {
        self.members.approximations()
    }
}
