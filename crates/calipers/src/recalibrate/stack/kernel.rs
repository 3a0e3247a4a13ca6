//! The labels of the rows nearby.

use std::collections::HashMap;
use std::sync::OnceLock;

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use serde::{Deserialize, Serialize};

use super::rows::{LANES, Lanes};
use super::training::Training;
use crate::run::stop;

/// How often the likeness of two rows is squared, from the widest kernel to the narrowest.
const SQUARINGS: [u32; 5] = [3, 5, 7, 9, 11];

/// Before they are squared, likenesses are at least so large: squares that underflow take a machine a
/// hundred times as long. What is left of these, 10⁻³⁰, is nothing beside T.
const LEAST: [f32; 5] = [1.8e-4, 3.2e-8, 3.2e-8, 3.2e-8, 3.2e-8];

/// How many kernels there are.
pub(super) const WIDTHS: usize = SQUARINGS.len();

/// T counts as a row as near as can be, of this weight.
const PRIOR: f32 = 1.0;

/// (T + Σ W Y)/(1 + Σ W) over support rows, with W = w ⟨√T, √T'⟩^m for m = 8, 32, …, 2048.
///
/// ⟨√T, √T'⟩, the Bhattacharyya coefficient, is 1 less half the squared distance of the roots, so W
/// is nearly a Gaussian of their distance whose width is 1/√m, from 0.35 to 0.022; and it takes no
/// exponential. Support rows see each other but not themselves. Cost: support × k for each row.
///
/// ## Reference
/// Bhattacharyya, *On a measure of divergence between two multinomial populations*, 1946.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kernel {
    classes: usize,
    /// T of the support rows.
    rows: Vec<f32>,
    labels: Vec<u32>,
    weights: Vec<f32>,
}

impl Kernel {
    /// Keeps the first `support` rows, and smooths the first `scored`; one table for each width.
    /// `tempered` is T of the first rows.
    pub fn fit(
        training: &Training,
        tempered: &[f32],
        support: usize,
        scored: usize,
    ) -> (Self, Vec<Vec<f32>>) {
        let classes = training.classes();
        let kernel = Self {
            classes,
            rows: tempered[..support * classes].to_vec(),
            labels: training.sample.labels()[..support].to_vec(),
            weights: training.weights[..support].to_vec(),
        };
        let layout = kernel.layout();
        let own = |row: usize| (row < support).then(|| (kernel.labels[row], kernel.weights[row]));
        let tables = layout.rows(&tempered[..scored * classes], own);
        (kernel, tables)
    }

    /// Smooths rows of T; one table for each width. Unless they are `new`, a row that equals a single one
    /// of the support is taken for that one, and does not see its own label.
    pub fn rows(&self, layout: &Layout, tempered: &[f32], new: bool) -> Vec<Vec<f32>> {
        if new {
            return layout.rows(tempered, |_| None);
        }
        let alone = layout.alone.get_or_init(|| self.alone());
        let row = |row: usize| bits(&tempered[row * self.classes..(row + 1) * self.classes]);
        layout.rows(tempered, |at| alone.get(&row(at)).copied().flatten())
    }

    /// The label and weight of each row that no other one equals; none of those that others do.
    fn alone(&self) -> Alone {
        let mut alone = Alone::with_capacity(self.labels.len());
        let own = self.labels.iter().copied().zip(self.weights.iter().copied());
        for (row, own) in self.rows.chunks_exact(self.classes).zip(own) {
            alone.entry(bits(row)).and_modify(|known| *known = None).or_insert(Some(own));
        }
        alone
    }

    /// The support as vectors want it: class by class, eight rows at a time.
    pub fn layout(&self) -> Layout {
        let classes = self.classes;
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|&row| self.labels[row]);
        let mut layout =
            Layout { classes, vectors: Vec::new(), groups: Vec::new(), alone: OnceLock::new() };
        for group in order.chunk_by(|&a, &b| self.labels[a] == self.labels[b]) {
            layout.groups.push((self.labels[group[0]], group.len().div_ceil(LANES)));
            for eight in group.chunks(LANES) {
                let lanes = |value: &dyn Fn(usize) -> f32| {
                    let mut lanes = [0.0; LANES];
                    lanes.iter_mut().zip(eight).for_each(|(lane, &row)| *lane = value(row));
                    lanes
                };
                layout.vectors.push(lanes(&|row| self.weights[row]));
                for class in 0..classes {
                    layout.vectors.push(lanes(&|row| self.rows[row * classes + class].sqrt()));
                }
            }
        }
        layout
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        let rows = self.labels.len();
        self.classes == classes
            && Some(self.rows.len()) == rows.checked_mul(classes)
            && self.weights.len() == rows
            && self.labels.iter().all(|&label| (label as usize) < classes)
            // Rows of a larger sum would be more than alike, and so would their powers.
            && self.rows.chunks_exact(classes).all(|row| {
                row.iter().all(|p| (0.0..=1.0).contains(p))
                    && (row.iter().map(|&p| f64::from(p)).sum::<f64>() - 1.0).abs() <= 1e-3
            })
            && self.weights.iter().all(|weight| (0.0..=1e15).contains(weight))
    }
}

/// So many rows are smoothed together: more, and their sums would not fit a machine's registers.
const QUERIES: usize = 2;

/// A row of T to be smoothed.
struct Query<'a> {
    row: &'a [f32],
    /// Its label and weight, if it is a row of the support.
    own: Option<(u32, f32)>,
}

/// The support, laid out.
pub(super) struct Layout {
    classes: usize,
    /// For each eight rows of a class their weights, and then √T of each class.
    vectors: Vec<Lanes>,
    /// Each class that has rows, and how many times eight.
    groups: Vec<(u32, usize)>,
    /// [`Kernel::alone`], for those who ask.
    alone: OnceLock<Alone>,
}

type Alone = HashMap<Box<[u32]>, Option<(u32, f32)>>;

/// A row to be looked up, to the last bit.
fn bits(row: &[f32]) -> Box<[u32]> {
    row.iter().map(|p| p.to_bits()).collect()
}

impl Layout {
    /// Smooths rows of T, given each one's label and weight if it is of the support.
    fn rows(&self, tempered: &[f32], own: impl Fn(usize) -> Option<(u32, f32)>) -> Vec<Vec<f32>> {
        let mut tables = vec![vec![0.0; tempered.len()]; WIDTHS];
        for (number, pair) in tempered.chunks(QUERIES * self.classes).enumerate() {
            // With many classes, a single row takes long.
            if stop::requested() {
                break;
            }
            let from = number * QUERIES;
            let rows = pair.chunks_exact(self.classes).enumerate();
            let queries = rows.map(|(row, tempered)| Query { row: tempered, own: own(from + row) });
            self.smooth(&queries.collect::<Vec<_>>(), from, &mut tables);
        }
        tables
    }

    /// Smooths [`QUERIES`] rows of T or fewer, and writes them to the tables from a row on.
    fn smooth(&self, queries: &[Query<'_>], from: usize, tables: &mut [Vec<f32>]) {
        let roots: Vec<[Lanes; QUERIES]> = (0..self.classes)
            .map(|class| {
                std::array::from_fn(|query| {
                    [queries.get(query).map_or(0.0, |query| query.row[class].sqrt()); LANES]
                })
            })
            .collect();
        dispatch!(Level::new(), simd => self.add_up(simd, &roots, queries.len(), from, tables));
        let classes = self.classes;
        for table in tables {
            let rows = table[from * classes..].chunks_exact_mut(classes);
            for (sums, query) in rows.zip(queries) {
                if let Some((label, weight)) = query.own {
                    // A row's likeness to itself is 1, but for rounding.
                    let sum = &mut sums[label as usize];
                    *sum = (*sum - weight).max(0.0);
                }
                sums.iter_mut().zip(query.row).for_each(|(sum, p)| *sum += PRIOR * p);
                let scale = 1.0 / sums.iter().sum::<f32>();
                sums.iter_mut().for_each(|sum| *sum *= scale);
            }
        }
    }

    /// Writes, for each width and class, the sum of the kernels around the class's rows.
    #[inline(always)]
    fn add_up<S: Simd>(
        &self,
        simd: S,
        roots: &[[Lanes; QUERIES]],
        count: usize,
        from: usize,
        tables: &mut [Vec<f32>],
    ) {
        let zero = f32x8::splat(simd, 0.0);
        let mut vectors = self.vectors.chunks_exact(self.classes + 1);
        for &(label, eights) in &self.groups {
            let mut sums = [[zero; QUERIES]; WIDTHS];
            for vectors in vectors.by_ref().take(eights) {
                let mut likeness = [zero; QUERIES];
                for (roots, vector) in roots.iter().zip(&vectors[1..]) {
                    let vector = f32x8::load_array_ref(simd, vector);
                    for query in 0..QUERIES {
                        likeness[query] += vector * f32x8::load_array_ref(simd, &roots[query]);
                    }
                }
                let weight = f32x8::load_array_ref(simd, &vectors[0]);
                let mut squared = 0;
                for width in 0..WIDTHS {
                    let least = f32x8::splat(simd, LEAST[width]);
                    likeness.iter_mut().for_each(|likeness| *likeness = likeness.max(least));
                    while squared < SQUARINGS[width] {
                        likeness.iter_mut().for_each(|likeness| *likeness *= *likeness);
                        squared += 1;
                    }
                    for query in 0..QUERIES {
                        sums[width][query] += likeness[query] * weight;
                    }
                }
            }
            for (sums, table) in sums.into_iter().zip(&mut *tables) {
                for (query, sum) in sums.into_iter().enumerate().take(count) {
                    table[(from + query) * self.classes + label as usize] = sum.reduce_sum();
                }
            }
        }
    }
}
