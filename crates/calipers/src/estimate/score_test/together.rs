//! Rows that belong together: which of their clusters pull the same way?
//!
//! Labels of a cluster may depend on each other in any way, so that they cannot be drawn one by one. But if f
//! is calibrated, the residuals of a cluster, weighted by any function of f, add up to 0 in expectation, and
//! clusters are independent. So a cluster's sums u_c are given random signs, all of its own at once, and the
//! p-value is the share of signs for which
//!
//! T = Σ_φ (Σ_c u_cφ)² / Σ_c u_cφ²
//!
//! is at least what it is without: exact if sums are as likely one way as the other, and near it if
//! there are many. Where there are few, or surprises are so rare that this cannot be trusted
//! ([`Together::is_shown`]), labels of which one draw decides a whole cluster must not look as odd either.

use rand::{Rng, RngExt};
use rayon::prelude::*;

use crate::data::categorical;
use crate::estimate::Problem;
use crate::estimate::bound::Together;
use crate::numeric::random::{derive_seed, generator};
use crate::numeric::simplex::floored_ln;
use crate::run::stop;

/// From so many clusters on their sums are trusted to be nearly normal.
const MANY: usize = 1_000;

/// The p-value of a problem whose rows belong together.
pub(super) fn p_value(
    problem: &Problem<'_>,
    together: &Together<'_>,
    draws: usize,
    seed: u64,
) -> f64 {
    let rows = Rows::new(problem, together);
    let Some(sums) = rows.sums(|row, _, _| problem.label(row)) else {
        return 1.0 / (1 + draws) as f64;
    };
    let observed = sums.value();
    let turned = (0..draws as u64).into_par_iter().map(|draw| {
        let turned = || sums.turned(&mut generator(derive_seed(seed, &[0]), draw));
        if stop::requested() { f64::INFINITY } else { turned() }
    });
    let turned = share(observed, &turned.collect::<Vec<f64>>());
    if together.is_shown() && together.clusters().count() >= MANY {
        return turned;
    }
    let at_once = (0..draws as u64).into_par_iter().map(|draw| {
        let mut draws = generator(derive_seed(seed, &[1]), draw);
        let chances: Vec<f64> = (0..together.clusters().count()).map(|_| draws.random()).collect();
        let drawn = || rows.sums(|_, cluster, f| categorical(f, chances[cluster]));
        // Nothing impossible is drawn; and of each drawing two numbers a function are kept, however many
        // clusters there are.
        let drawn = if stop::requested() { None } else { drawn() };
        drawn.map(|sums| (sums.value(), sums.totals()))
    });
    let (values, mut totals): (Vec<f64>, Vec<Vec<f64>>) = at_once.flatten().unzip();
    let by_own = share(observed, &values);
    if together.is_shown() {
        return turned.max(by_own);
    }
    // Without a surprise T is as large as it can be; a surprise too many shows by the sums as they are.
    totals.push(sums.totals());
    let mut sizes: Vec<f64> = vec![0.0; sums.functions];
    for totals in &totals {
        sizes.iter_mut().zip(totals).for_each(|(size, total)| *size += total * total);
    }
    let odd = |totals: &Vec<f64>| -> f64 {
        let terms = totals.iter().zip(&sizes).filter(|(_, size)| **size > 0.0);
        terms.map(|(total, size)| total * total / size).sum()
    };
    let mut odd: Vec<f64> = totals.iter().map(odd).collect();
    let by_size = odd.pop().map_or(1.0, |observed| share(observed, &odd));
    turned.max((2.0 * by_own.min(by_size)).min(1.0))
}

/// The share of drawings that are no less odd than what was observed, which is counted among them.
fn share(observed: f64, drawn: &[f64]) -> f64 {
    let reached = drawn.iter().filter(|&&drawn| drawn >= observed * (1.0 - 1e-9)).count();
    (1 + reached) as f64 / (1 + drawn.len()) as f64
}

/// What is the same for all drawings: the functions of each row's f.
struct Rows<'a, 'p> {
    problem: &'a Problem<'p>,
    together: &'a Together<'a>,
    /// Of two classes 1, z and a bend; of more the logarithm of each probability.
    functions: Vec<f64>,
}

/// The sums of residuals, cluster by cluster, one a function.
struct Sums {
    functions: usize,
    each: Vec<f64>,
}

impl<'a, 'p> Rows<'a, 'p> {
    fn new(problem: &'a Problem<'p>, together: &'a Together<'_>) -> Self {
        let (scale, mut buffer) = (Scale::of(problem), vec![0.0; problem.classes()]);
        let mut functions = Vec::with_capacity(problem.rows() * problem.classes().max(3));
        for row in 0..problem.rows() {
            let f = problem.prediction(row, &mut buffer);
            match problem.classes() {
                2 => functions.extend(scale.functions(f)),
                _ => functions.extend(f.iter().map(|&p| floored_ln(p))),
            }
        }
        Self { problem, together, functions }
    }

    /// The sums of labels, each made of its row, its cluster and its f; none if one was impossible.
    fn sums(&self, label: impl Fn(usize, usize, &[f64]) -> usize) -> Option<Sums> {
        let classes = self.problem.classes();
        let two = classes == 2;
        let functions = if two { 3 } else { 2 * classes + 1 };
        let clusters = self.together.clusters();
        let mut each = vec![0.0; clusters.count() * functions];
        let mut buffer = vec![0.0; classes];
        let rows =
            clusters.ids().iter().zip(self.functions.chunks_exact(if two { 3 } else { classes }));
        for (row, (&cluster, own)) in rows.enumerate() {
            let (weight, cluster) = (self.problem.weight(row), cluster as usize);
            if weight <= 0.0 {
                continue;
            }
            let f = self.problem.prediction(row, &mut buffer);
            let label = label(row, cluster, f);
            if f[label] <= 0.0 {
                return None;
            }
            let sums = &mut each[cluster * functions..][..functions];
            if two {
                let residual = weight * (label as f64 - f[1]);
                sums.iter_mut().zip(own).for_each(|(sum, phi)| *sum += phi * residual);
                continue;
            }
            for (class, (&p, z)) in f.iter().zip(own).enumerate() {
                let residual = weight * (f64::from(u8::from(label == class)) - p);
                sums[2 * class] += residual;
                sums[2 * class + 1] += residual * z;
                sums[2 * classes] += residual * z;
            }
        }
        Some(Sums { functions, each })
    }
}

impl Sums {
    /// The sum over all clusters, for each function.
    fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.functions];
        for each in self.each.chunks_exact(self.functions) {
            totals.iter_mut().zip(each).for_each(|(total, one)| *total += one);
        }
        totals
    }

    /// T as the sums are.
    fn value(&self) -> f64 {
        self.with_signs(|_| 1.0)
    }

    /// T where each cluster has a random sign.
    fn turned(&self, draws: &mut impl Rng) -> f64 {
        let mut bits = 0u64;
        self.with_signs(|cluster| {
            if cluster % 64 == 0 {
                bits = draws.next_u64();
            }
            let sign = if bits & 1 == 1 { 1.0 } else { -1.0 };
            bits >>= 1;
            sign
        })
    }

    fn with_signs(&self, mut sign: impl FnMut(usize) -> f64) -> f64 {
        let (mut sums, mut squares) = (vec![0.0; self.functions], vec![0.0; self.functions]);
        for (cluster, each) in self.each.chunks_exact(self.functions).enumerate() {
            let sign = sign(cluster);
            for ((sum, square), one) in sums.iter_mut().zip(&mut squares).zip(each) {
                *sum += sign * one;
                *square += one * one;
            }
        }
        let terms = sums.iter().zip(&squares).filter(|(_, square)| **square > 0.0);
        terms.map(|(sum, square)| sum * sum / square).sum()
    }
}

/// The moments of z = logit f of two classes, by how much labels are left to chance: 1, z and a bend are then
/// uncorrelated.
struct Scale {
    mean: f64,
    deviation: f64,
    skew: f64,
}

impl Scale {
    fn of(problem: &Problem<'_>) -> Self {
        if problem.classes() != 2 {
            return Self { mean: 0.0, deviation: 1.0, skew: 0.0 };
        }
        let mut buffer = [0.0; 2];
        let (mut total, mut powers) = (0.0, [0.0; 3]);
        for row in 0..problem.rows() {
            let f = problem.prediction(row, &mut buffer);
            let (mass, z) = (problem.weight(row) * f[0] * f[1], logit(f));
            total += mass;
            powers.iter_mut().zip([z, z * z, z * z * z]).for_each(|(sum, x)| *sum += mass * x);
        }
        if total <= 0.0 {
            return Self { mean: 0.0, deviation: 1.0, skew: 0.0 };
        }
        let [first, second, third] = powers.map(|sum| sum / total);
        let deviation = (second - first * first).max(0.0).sqrt().max(0.1);
        let central = third - 3.0 * first * second + 2.0 * first.powi(3);
        Self { mean: first, deviation, skew: central / deviation.powi(3) }
    }

    fn functions(&self, f: &[f64]) -> [f64; 3] {
        let z = (logit(f) - self.mean) / self.deviation;
        [1.0, z, z * z - self.skew * z - 1.0]
    }
}

fn logit(f: &[f64]) -> f64 {
    floored_ln(f[1]) - floored_ln(f[0])
}
