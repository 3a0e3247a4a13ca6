use std::collections::BTreeMap;
use std::f64::consts::FRAC_2_PI;

use serde::{Deserialize, Serialize};

use crate::data::Folds;

/// By what factor the variance of a cross-fitted mean can exceed that of independent scores.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Inflation {
    factor: f64,
}

impl Inflation {
    /// The factor of a plan of folds, drawn this often.
    pub fn of(folds: &Folds, repeats: usize) -> Self {
        let (directions, signs) = match folds {
            Folds::Shuffled(count) => shuffled((*count).max(2) as f64, repeats.max(1) as f64),
            Folds::Given { ids, count } => (2.0, given(ids, *count)),
        };
        Self { factor: directions.max(signs) }
    }

    /// The factor by which to multiply the variance of scores that have been averaged over repeats,
    /// which is smaller than that of one repeat.
    pub fn averaged(folds: &Folds, repeats: usize) -> Self {
        let Folds::Shuffled(count) = folds else { return Self::of(folds, repeats) };
        let (folds, repeats) = ((*count).max(2) as f64, repeats.max(1) as f64);
        let (directions, signs) = shuffled(folds, repeats);
        // How much two repeats' scores of a row have in common.
        let learnt = 1.0 - 1.0 / folds;
        let left = |common: f64| (1.0 + (repeats - 1.0) * common) / repeats;
        let factor = (directions / left(learnt)).max(signs / left(FRAC_2_PI * learnt.asin()));
        Self { factor }
    }

    /// Nothing is shared, or what is was allowed for before.
    pub fn none() -> Self {
        Self { factor: 1.0 }
    }

    /// The factor; at least 1.
    pub fn factor(&self) -> f64 {
        self.factor.max(1.0)
    }
}

/// The factors of many directions and of many signs, for equal folds.
///
/// Directions: Σ over pairs of rows in different folds, each twice. Two drawings have a pair in
/// different folds with probability 1 − 1/K each, independently, which is their correlation.
///
/// Signs: with fold sums Z ~ N(0, 1/K) and S their sum, the scores are sign(S − Z_k) Z_k. By Price's
/// theorem E[Z_k Z_l sign(S − Z_k) sign(S − Z_l)] is 4 times the density of (S − Z_k, S − Z_l) at 0.
/// For two drawings a row contributes E sign sign = (2/π) asin ρ, and pairs of rows the density again,
/// ρ = 1 − 1/K being the correlation of what they learn from.
fn shuffled(folds: f64, repeats: f64) -> (f64, f64) {
    let learnt = 1.0 - 1.0 / folds;
    let directions = 2.0 * (learnt + 1.0 / (folds * repeats));
    let once = 1.0 + (folds - 1.0) * FRAC_2_PI / (2.0 * folds - 3.0).sqrt();
    let between = FRAC_2_PI * (learnt.asin() + learnt / (1.0 - learnt * learnt).sqrt());
    (directions, (once + (repeats - 1.0) * between) / repeats)
}

/// The factor of many signs for folds of any sizes, by the same density; that of many directions is
/// at most 2 whatever the sizes.
fn given(ids: &[u32], count: usize) -> f64 {
    let mut rows_of = vec![0usize; count];
    ids.iter().for_each(|&id| rows_of[id as usize] += 1);
    // Folds of a size count together, so that a million folds of one row cost one term.
    let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
    for &size in rows_of.iter().filter(|size| **size > 0) {
        *sizes.entry(size).or_default() += 1.0;
    }
    let rows = ids.len() as f64;
    let mut covariance = 0.0;
    for (&one, &ones) in &sizes {
        for (&other, &others) in &sizes {
            let pairs = if one == other { ones * (ones - 1.0) } else { ones * others };
            let (a, b) = (one as f64, other as f64);
            let determinant = rows * (a + b) - a * a - b * b - a * b;
            if pairs > 0.0 && determinant > 0.0 {
                covariance += pairs * a * b * FRAC_2_PI / determinant.sqrt();
            }
        }
    }
    1.0 + covariance / rows
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::numeric::random::generator;

    #[test]
    fn averaged_scores_of_one_repeat_are_those_of_the_repeat() {
        for folds in [2, 5, 10] {
            let plan = Folds::Shuffled(folds);
            let (one, other) = (Inflation::of(&plan, 1), Inflation::averaged(&plan, 1));
            assert!((one.factor() - other.factor()).abs() < 1e-12);
            assert!(Inflation::averaged(&plan, 10).factor() >= Inflation::of(&plan, 10).factor());
        }
    }

    #[test]
    fn given_folds_of_equal_size_are_shuffled_ones() {
        for folds in [2usize, 3, 5, 20] {
            let ids: Vec<u32> = (0..folds * 7).map(|row| (row % folds) as u32).collect();
            let given = given(&ids, folds);
            assert!((given - shuffled(folds as f64, 1.0).1).abs() < 1e-12, "{folds}: {given}");
        }
    }

    /// Both factors against simulated fold sums: for signs the variance of Σ sign(S − Z) Z, for
    /// directions that of Σ ⟨S − Z, Z⟩/|S − Z| in 60 dimensions. 20,000 draws: the standard error of
    /// a variance near 2 is 0.02; 60 dimensions are few enough to leave a bias of another 0.03.
    #[test]
    fn the_factors_are_the_variances_of_simulated_extremes() {
        let mut draws = generator(7, 0);
        let mut normal = || -> f64 { draws.sample(StandardNormal) };
        let sizes_of: [&[usize]; 4] = [&[10; 5], &[10; 2], &[30, 10, 5, 5], &[1; 20]];
        for sizes in sizes_of {
            let ids: Vec<u32> = (0..sizes.len())
                .flat_map(|fold| std::iter::repeat_n(fold as u32, sizes[fold]))
                .collect();
            let (rows, count) = (ids.len() as f64, 20_000);
            let (mut signs, mut directions) = (0.0, 0.0);
            for _ in 0..count {
                let dimensions = 60;
                let sums: Vec<Vec<f64>> = sizes
                    .iter()
                    .map(|&size| (0..dimensions).map(|_| (size as f64).sqrt() * normal()).collect())
                    .collect();
                let (mut sign, mut direction) = (0.0, 0.0);
                let total: Vec<f64> =
                    (0..dimensions).map(|d| sums.iter().map(|sum| sum[d]).sum()).collect();
                for sum in &sums {
                    let learnt: Vec<f64> = total.iter().zip(sum).map(|(t, z)| t - z).collect();
                    sign += learnt[0].signum() * sum[0];
                    let length = learnt.iter().map(|x| x * x).sum::<f64>().sqrt();
                    direction += learnt.iter().zip(sum).map(|(l, z)| l * z).sum::<f64>() / length;
                }
                signs += sign * sign / rows / f64::from(count);
                directions += direction * direction / rows / f64::from(count);
            }
            let expected = given(&ids, sizes.len());
            assert!((signs - expected).abs() < 0.1, "{sizes:?}: {signs} {expected}");
            assert!(directions < 2.05 && directions > 1.7, "{sizes:?}: {directions}");
        }
    }

    /// Two drawings of folds: the variance of the mean of the two, for signs and for directions.
    #[test]
    fn repeats_reduce_the_factors_as_simulated() {
        let mut draws = generator(8, 0);
        let (rows, folds, repeats, dimensions, count) = (60, 5, 3, 40, 6_000);
        let plan = Folds::Shuffled(folds);
        let (mut signs, mut directions) = (0.0, 0.0);
        for draw in 0..count {
            let noise: Vec<Vec<f64>> = (0..rows)
                .map(|_| (0..dimensions).map(|_| draws.sample(StandardNormal)).collect())
                .collect();
            let (mut sign, mut direction) = (0.0, 0.0);
            for repeat in 0..repeats {
                let ids = plan.assign(rows, None, draw, repeat);
                for fold in 0..folds as u32 {
                    let sum = |wanted: bool| -> Vec<f64> {
                        let mut sum: Vec<f64> = vec![0.0; dimensions];
                        for (row, _) in
                            ids.iter().enumerate().filter(|(_, id)| (**id == fold) == wanted)
                        {
                            sum.iter_mut().zip(&noise[row]).for_each(|(sum, x)| *sum += x);
                        }
                        sum
                    };
                    let (held, learnt) = (sum(true), sum(false));
                    sign += learnt[0].signum() * held[0] / repeats as f64;
                    let length = learnt.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let inner: f64 = learnt.iter().zip(&held).map(|(l, z)| l * z).sum();
                    direction += inner / length / repeats as f64;
                }
            }
            signs += sign * sign / rows as f64 / count as f64;
            directions += direction * direction / rows as f64 / count as f64;
        }
        let expected = shuffled(folds as f64, repeats as f64);
        // The standard error of a variance of 1.7 from 6,000 draws is 0.03.
        assert!((signs - expected.1).abs() < 0.12, "{signs} {expected:?}");
        assert!((directions - expected.0).abs() < 0.12, "{directions} {expected:?}");
    }
}
