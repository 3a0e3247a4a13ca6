use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::builtin::{Builtin, Tunable};
use super::{Fitted, Model};
use crate::data::Sample;
use crate::error::Result;
use crate::numeric::random::generator;
use crate::numeric::simplex::{is_point, mix_with_uniform, normalise};
use crate::params::{Parameter, Params};
use crate::run::stop;

const MOST_STEPS: usize = 300;

/// The centres have settled when their squared moves add up to this share of the variance.
const TOLERANCE: f64 = 1e-4;

/// k-means cells of f; g is the label frequency in f's cell. The paper's PartitionWise.
///
/// 15 cells for two classes, 30 for more; fewer if there are fewer distinct predictions. Started
/// by k-means++ from the seed, on the distinct predictions in sorted order, so the order of rows
/// does not matter. 1/(n + 1) of the uniform is mixed in. Cost: n·cells·k a step, 10 to 100 steps.
///
/// ## Reference
/// Arthur and Vassilvitskii, *k-means++: the advantages of careful seeding*, 2007.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Partition {
    cells: Option<usize>,
}

impl Builtin for Partition {
    const NAME: &'static str = "partition";
    const ABOUT: &'static str = "label frequencies in k-means cells of f";
    type Model = Cells;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        let cells = self.cells.unwrap_or(if sample.classes() == 2 { 15 } else { 30 });
        let points = Points::distinct(sample);
        let mut centres = points.spread(cells, seed);
        points.settle(&mut centres);
        Box::new(Cells::count(sample, centres))
    }
}

impl Tunable for Partition {
    const PARAMETERS: &'static [Parameter] = &[Parameter::new(
        "cells",
        "15 or 30",
        "the number of cells; 15 for two classes, 30 for more",
    )];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { cells: params.maybe_whole("cells", 1..=1_000_000)? })
    }
}

/// Distinct predictions in lexicographic order, with their weights.
struct Points<'a> {
    rows: Vec<(&'a [f64], f64)>,
}

impl<'a> Points<'a> {
    fn distinct(sample: &'a Sample) -> Self {
        // The first class's probability is held beside the row, so that few comparisons have to look
        // at rows far apart in memory.
        let first = |row: usize| sample.row(row).first().copied().unwrap_or_default();
        let mut keyed: Vec<(f64, (&[f64], f64))> = (0..sample.rows())
            .map(|row| (first(row), (sample.row(row), sample.weight(row))))
            .collect();
        keyed.sort_unstable_by(|(p, a), (q, b)| {
            p.total_cmp(q).then_with(|| {
                let pairs = a.0.iter().zip(b.0);
                pairs
                    .map(|(a, b)| a.total_cmp(b))
                    .find(|order| order.is_ne())
                    .unwrap_or(a.1.total_cmp(&b.1))
            })
        });
        let mut rows: Vec<(&[f64], f64)> = keyed.into_iter().map(|(_, row)| row).collect();
        rows.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        Self { rows }
    }

    /// k-means++: each centre is drawn with a probability proportional to weight times squared
    /// distance from the centres so far.
    fn spread(&self, cells: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut draws = generator(seed, 0);
        let mut chances: Vec<f64> = self.rows.iter().map(|row| row.1).collect();
        let mut centres: Vec<Vec<f64>> = Vec::with_capacity(cells);
        while centres.len() < cells && !stop::requested() {
            let total: f64 = chances.iter().sum();
            if total <= 0.0 {
                break;
            }
            let mut left = draws.random::<f64>() * total;
            let drawn = chances.iter().position(|&chance| {
                left -= chance;
                chance > 0.0 && left <= 0.0
            });
            let fallback = || chances.iter().rposition(|&chance| chance > 0.0);
            let Some(drawn) = drawn.or_else(fallback) else { break };
            let centre = self.rows[drawn].0.to_vec();
            for (chance, (row, weight)) in chances.iter_mut().zip(&self.rows) {
                let now = weight * squared_distance(row, &centre);
                *chance = if centres.is_empty() { now } else { chance.min(now) };
            }
            centres.push(centre);
        }
        centres
    }

    /// Lloyd's steps: each centre moves to the mean of its rows until none moves much.
    fn settle(&self, centres: &mut [Vec<f64>]) {
        let tolerance = TOLERANCE * self.variance();
        let width = self.rows.first().map_or(0, |row| row.0.len());
        for _ in 0..MOST_STEPS {
            let mut sums = vec![(0.0, vec![0.0; width]); centres.len()];
            for (number, (row, weight)) in self.rows.iter().enumerate() {
                if stop::requested_at(number) {
                    return;
                }
                let (mass, sum) = &mut sums[nearest(centres, row)];
                *mass += weight;
                sum.iter_mut().zip(*row).for_each(|(sum, value)| *sum += weight * value);
            }
            let mut moved = 0.0;
            for (centre, (mass, sum)) in centres.iter_mut().zip(sums) {
                if mass > 0.0 {
                    // The mean of ones that are weighted may round to more than 1.
                    let mean: Vec<f64> = sum.into_iter().map(|sum| (sum / mass).min(1.0)).collect();
                    moved += squared_distance(centre, &mean);
                    *centre = mean;
                }
            }
            if moved <= tolerance {
                break;
            }
        }
    }

    /// The mean over columns of the predictions' variance.
    fn variance(&self) -> f64 {
        let total: f64 = self.rows.iter().map(|row| row.1).sum();
        let width = self.rows.first().map_or(0, |row| row.0.len());
        let column = |column: usize| {
            let mean = self.rows.iter().map(|(row, w)| w * row[column]).sum::<f64>() / total;
            self.rows.iter().map(|(row, w)| w * (row[column] - mean).powi(2)).sum::<f64>() / total
        };
        let columns = (0..width).take_while(|_| !stop::requested());
        columns.map(column).sum::<f64>() / width.max(1) as f64
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The nearest centre, the first of several.
fn nearest(centres: &[Vec<f64>], row: &[f64]) -> usize {
    let mut best = (0, f64::INFINITY);
    for (number, centre) in centres.iter().enumerate() {
        let distance = squared_distance(centre, row);
        if distance < best.1 {
            best = (number, distance);
        }
    }
    best.0
}

/// Cells with their label frequencies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cells {
    centres: Vec<Vec<f64>>,
    frequencies: Vec<Vec<f64>>,
}

impl Cells {
    /// Counts labels in the cells around the centres, and drops cells without rows.
    fn count(sample: &Sample, centres: Vec<Vec<f64>>) -> Self {
        let mut counts = vec![vec![0.0; sample.classes()]; centres.len()];
        for (row, &label) in sample.labels().iter().enumerate() {
            if stop::requested_at(row) {
                break;
            }
            counts[nearest(&centres, sample.row(row))][label as usize] += sample.weight(row);
        }
        let occupied = centres.into_iter().zip(counts);
        let (centres, mut frequencies): (Vec<_>, Vec<_>) =
            occupied.filter(|(_, counts)| counts.iter().any(|&count| count > 0.0)).unzip();
        for frequencies in &mut frequencies {
            normalise(frequencies);
            mix_with_uniform(frequencies, sample.effective_rows());
        }
        Self { centres, frequencies }
    }
}

impl Model for Cells {
    const NAME: &'static str = "partition";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&self.frequencies[nearest(&self.centres, f)]);
    }

    fn classes(&self) -> Option<usize> {
        self.frequencies.first().map(Vec::len)
    }

    fn is_sound(&self) -> bool {
        let classes = self.frequencies.first().map_or(0, Vec::len);
        classes >= 2
            && self.centres.len() == self.frequencies.len()
            && self.frequencies.iter().all(|row| row.len() == classes && is_point(row))
            && self.centres.iter().all(|row| {
                row.len() == classes && row.iter().all(|value| (0.0..=1.0).contains(value))
            })
    }
}
