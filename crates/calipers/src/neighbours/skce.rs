//! The squared kernel calibration error.

use rand::RngExt;

use super::line::Line;
use super::listed::{Listed, Quadratic, Tunable};
use super::low_rank::LowRank;
use super::pairs::sum_over_pairs;
use super::rule::{Chance, Found, Outcome, Rule};
use crate::data::{Predictions, categorical};
use crate::error::Result;
use crate::estimate::score_test::{LANES, bernoulli};
use crate::params::{Parameter, Params};

/// The mean over pairs of rows of exp(−‖f_i − f_j‖₂/ν) (e_i − f_i)·(e_j − f_j), where e is the label
/// as a unit vector: an unbiased estimate of a squared error, which may be negative.
///
/// 0 in expectation exactly if f is calibrated, but in units of the kernel, not of probability.
/// Two classes: the scalar, exp(−|f_i − f_j|/ν) (y_i − f_i)(y_j − f_j). The p-value is the share of
/// drawings of the labels from f whose statistic is no smaller, exact for any n. For the
/// whole vector the test's kernel is the nearest one of rank 64 at most, of which the drawings are
/// cheap. Default: ν = 1. Cost: a sort for two classes, else n²k; and n or 64n for a drawing.
///
/// ## Reference
/// Widmann, Lindsten and Zachariah, *Calibration tests in multi-class classification: a unifying
/// framework*, 2019; their test bounds or approximates what drawing labels gives exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skce {
    bandwidth: f64,
}

/// The rank of the test's kernel.
const RANK: usize = 64;

impl Listed for Skce {
    const NAME: &'static str = "skce";
    const ABOUT: &'static str = "squared kernel calibration error, with its test (Widmann et al.)";
    const VECTORS: bool = true;
    const QUADRATIC: Quadratic = Quadratic::Vectors;
}

impl Tunable for Skce {
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("bandwidth", "1", "the kernel's width")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bandwidth: params.number("bandwidth", 1e-6..=1e6)? })
    }
}

impl Rule for Skce {
    fn on_line(&self, line: &Line, chance: &Chance) -> Outcome {
        let rows = line.rows();
        if rows < 2 {
            return Err(TOO_FEW.to_owned());
        }
        let near: Vec<f64> = std::iter::once(0.0)
            .chain(line.f.windows(2).map(|pair| ((pair[0] - pair[1]) / self.bandwidth).exp()))
            .collect();
        let observed = sum_of_pairs(&near, |row| [line.y[row] - line.f[row]])[0];
        let found = Found::new(2.0 * observed / pairs(rows));
        Ok(found.maybe_tested(chance.p_value(observed, |group, draws| {
            sum_of_pairs(&near, |row| {
                let labels = bernoulli(draws, line.f[row]);
                let f = line.f[row];
                std::array::from_fn::<f64, LANES, _>(|lane| (labels >> lane & 1) as f64 - f)
            })[..group]
                .to_vec()
        })))
    }

    fn on_vectors(&self, predictions: &Predictions<'_>, chance: &Chance) -> Outcome {
        let rows = predictions.rows();
        if rows < 2 {
            return Err(TOO_FEW.to_owned());
        }
        let table = Table::new(predictions);
        let total = sum_over_pairs(predictions, self.bandwidth);
        let test = VectorTest::new(predictions, &table, self.bandwidth, chance.draws > 0);
        let labels: Vec<usize> = predictions.labels().iter().map(|&label| label as usize).collect();
        let observed = test.statistic(&labels);
        let p_value = chance.p_value(observed, |group, draws| {
            let mut labels = vec![0; rows];
            (0..group)
                .map(|_| {
                    for (row, label) in labels.iter_mut().enumerate() {
                        *label = categorical(table.row(row), draws.random());
                    }
                    test.statistic(&labels)
                })
                .collect()
        });
        Ok(Found::new(2.0 * total / pairs(rows)).maybe_tested(p_value))
    }

    fn power(&self) -> Option<f64> {
        Some(1.0)
    }
}

const TOO_FEW: &str = "one row makes no pair";

fn pairs(rows: usize) -> f64 {
    rows as f64 * (rows as f64 - 1.0)
}

/// Σ_{i<j} exp(−|f_i − f_j|/ν) r_i r_j for several residuals r of each row at once. `near` is the kernel
/// between each row and the one before; along a line the kernel of a pair is the product of those
/// between them, so one pass does.
fn sum_of_pairs<const N: usize>(
    near: &[f64],
    mut residuals: impl FnMut(usize) -> [f64; N],
) -> [f64; N] {
    let (mut carried, mut sums) = ([0.0; N], [0.0; N]);
    for (row, &near) in near.iter().enumerate() {
        let r = residuals(row);
        for lane in 0..N {
            let before = carried[lane] * near;
            sums[lane] += r[lane] * before;
            carried[lane] = before + r[lane];
        }
    }
    sums
}

/// f, row after row.
struct Table {
    rows: usize,
    classes: usize,
    cells: Vec<f64>,
}

impl Table {
    fn new(predictions: &Predictions<'_>) -> Self {
        let (rows, classes) = (predictions.rows(), predictions.classes());
        let mut cells = vec![0.0; rows * classes];
        for (number, row) in cells.chunks_exact_mut(classes).enumerate() {
            predictions.held().read(number, row);
        }
        Self { rows, classes, cells }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.classes..(row + 1) * self.classes]
    }

    /// exp(−‖f_i − f_j‖₂/ν).
    fn kernel(&self, i: usize, j: usize, bandwidth: f64) -> f64 {
        let pairs = self.row(i).iter().zip(self.row(j));
        let squared: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        (-squared.sqrt() / bandwidth).exp()
    }
}

/// The test's statistic for any labels.
struct VectorTest<'a> {
    table: &'a Table,
    factor: LowRank,
    /// Zᵀf, class after class.
    predicted: Vec<f64>,
    /// The kernel's diagonal.
    own: Vec<f64>,
    /// ‖f‖² of every row.
    squares: Vec<f64>,
}

impl<'a> VectorTest<'a> {
    fn new(predictions: &Predictions<'_>, table: &'a Table, bandwidth: f64, wanted: bool) -> Self {
        let rank = if wanted { RANK } else { 1 };
        let factor = LowRank::of(predictions.rows(), rank, |i, j| table.kernel(i, j, bandwidth));
        let rank = factor.rank;
        let mut predicted = vec![0.0; table.classes * rank];
        for (row, z) in factor.rows.chunks_exact(rank).enumerate() {
            for (sums, &f) in predicted.chunks_exact_mut(rank).zip(table.row(row)) {
                sums.iter_mut().zip(z).for_each(|(sum, z)| *sum += z * f);
            }
        }
        let own = factor.rows.chunks_exact(rank).map(|z| z.iter().map(|z| z * z).sum()).collect();
        let square = |row: usize| table.row(row).iter().map(|f| f * f).sum();
        let squares = (0..table.rows).map(square).collect();
        Self { table, factor, predicted, own, squares }
    }

    /// Σ_{i≠j} z_i·z_j (e_i − f_i)·(e_j − f_j) = ‖Zᵀ(E − F)‖² − Σ_i ‖z_i‖² ‖e_i − f_i‖².
    fn statistic(&self, labels: &[usize]) -> f64 {
        let rank = self.factor.rank;
        let mut sums: Vec<f64> = self.predicted.iter().map(|sum| -sum).collect();
        let mut diagonal = 0.0;
        for (row, (z, &label)) in self.factor.rows.chunks_exact(rank).zip(labels).enumerate() {
            let of_label = &mut sums[label * rank..(label + 1) * rank];
            of_label.iter_mut().zip(z).for_each(|(sum, z)| *sum += z);
            let f = self.table.row(row)[label];
            diagonal += self.own[row] * (1.0 - 2.0 * f + self.squares[row]);
        }
        sums.iter().map(|sum| sum * sum).sum::<f64>() - diagonal
    }
}
