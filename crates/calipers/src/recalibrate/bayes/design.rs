//! What a model knows of a cell: smooth functions of its prediction.

use super::cells::Cell;
use crate::numeric::simd::{WIDE, padded};
use crate::numeric::simplex::FLOOR;

/// Knots of a spline, evenly spread over [0, 1]; and of one that many rows can afford.
pub(super) const KNOTS: usize = 20;
pub(super) const MANY_KNOTS: usize = 60;

/// The least standard deviation by which u is measured: predictions that hardly differ do not tell
/// slopes apart.
const LEAST_DEVIATION: f64 = 0.3;

/// The number of coefficients that every model but the identity has: of 1, u and (u² − 1)/2.
pub(super) const POLYNOMIAL: usize = 3;

/// logit f, as far as single precision can tell probabilities from 0.
pub(super) fn logit(probability: f64) -> f64 {
    let least = f64::from(f32::MIN_POSITIVE);
    probability.max(least).ln() - (1.0 - probability).max(least).ln()
}

/// The part of logit f that is trusted: beyond the floor under f, no sample shows a difference.
pub(super) fn trusted(logit: f64) -> f64 {
    let most = -FLOOR.ln();
    logit.clamp(-most, most)
}

/// The features of each cell, filled up with zeros to whole vectors both ways.
#[derive(Debug, Clone)]
pub(super) struct Design {
    /// How many features there are.
    pub features: usize,
    /// How many cells, with those that only fill up.
    pub cells: usize,
    /// The features, cell after cell, in rows of [`Design::stride`].
    pub rows: Vec<f64>,
    /// The same, feature after feature.
    pub columns: Vec<f64>,
}

impl Design {
    /// The length of a row.
    pub fn stride(&self) -> usize {
        padded(self.features)
    }

    /// 1, u and (u² − 1)/2.
    pub fn polynomial(cells: &[Cell]) -> Self {
        Self::new(polynomial(cells))
    }

    /// The same, and a spline in the rank of a cell's prediction, with so many knots.
    pub fn rank_spline(cells: &[Cell], knots: usize) -> Self {
        let total: f64 = cells.iter().map(|cell| cell.mass).sum();
        let mut before = 0.0;
        let ranks = cells.iter().map(|cell| {
            let rank = (before + 0.5 * cell.mass) / total;
            before += cell.mass;
            rank
        });
        Self::spline(cells, &ranks.collect::<Vec<_>>(), knots)
    }

    /// The same, and a spline in asinh(z/2), from the least z to the largest.
    pub fn logit_spline(cells: &[Cell]) -> Self {
        let place = |cell: &Cell| (logit(cell.prediction) / 2.0).asinh();
        let first = cells.first().map_or(0.0, place);
        let range = cells.last().map_or(0.0, place) - first;
        let at = |cell| if range > 0.0 { (place(cell) - first) / range } else { 0.5 };
        Self::spline(cells, &cells.iter().map(at).collect::<Vec<_>>(), KNOTS)
    }

    fn spline(cells: &[Cell], places: &[f64], knots: usize) -> Self {
        let mut columns = polynomial(cells);
        columns.extend(bends(places, knots));
        Self::new(columns)
    }

    fn new(mut columns: Vec<Vec<f64>>) -> Self {
        let (features, count) = (columns.len(), columns[0].len());
        let (cells, stride) = (count.next_multiple_of(WIDE), padded(features));
        let mut rows = vec![0.0; cells * stride];
        for (feature, column) in columns.iter_mut().enumerate() {
            for (row, value) in rows.chunks_exact_mut(stride).zip(column.iter()) {
                row[feature] = *value;
            }
            column.resize(cells, 0.0);
        }
        Self { features, cells, rows, columns: columns.concat() }
    }
}

fn polynomial(cells: &[Cell]) -> Vec<Vec<f64>> {
    let z: Vec<f64> = cells.iter().map(|cell| trusted(logit(cell.prediction))).collect();
    let total: f64 = cells.iter().map(|cell| cell.mass).sum();
    let mean = z.iter().zip(cells).map(|(z, cell)| z * cell.mass).sum::<f64>() / total;
    let squares = z.iter().zip(cells).map(|(z, cell)| (z - mean).powi(2) * cell.mass);
    let deviation = (squares.sum::<f64>() / total).sqrt().max(LEAST_DEVIATION);
    let u: Vec<f64> = z.iter().map(|z| (z - mean) / deviation).collect();
    let curved = u.iter().map(|u| 0.5 * (u * u - 1.0)).collect();
    vec![vec![1.0; z.len()], u, curved]
}

/// The columns of a piecewise linear spline: one a knot where it can bend.
///
/// With independent standard normal coefficients the second differences at the knots are independent
/// and normal, which is the prior of a second-difference penalty. Each column bends at its knot
/// alone, and has lost the straight line through it, which is the polynomial's to tell. All are
/// scaled so that the spline's variance is 1 on average over the cells.
pub(super) fn bends(places: &[f64], knots: usize) -> Vec<Vec<f64>> {
    let last = (knots - 1) as f64;
    let mut columns: Vec<Vec<f64>> = (1..knots - 1)
        .map(|knot| {
            let bend = |at: f64| (at - knot as f64).max(0.0);
            let (level, slope) = line(bend, knots);
            let column = places.iter().map(|place| {
                let at = place * last;
                bend(at) - level - slope * (at - 0.5 * last)
            });
            column.collect()
        })
        .collect();
    let squares: f64 = columns.iter().flatten().map(|value| value * value).sum();
    let scale = (places.len() as f64 / squares).sqrt();
    columns.iter_mut().flatten().for_each(|value| *value *= scale);
    columns
}

/// The straight line closest to a function at the knots 0, 1, …: its level at their middle and its
/// slope.
fn line(function: impl Fn(f64) -> f64, knots: usize) -> (f64, f64) {
    let middle = 0.5 * (knots - 1) as f64;
    let (mut sum, mut moment, mut inertia) = (0.0, 0.0, 0.0);
    for knot in 0..knots {
        let (at, arm) = (knot as f64, knot as f64 - middle);
        sum += function(at);
        moment += arm * function(at);
        inertia += arm * arm;
    }
    (sum / knots as f64, moment / inertia)
}
