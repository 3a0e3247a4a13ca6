//! The recalibrators that are stacked.

use fearless_simd::{Level, dispatch};
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::forest::Forest;
use super::growth::Growth;
use super::kernel::{Kernel, Layout, WIDTHS};
use super::limits::Limits;
use super::rows::{Borders, StackRows, pad, width};
use super::structured::Structured;
use super::training::{Training, in_bag};
use super::trees::grow;
use crate::data::Sample;
use crate::numeric::random::derive_seed;

/// T, `svs`, forests and kernels, fitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Members {
    limits: Limits,
    structured: Structured,
    borders: Borders,
    growth: Growth,
    forests: Vec<Forest>,
    kernel: Kernel,
}

/// Each member's predictions of some rows.
pub(super) struct Predicted {
    pub rows: usize,
    pub tables: Vec<Vec<f32>>,
}

impl Members {
    /// Fits all members; returns with them the rows that they were fitted to, and their predictions
    /// of the first of these, as many as the stack is to be fitted to.
    pub fn fit(sample: &Sample, seed: u64) -> (Self, Training, Predicted) {
        let classes = sample.classes();
        let limits = Limits { rows: sample.rows(), classes };
        let training = Training::new(sample, limits.scaling(), seed);
        let scored = limits.scored();
        let (structured, scaled) = Structured::fit(&training, scored);
        let (tree_rows, support) = (limits.trees(), limits.support());
        let most = scored.max(support).max(tree_rows.unwrap_or(0));
        let f = training.sample.probs();
        let tempered = structured.tempered(&f.as_slice().unwrap_or_default()[..most * classes]);
        let mut tables = vec![tempered[..scored * classes].to_vec(), scaled];
        let borders = Borders::choose(f);
        let growth = Growth::of(tree_rows.unwrap_or(0));
        let mut forests = Vec::new();
        if let Some(tree_rows) = tree_rows {
            let rows = StackRows::new(&training, &borders, &tempered[..tree_rows * classes]);
            let (grown, predicted) = grow_forests(&training, &rows, &growth, scored);
            forests = grown;
            tables.extend(predicted);
        }
        let (kernel, smoothed) = Kernel::fit(&training, &tempered, support, scored);
        tables.extend(smoothed);
        (
            Self { limits, structured, borders, growth, forests, kernel },
            training,
            Predicted { rows: scored, tables },
        )
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        2 + if self.forests.is_empty() { 0 } else { self.growth.members.len() } + WIDTHS
    }

    /// Each member's predictions of rows of f, which are `new` or may be some that it was fitted to.
    pub fn rows(&self, f: ArrayView2<'_, f64>, layout: &Layout, new: bool) -> Predicted {
        let tempered = self.structured.tempered(f.as_slice().unwrap_or_default());
        let mut tables = vec![tempered, self.structured.rows(f)];
        if self.forests.is_empty() == self.limits.trees().is_none() {
            let grown = self.forest_rows(f, &tables[0]);
            tables.extend(grown);
        }
        let smoothed = self.kernel.rows(layout, &tables[0], new);
        tables.extend(smoothed);
        Predicted { rows: f.nrows(), tables }
    }

    /// The support of the kernels, laid out for [`Members::rows`].
    pub fn layout(&self) -> Layout {
        self.kernel.layout()
    }

    /// The means of the forests' predictions.
    fn forest_rows(&self, f: ArrayView2<'_, f64>, tempered: &[f32]) -> Vec<Vec<f32>> {
        let (rows, classes) = f.dim();
        let places = self.borders.places(f);
        let start = pad(tempered, classes);
        let mut probs = start.clone();
        let mut codes = vec![0; rows];
        let mut tables = vec![vec![0.0; rows * classes]; self.growth.members.len()];
        let share = 1.0 / self.forests.len() as f32;
        for forest in &self.forests {
            probs.copy_from_slice(&start);
            let mut grown = 0;
            for (table, trees) in tables.iter_mut().zip(self.growth.members) {
                dispatch!(
                    Level::new(),
                    simd => forest.advance(simd, grown..trees, &places, &mut codes, &mut probs)
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

    pub fn training_rows(&self) -> f64 {
        self.structured.training_rows()
    }

    /// What kept the cost of the fit bounded.
    pub fn approximations(&self) -> Vec<String> {
        self.limits.names()
    }

    pub fn converged(&self) -> bool {
        self.structured.converged()
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        let features = self.borders.counts().len();
        self.limits.classes == classes
            && self.structured.is_sound(classes)
            && self.borders.is_sound(classes)
            && self.growth.is_sound()
            && self.forests.is_empty() == self.limits.trees().is_none()
            && self
                .forests
                .iter()
                .all(|forest| forest.is_sound(features, classes, self.growth.trees()))
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
            let forest = grow(rows, growth, bag, seed, |trees, probs| {
                if growth.members.contains(&trees) {
                    let row = |row: usize| &probs[row * width..(row + 1) * width];
                    let rows = in_bag(bag, scored).map(row);
                    let values = rows.flat_map(|row| &row.as_flattened()[..classes]);
                    tables.push(values.copied().collect());
                }
            });
            (forest, tables)
        })
        .collect();
    let mut tables = vec![vec![0.0; scored * classes]; growth.members.len()];
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
