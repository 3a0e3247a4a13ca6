//! The p-value of "this model is calibrated", by Monte Carlo.
//!
//! Given f, calibration says all there is to say about the labels: each is a draw from its row's f. So
//! labels are drawn from f, again and again, and the p-value is the share of drawings whose statistic
//! is at least that of the labels observed: exact for any statistic, at any n, with any weights.
//!
//! The statistic needs no fit. It is a score test: which multiples of simple functions φ of f are
//! the residuals r = Y − f correlated with? For each class c, U_c = Σ w φ(f_c) r_c with its
//! covariance I_c under calibration, and T = Σ_c U_cᵀ I_c⁻¹ U_c. Two classes: φ = (1, z, z²),
//! z = logit f, for one class. More: φ = (1, z), z = ln f_c, for each, and once more for all classes
//! together, u = Σ w z·r, which is what a wrong temperature moves. From 5,000 rows of two classes on,
//! errors of any shape count as well: residuals in [`cells`] of like predictions.

mod bernoulli;
mod cells;
mod refit;

use rand::RngExt;
use rayon::prelude::*;

use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::Problem;
use crate::loss::Scope;
use crate::numeric::random::derive_seed;
use crate::numeric::random::generator;
use crate::numeric::simplex::{FLOOR, argmax, floored_ln};
use crate::numeric::solve::Cholesky;
use crate::recalibrate::Recalibrator;
use crate::run::stop;
use cells::Cells;
use refit::refit_p_value;

pub(crate) use bernoulli::bernoulli;

/// Labels drawn together, one a bit of a word.
pub(crate) const LANES: usize = 64;

/// How much the term of all classes together counts, in units of the classes' terms: enough to be
/// seen among the noise of all of them.
const TOGETHER: f64 = 2.0;

/// From so many classes on a label is looked up among the sums of probabilities; with fewer it is faster to
/// decide class by class, for all drawings together.
const MANY: usize = 64;

/// Where a test of calibration looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Test {
    /// At the residuals' correlation with simple functions of the prediction: a shift, a wrong
    /// temperature, a bend. No fit is needed.
    #[default]
    Score,
    /// Where the recalibrator does: it is fitted to every drawing of labels, so there are as many fits
    /// as drawings.
    Refit,
}

/// The p-values of an estimate's problems, each computed once.
///
/// Metrics of the whole vector and of single classes share the whole vector's: what a calibrated
/// class leaves open, how the classes depend on each other, only a calibrated vector settles.
pub(crate) struct PValues<'a> {
    test: Test,
    recalibrator: &'a dyn Recalibrator,
    draws: Option<usize>,
    seed: u64,
    whole: Option<Tested>,
    top: Option<Tested>,
}

/// What came of a test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    pub p_value: f64,
    /// How often labels were drawn.
    pub draws: usize,
}

impl<'a> PValues<'a> {
    /// None yet.
    pub fn new(
        test: Test,
        recalibrator: &'a dyn Recalibrator,
        draws: Option<usize>,
        seed: u64,
    ) -> Self {
        let seed = derive_seed(seed, &[DRAWS]);
        Self { test, recalibrator, draws, seed, whole: None, top: None }
    }

    /// Takes the chance to test a problem that has been set up for a fit.
    pub fn see(&mut self, scope: Scope, problem: &Problem<'_>) -> Result<()> {
        let known = match scope {
            Scope::Canonical => &mut self.whole,
            Scope::Top => &mut self.top,
            Scope::Classwise => return Ok(()),
        };
        let automatic = || match self.test {
            Test::Score => automatic_draws(problem.rows(), problem.classes()),
            Test::Refit => REFITS,
        };
        let draws = self.draws.unwrap_or_else(automatic);
        if known.is_none() && draws > 0 {
            let p_value = match self.test {
                Test::Score => p_value(problem, draws, self.seed),
                Test::Refit => refit_p_value(problem, self.recalibrator, draws, self.seed)?,
            };
            *known = Some(Tested { p_value, draws });
        }
        stop::check()
    }

    /// The p-value for a scope.
    pub fn of(&mut self, scope: Scope, predictions: &Predictions<'_>) -> Result<Option<Tested>> {
        if scope == Scope::Top {
            return Ok(self.top);
        }
        if self.whole.is_none() && self.draws != Some(0) {
            let problem = Problem::new(predictions, Scope::Canonical, 0);
            self.see(Scope::Canonical, &problem)?;
        }
        Ok(self.whole)
    }
}

/// Drawings by default where each needs a fit.
const REFITS: usize = 99;

/// The place of the drawings among everything that is seeded.
const DRAWS: u64 = 1 << 40;

/// How many drawings there are by default: 999, and fewer, but not below 199, where rows × classes
/// make 999 slow.
pub(crate) fn automatic_draws(rows: usize, classes: usize) -> usize {
    (400_000_000 / (rows * classes).max(1)).clamp(199, 999)
}

/// (1 + the number of drawings whose statistic is no smaller) / (1 + the number of drawings).
pub(crate) fn p_value(problem: &Problem<'_>, draws: usize, seed: u64) -> f64 {
    let statistic = Statistic::new(problem);
    let observed = statistic.observed(problem);
    let groups = draws.div_ceil(LANES);
    let reached: usize = (0..groups)
        .into_par_iter()
        .map(|group| {
            let lanes = LANES.min(draws - group * LANES);
            let drawn = statistic.drawn(problem, seed, group as u64);
            // The last bits of sums over rows in another order must not decide.
            drawn[..lanes].iter().filter(|&&t| t >= observed * (1.0 - 1e-9)).count()
        })
        .sum();
    (1 + reached) as f64 / (1 + draws) as f64
}

/// What is the same for all drawings.
struct Statistic {
    classes: usize,
    /// The number of functions φ.
    functions: usize,
    /// Two classes: z of every row, with a mean of 0 and a standard deviation of 1, so that powers of it
    /// are of order 1. A logarithm a row is dear where it is needed for every drawing.
    z: Vec<f64>,
    /// Σ w φ(f_c) f_c for each class with statistics.
    expected: Vec<f64>,
    /// The Cholesky factors of I_c; none for a class that no row gives a probability.
    information: Vec<Option<Cholesky>>,
    /// The variance of the term of all classes together.
    together: f64,
    /// Two classes: cells of rows, if these are many.
    cells: Option<Cells>,
}

impl Statistic {
    fn new(problem: &Problem<'_>) -> Self {
        let classes = problem.classes();
        let two = classes == 2;
        let (functions, followed) = if two { (3, 1) } else { (2, classes) };
        let z = if two { standardised(problem) } else { Vec::new() };
        let mut statistic = Self {
            classes,
            functions,
            cells: Cells::divide(&z),
            z,
            expected: vec![0.0; functions * followed],
            information: Vec::new(),
            together: 0.0,
        };
        let mut buffer = vec![0.0; classes];
        let mut information = vec![0.0; functions * functions * followed];
        let mut phi = [0.0; 3];
        for row in 0..problem.rows() {
            if stop::requested_at(row) {
                break;
            }
            let (weight, f) = (problem.weight(row), problem.prediction(row, &mut buffer));
            let squared = weight * weight;
            let (mut mean, mut square) = (0.0, 0.0);
            if let Some(cells) = &mut statistic.cells {
                cells.expect(row, weight, f[1]);
            }
            for place in 0..followed {
                let p = f[statistic.class(place)];
                statistic.functions(row, p, &mut phi);
                for (i, one) in phi[..functions].iter().enumerate() {
                    statistic.expected[place * functions + i] += weight * one * p;
                    for (j, other) in phi[..functions].iter().enumerate() {
                        information[(place * functions + i) * functions + j] +=
                            squared * p * (1.0 - p) * one * other;
                    }
                }
                mean += p * phi[1];
                square += p * phi[1] * phi[1];
            }
            statistic.together += squared * (square - mean * mean).max(0.0);
        }
        let blocks = information.chunks_exact(functions * functions);
        statistic.information =
            blocks.map(|block| Cholesky::with_ridge(block, functions)).collect();
        statistic
    }

    /// The class of a place in the sums.
    fn class(&self, place: usize) -> usize {
        if self.classes == 2 { 1 } else { place }
    }

    /// φ of a class's probability in a row.
    #[inline]
    fn functions(&self, row: usize, p: f64, phi: &mut [f64; 3]) {
        *phi = if self.classes == 2 {
            let z = self.z[row];
            [1.0, z, z * z]
        } else {
            [1.0, floored_ln(p), 0.0]
        };
    }

    /// How many sums there are: of the functions, and of the cells behind them.
    fn width(&self) -> usize {
        self.expected.len() + self.cells.as_ref().map_or(0, Cells::count)
    }

    /// T from Σ w φ(f_Y) over the labels, and from the labels' weights in each cell.
    fn value(&self, sums: &[f64]) -> f64 {
        let (sums, in_cells) = sums.split_at(self.expected.len());
        let mut total = 0.0;
        let mut together = 0.0;
        let mut residual = [0.0; 3];
        let places =
            sums.chunks_exact(self.functions).zip(self.expected.chunks_exact(self.functions));
        for ((sums, expected), information) in places.zip(&self.information) {
            for (residual, (sum, expected)) in residual.iter_mut().zip(sums.iter().zip(expected)) {
                *residual = sum - expected;
            }
            together += residual[1];
            if let Some(information) = information {
                let mut right = residual;
                information.solve_lower(&mut right[..self.functions]);
                total += right[..self.functions].iter().map(|x| x * x).sum::<f64>();
            }
        }
        if self.classes > 2 && self.together > 0.0 {
            let share = TOGETHER * (self.classes as f64).sqrt();
            total += share * together * together / self.together;
        }
        match &self.cells {
            Some(cells) => total.max(cells.value(in_cells, self.functions as f64)),
            None => total,
        }
    }

    /// T of the observed labels; infinite if one of them was impossible.
    fn observed(&self, problem: &Problem<'_>) -> f64 {
        let mut sums = vec![0.0; self.width()];
        let mut buffer = vec![0.0; self.classes];
        let mut phi = [0.0; 3];
        for row in 0..problem.rows() {
            let (weight, label) = (problem.weight(row), problem.label(row));
            let p = problem.prediction(row, &mut buffer)[label];
            if p <= 0.0 && weight > 0.0 {
                return f64::INFINITY;
            }
            if self.classes == 2 && label == 0 {
                continue;
            }
            self.functions(row, p, &mut phi);
            let place = if self.classes == 2 { 0 } else { label };
            self.add(&mut sums, place, weight, &phi);
            if let Some(cells) = &self.cells {
                sums[self.expected.len() + cells.of(row)] += weight;
            }
        }
        self.value(&sums)
    }

    #[inline]
    fn add(&self, sums: &mut [f64], place: usize, weight: f64, phi: &[f64; 3]) {
        let sums = &mut sums[place * self.functions..(place + 1) * self.functions];
        sums.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += weight * phi);
    }

    /// T of 64 sets of labels drawn from f.
    fn drawn(&self, problem: &Problem<'_>, seed: u64, group: u64) -> [f64; LANES] {
        let mut draws = generator(seed, group);
        let (functions, width) = (self.expected.len(), self.width());
        // What every lane would have if each row drew its most probable class, and each lane's
        // departure from that.
        let mut common = vec![0.0; width];
        let mut lanes = vec![0.0; LANES * width];
        let mut buffer = vec![0.0; self.classes];
        let mut sums_so_far = Vec::with_capacity(self.classes);
        let (mut phi, mut usual) = ([0.0; 3], [0.0; 3]);
        for row in 0..problem.rows() {
            if stop::requested_at(row) {
                break;
            }
            let weight = problem.weight(row);
            if weight <= 0.0 {
                continue;
            }
            let f = problem.prediction(row, &mut buffer);
            if self.classes == 2 {
                self.functions(row, f[1], &mut phi);
                let likely = f[1] > 0.5;
                let cell = self.cells.as_ref().map(|cells| functions + cells.of(row));
                if likely {
                    self.add(&mut common, 0, weight, &phi);
                    cell.into_iter().for_each(|cell| common[cell] += weight);
                }
                let other = bernoulli(&mut draws, if likely { f[0] } else { f[1] });
                let step = if likely { -weight } else { weight };
                each_bit(other, |lane| {
                    let lane = &mut lanes[lane * width..(lane + 1) * width];
                    lane.iter_mut().zip(&phi).for_each(|(sum, phi)| *sum += step * phi);
                    cell.into_iter().for_each(|cell| lane[cell] += step);
                });
                continue;
            }
            let top = argmax(f);
            self.functions(row, f[top], &mut usual);
            self.add(&mut common, top, weight, &usual);
            if self.classes >= MANY {
                let mut total = 0.0;
                sums_so_far.clear();
                sums_so_far.extend(f.iter().map(|p| {
                    total += p;
                    total
                }));
                for lane in lanes.chunks_exact_mut(width) {
                    let at = draws.random::<f64>() * total;
                    let class = sums_so_far.partition_point(|sum| *sum <= at);
                    if class != top && class < self.classes {
                        self.functions(row, f[class], &mut phi);
                        self.add(lane, class, weight, &phi);
                        self.add(lane, top, -weight, &usual);
                    }
                }
                continue;
            }
            let mut undecided = !bernoulli(&mut draws, f[top]);
            let mut rest = 1.0 - f[top];
            for (class, &p) in f.iter().enumerate().filter(|(class, p)| *class != top && **p > 0.0)
            {
                if undecided == 0 {
                    break;
                }
                let here = undecided & bernoulli(&mut draws, p / rest);
                if here != 0 {
                    self.functions(row, p, &mut phi);
                    each_bit(here, |lane| {
                        let lane = &mut lanes[lane * width..(lane + 1) * width];
                        self.add(lane, class, weight, &phi);
                        self.add(lane, top, -weight, &usual);
                    });
                }
                undecided &= !here;
                rest -= p;
            }
            // Lanes that rounding has left undecided stay with the most probable class.
        }
        std::array::from_fn(|lane| {
            let own = lanes[lane * width..(lane + 1) * width].iter();
            let sums: Vec<f64> = own.zip(&common).map(|(own, common)| own + common).collect();
            self.value(&sums)
        })
    }
}

#[inline]
fn each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// logit f₁ of every row with a weighted mean of 0 and a standard deviation of 1, taken as at least 0.1.
fn standardised(problem: &Problem<'_>) -> Vec<f64> {
    let mut z: Vec<f64> = (0..problem.rows())
        .into_par_iter()
        .map(|row| logit(problem.prediction(row, &mut [0.0; 2])[1]))
        .collect();
    let (mut weights, mut sum, mut square) = (0.0, 0.0, 0.0);
    for (row, z) in z.iter().enumerate() {
        let weight = problem.weight(row);
        weights += weight;
        sum += weight * z;
        square += weight * z * z;
    }
    let mean = sum / weights;
    let scale = (square / weights - mean * mean).max(0.01).sqrt();
    z.iter_mut().for_each(|z| *z = (*z - mean) / scale);
    z
}

fn logit(p: f64) -> f64 {
    let p = p.clamp(FLOOR, 1.0 - FLOOR);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests;
