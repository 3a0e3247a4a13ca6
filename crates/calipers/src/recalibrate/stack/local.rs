//! What is learnt from the rows nearby: forests and kernels.

use fearless_simd::{Level, dispatch};
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::forest::Forest;
use super::growth::Growth;
use super::kernel::{Kernel, Layout, WIDTHS};
use super::limits::Limits;
use super::rows::{Borders, StackRows, pad, width};
use super::training::{Training, in_bag};
use super::trees::grow;
use crate::numeric::random::derive_seed;

/// How many members they are: the forests after each of some numbers of trees, and each kernel.
pub(super) const MEMBERS: usize = Growth::MEMBERS + WIDTHS;

/// Forests and kernels, fitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Local {
    borders: Borders,
    growth: Growth,
    forests: Vec<Forest>,
    kernel: Kernel,
}

impl Local {
    /// Fits them; returns with them their predictions of the first `scored` rows. `tempered` is T of the
    /// first rows.
    pub fn fit(
        training: &Training,
        tempered: &[f32],
        limits: Limits,
        scored: usize,
    ) -> (Self, Vec<Vec<f32>>) {
        let borders = Borders::choose(training.sample.probs());
        let tree_rows = limits.trees();
        let growth = Growth::of(tree_rows);
        let tree_tempered = &tempered[..tree_rows * training.classes()];
        let rows = StackRows::new(training, &borders, tree_tempered);
        let (forests, mut tables) = grow_forests(training, &rows, &growth, scored);
        let (kernel, smoothed) = Kernel::fit(training, tempered, limits.support(), scored);
        tables.extend(smoothed);
        (Self { borders, growth, forests, kernel }, tables)
    }

    /// The support of the kernels, laid out for [`Local::rows`].
    pub fn layout(&self) -> Layout {
        self.kernel.layout()
    }

    /// Each member's predictions of rows of f, of which `tempered` is T, and which are `new` or may be
    /// some that it was fitted to.
    pub fn rows(
        &self,
        f: ArrayView2<'_, f64>,
        tempered: &[f32],
        layout: &Layout,
        new: bool,
    ) -> Vec<Vec<f32>> {
        let mut tables = self.forest_rows(f, tempered);
        tables.extend(self.kernel.rows(layout, tempered, new));
        tables
    }

    /// The means of the forests' predictions.
    fn forest_rows(&self, f: ArrayView2<'_, f64>, tempered: &[f32]) -> Vec<Vec<f32>> {
        let (rows, classes) = f.dim();
        let places = self.borders.places(f);
        let start = pad(tempered, classes);
        let mut probs = start.clone();
        let mut codes = vec![0; rows];
        let mut tables = vec![vec![0.0; rows * classes]; Growth::MEMBERS];
        let share = 1.0 / self.forests.len() as f32;
        for forest in &self.forests {
            probs.copy_from_slice(&start);
            let mut grown = 0;
            for (table, trees) in tables.iter_mut().zip(self.growth.members) {
                let (codes, probs) = (&mut codes, &mut probs);
                dispatch!(
                    Level::new(),
                    simd => forest.advance(simd, grown..trees, &places, codes, probs)
                );
                grown = trees;
                let rows = probs.chunks_exact(width(classes));
                for (mean, probs) in table.chunks_exact_mut(classes).zip(rows) {
                    mean.iter_mut()
                        .zip(probs.as_flattened())
                        .for_each(|(mean, p)| *mean += share * p);
                }
            }
        }
        tables
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        let features = self.borders.counts().len();
        let trees = self.growth.trees();
        self.borders.is_sound(classes)
            && self.growth.is_sound()
            && !self.forests.is_empty()
            && self.forests.iter().all(|forest| forest.is_sound(features, classes, trees))
            && self.kernel.is_sound(classes)
    }
}

/// One forest for each bag, grown without it, and their predictions of the first rows.
fn grow_forests(
    training: &Training,
    rows: &StackRows,
    growth: &Growth,
    scored: usize,
) -> (Vec<Forest>, Vec<Vec<f32>>) {
    let (classes, width) = (rows.classes, rows.width());
    let grown: Vec<(Forest, Vec<Vec<f32>>)> = (0..training.bags())
        .into_par_iter()
        .map(|bag| {
            let mut tables = Vec::new();
            let seed = derive_seed(training.seed, &[bag as u64]);
            let forest = grow(rows, growth, bag, seed, |probs| {
                let row = |row: usize| &probs[row * width..(row + 1) * width];
                let rows = in_bag(bag, scored).map(row);
                let values = rows.flat_map(|row| &row.as_flattened()[..classes]);
                tables.push(values.copied().collect());
            });
            (forest, tables)
        })
        .collect();
    let mut tables = vec![vec![0.0; scored * classes]; Growth::MEMBERS];
    let mut forests = Vec::with_capacity(grown.len());
    for (bag, (forest, parts)) in grown.into_iter().enumerate() {
        forests.push(forest);
        for (table, part) in tables.iter_mut().zip(parts) {
            for (row, g) in in_bag(bag, scored).zip(part.chunks_exact(classes)) {
                table[row * classes..(row + 1) * classes].copy_from_slice(g);
            }
        }
    }
    (forests, tables)
}
