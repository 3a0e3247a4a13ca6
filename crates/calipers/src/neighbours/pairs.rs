//! Sums over all pairs of rows of whole vectors.

use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};
use rayon::prelude::*;

use crate::data::Predictions;
use crate::numeric::simd::{WIDE, exp};
use crate::run::stop;

/// Rows that are held against eight others at once.
const HELD: usize = 4;

/// Σ_{i<j} exp(−‖f_i − f_j‖₂/ν) (e_i − f_i)·(e_j − f_j), where e is the label as a unit vector.
///
/// Both factors follow from f_i·f_j: the distance is ‖f_i‖² + ‖f_j‖² − 2 f_i·f_j, the product
/// [y_i = y_j] − f_i(y_j) − f_j(y_i) + f_i·f_j. So a pair costs k multiplications, a root and an
/// exponential. The distance of rows that are nearly equal is good to 1e-8 that way.
pub(super) fn sum_over_pairs(predictions: &Predictions<'_>, bandwidth: f64) -> f64 {
    let layout = Layout::new(predictions);
    let level = Level::new();
    let scale = -1.0 / bandwidth;
    let sums: Vec<f64> = (0..layout.places() / WIDE)
        .into_par_iter()
        .map(|block| {
            if stop::requested() {
                return 0.0;
            }
            let first = block * WIDE;
            let apart = dispatch!(level, simd => {
                layout.with_later(simd, first, scale) + layout.with_later(simd, first + HELD, scale)
            });
            layout.within(first, scale) + apart
        })
        .collect();
    sums.iter().sum()
}

/// The rows, label by label, those of each label filled up to whole vectors with rows that count for
/// nothing: so every vector of rows has one label.
struct Layout {
    classes: usize,
    /// f, class after class.
    columns: Vec<f64>,
    labels: Vec<usize>,
    /// ‖f‖².
    squares: Vec<f64>,
    /// 1 for a row, 0 for a filling.
    counts: Vec<f64>,
}

impl Layout {
    fn new(predictions: &Predictions<'_>) -> Self {
        let classes = predictions.classes();
        let mut of_label: Vec<Vec<usize>> = vec![Vec::new(); classes];
        for (row, &label) in predictions.labels().iter().enumerate() {
            of_label[label as usize].push(row);
        }
        let places: usize = of_label.iter().map(|rows| rows.len().next_multiple_of(WIDE)).sum();
        let mut layout = Self {
            classes,
            columns: vec![0.0; places * classes],
            labels: vec![0; places],
            squares: vec![0.0; places],
            counts: vec![0.0; places],
        };
        let mut start = 0;
        for (label, rows) in of_label.iter().enumerate() {
            let end = start + rows.len().next_multiple_of(WIDE);
            layout.labels[start..end].fill(label);
            for (place, &row) in (start..).zip(rows) {
                layout.counts[place] = 1.0;
                for class in 0..classes {
                    let f = predictions.held().at(row, class);
                    layout.columns[class * places + place] = f;
                    layout.squares[place] += f * f;
                }
            }
            start = end;
        }
        layout
    }

    fn places(&self) -> usize {
        self.labels.len()
    }

    fn f(&self, place: usize, class: usize) -> f64 {
        self.columns[class * self.places() + place]
    }

    /// The pairs within a vector of rows.
    fn within(&self, first: usize, scale: f64) -> f64 {
        let mut total = 0.0;
        for i in first..first + WIDE {
            for j in i + 1..first + WIDE {
                let classes = 0..self.classes;
                let apart = classes.clone().map(|c| (self.f(i, c) - self.f(j, c)).powi(2));
                let dot: f64 = classes.map(|c| self.f(i, c) * self.f(j, c)).sum();
                // Both have the vector's label.
                let label = self.labels[i];
                let product = 1.0 - self.f(i, label) - self.f(j, label) + dot;
                let kernel = (apart.sum::<f64>().sqrt() * scale).exp();
                total += self.counts[i] * self.counts[j] * kernel * product;
            }
        }
        total
    }

    /// The pairs of a few rows of a vector with the rows of all vectors after it.
    #[inline(always)]
    fn with_later<S: Simd>(&self, simd: S, held: usize, scale: f64) -> f64 {
        let places = self.places();
        let load = |from: &[f64], place: usize| f64x8::from_slice(simd, &from[place..place + WIDE]);
        let mut totals = [f64x8::splat(simd, 0.0); HELD];
        for place in ((held / WIDE + 1) * WIDE..places).step_by(WIDE) {
            let mut dots = [f64x8::splat(simd, 0.0); HELD];
            for column in self.columns.chunks_exact(places) {
                let theirs = load(column, place);
                for (dot, &own) in dots.iter_mut().zip(&column[held..held + HELD]) {
                    *dot += theirs * own;
                }
            }
            let (squares, counts) = (load(&self.squares, place), load(&self.counts, place));
            let label = self.labels[place];
            for (number, dot) in dots.into_iter().enumerate() {
                let i = held + number;
                let of_own_label = load(&self.columns[self.labels[i] * places..], place);
                let same = if self.labels[i] == label { 1.0 } else { 0.0 };
                let product = dot - of_own_label + (same - self.f(i, label));
                let squared = (squares - dot * 2.0 + self.squares[i]).max(0.0);
                totals[number] += exp(simd, squared.sqrt() * scale) * product * counts;
            }
        }
        let sums = totals.into_iter().zip(&self.counts[held..held + HELD]);
        sums.map(|(total, count)| total.to_array().iter().sum::<f64>() * count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;

    /// Against the definition, pair by pair, for numbers of rows that fill vectors or do not.
    #[test]
    fn every_pair_is_counted_once() {
        for (setting, rows) in
            [("multiclass-overconfident-3", 61), ("multiclass-calibrated-10", 150)]
        {
            let predictions = simulate(setting, rows, 4).unwrap();
            let (f, labels) = (predictions.probs(), predictions.labels());
            let residual = |row: usize| {
                let mut residual = f.row(row).mapv(|f| -f);
                residual[labels[row] as usize] += 1.0;
                residual
            };
            let mut expected = 0.0;
            for i in 0..rows {
                for j in i + 1..rows {
                    let apart = (&f.row(i) - &f.row(j)).mapv(|d| d * d).sum().sqrt();
                    expected += (-apart / 0.3).exp() * residual(i).dot(&residual(j));
                }
            }
            let found = sum_over_pairs(&predictions, 0.3);
            assert!((found - expected).abs() < 1e-10 * rows as f64, "{found} {expected}");
        }
    }
}
