use ndarray::Array2;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;

use super::many::TOGETHER;
use super::*;

/// Rows of Dirichlet(1, …, 1) as f, labels drawn from a distortion of them.
fn drawn(
    rows: usize,
    classes: usize,
    seed: u64,
    truth: impl Fn(&mut [f64]),
) -> Predictions<'static> {
    let mut draws = generator(seed, 0);
    let gamma = Gamma::new(1.0, 1.0).unwrap();
    let mut f = Array2::zeros((rows, classes));
    let mut labels = Vec::new();
    for mut row in f.rows_mut() {
        row.iter_mut().for_each(|p| *p = gamma.sample(&mut draws));
        let sum = row.sum();
        row.iter_mut().for_each(|p| *p /= sum);
        let mut truth_row = row.to_vec();
        truth(&mut truth_row);
        let mut u: f64 = draws.random::<f64>() * truth_row.iter().sum::<f64>();
        let place = truth_row.iter().position(|p| {
            u -= p;
            u < 0.0
        });
        labels.push(place.unwrap_or(classes - 1));
    }
    Predictions::new(f, &labels).unwrap()
}

fn p(predictions: &Predictions<'_>, draws: usize, seed: u64) -> f64 {
    p_value(&Problem::new(predictions, Scope::Canonical, 0), draws, seed)
}

fn rejected(count: usize, make: impl Fn(u64) -> Predictions<'static> + Sync) -> f64 {
    let reached =
        (0..count as u64).into_par_iter().filter(|&seed| p(&make(seed), 199, seed) <= 0.05);
    reached.count() as f64 / count as f64
}

/// Under calibration p ≤ 0.05 in 5 % of data sets, however few rows there are: 1,000 data sets have a
/// standard error of 0.7 %.
#[test]
fn the_level_is_exact() {
    for (rows, classes) in [(20, 2), (200, 2), (700, 2), (60, 3), (150, 10), (60, 70)] {
        let share = rejected(1_000, |seed| drawn(rows, classes, seed, |_| {}));
        assert!((0.029..0.071).contains(&share), "{rows} rows, {classes} classes: {share}");
    }
}

/// Rows of other weights are drawn by themselves, and weights are rounded where there are many classes: 1,000
/// data sets have a standard error of 0.7 %.
#[test]
fn the_level_is_exact_with_weights() {
    for (rows, classes) in [(300, 2), (150, 4)] {
        let share = rejected(1_000, |seed| {
            let weights = (0..rows).map(|row| 0.01 * 1.5f64.powi(row as i32 % 12)).collect();
            drawn(rows, classes, seed, |_| {}).with_weights(weights).unwrap()
        });
        assert!((0.029..0.071).contains(&share), "{rows} rows, {classes} classes: {share}");
    }
}

/// Equal weights are none: the same drawings, to the last bit.
#[test]
fn equal_weights_are_no_weights() {
    for classes in [2, 3] {
        let plain = drawn(400, classes, 5, |_| {});
        let weighted = plain.clone().with_weights(vec![3.5; 400]).unwrap();
        assert!((p(&plain, 199, 1) - p(&weighted, 199, 1)).abs() < 1e-15, "{classes}");
    }
}

/// With cells as well, and with predictions that are tied: 400 data sets have a standard error of 1.1 %.
#[test]
fn the_level_is_exact_with_many_rows() {
    for tied in [false, true] {
        let share =
            rejected(400, |seed| {
                let mut draws = generator(seed, 2);
                let round = |p: f64| if tied { (20.0 * p).round() / 20.0 } else { p };
                let f: Vec<f64> = (0..5_500).map(|_| round(draws.random())).collect();
                let labels: Vec<usize> =
                    f.iter().map(|&p| usize::from(draws.random::<f64>() < p)).collect();
                let probs = Array2::from_shape_fn((f.len(), 2), |(row, class)| {
                    if class == 1 { f[row] } else { 1.0 - f[row] }
                });
                Predictions::new(probs, &labels).unwrap()
            });
        assert!((0.017..0.083).contains(&share), "tied {tied}: {share}");
    }
}

/// p + 0.05 sin 20πp has no shift, no slope and no bend, and yet an error.
#[test]
fn waves_are_seen_with_many_rows() {
    let wave = |truth: &mut [f64]| {
        truth[1] = (truth[1] + 0.05 * (62.83185 * truth[1]).sin()).clamp(0.0, 1.0);
        truth[0] = 1.0 - truth[1];
    };
    assert!(p(&drawn(50_000, 2, 1, wave), 199, 0) <= 0.005);
}

#[test]
fn the_level_is_exact_where_a_class_is_rare() {
    let share = rejected(1_000, |seed| {
        let mut draws = generator(seed, 1);
        let (a, b) = (Gamma::new(0.5, 1.0).unwrap(), Gamma::new(100.0, 1.0).unwrap());
        let f: Vec<f64> = (0..200)
            .map(|_| {
                let (a, b): (f64, f64) = (a.sample(&mut draws), b.sample(&mut draws));
                a / (a + b)
            })
            .collect();
        let labels: Vec<usize> =
            f.iter().map(|&f| usize::from(draws.random::<f64>() < f)).collect();
        Predictions::binary(f, &labels).unwrap()
    });
    assert!(share < 0.071, "{share}");
}

/// What it sees: labels of probability f + 0.02, and a temperature of 1/0.85 with ten classes, each at
/// 1,000 rows. A likelihood-ratio test of the very distortion would reject little more often.
#[test]
fn it_sees_a_shift_and_a_temperature() {
    let shift = rejected(200, |seed| {
        drawn(1_000, 2, seed, |f| {
            f[1] = (f[1] + 0.02).min(1.0);
            f[0] = 1.0 - f[1];
        })
    });
    let tempered = rejected(200, |seed| {
        drawn(1_000, 10, seed, |f| f.iter_mut().for_each(|f| *f = f.powf(0.85)))
    });
    // One standard error of 200 data sets is 3.4 points.
    assert!(shift > 0.3, "{shift}");
    assert!(tempered > 0.7, "{tempered}");
}

/// A slow twin: residuals and covariances row by row, and the inverse by Gauss-Jordan.
#[test]
fn the_statistic_is_a_sum_of_quadratic_forms() {
    let rows = 50;
    let predictions = drawn(rows, 2, 3, |_| {});
    let weights: Vec<f64> = (0..rows).map(|row| 0.25 + (row % 4) as f64 / 4.0).collect();
    let predictions = predictions.with_weights(weights).unwrap();
    let problem = Problem::new(&predictions, Scope::Canonical, 0);
    let mut residual = [0.0; 3];
    let mut covariance = [[0.0; 3]; 3];
    for row in 0..rows {
        let f = predictions.probs()[[row, 1]];
        let z = (f / (1.0 - f)).ln();
        let (phi, weight) = ([1.0, z, z * z], predictions.weights().unwrap()[row]);
        for i in 0..3 {
            residual[i] += weight * phi[i] * (f64::from(predictions.labels()[row]) - f);
            for j in 0..3 {
                covariance[i][j] += weight * weight * phi[i] * phi[j] * f * (1.0 - f);
            }
        }
    }
    let mut right = residual;
    for pivot in 0..3 {
        for row in (0..3).filter(|row| *row != pivot) {
            let ratio = covariance[row][pivot] / covariance[pivot][pivot];
            let above = covariance[pivot];
            covariance[row].iter_mut().zip(above).for_each(|(cell, above)| *cell -= ratio * above);
            right[row] -= ratio * right[pivot];
        }
    }
    let expected: f64 = (0..3).map(|i| residual[i] * right[i] / covariance[i][i]).sum();
    // The test's own z is shifted and scaled, which changes φ but not what it spans.
    let found = Two::new(&problem).unwrap().observed().unwrap()[4];
    let expected = 0.375 * expected - 1.5 * 4f64.ln();
    assert!((found / expected - 1.0).abs() < 1e-8, "{found} {expected}");
}

/// Under calibration the mean of T is the trace of I⁻¹I: 3 for two classes; for more, 2 a class and
/// the share of the term of all. 64 × 40 drawings of a T whose standard deviation is of the order of
/// its mean: within 6 %.
#[test]
fn drawn_statistics_have_the_mean_of_the_null() {
    let many = 140.0 + TOGETHER * 70f64.sqrt();
    for (classes, expected) in [(2, 3.0), (4, 8.0 + TOGETHER * 2.0), (70, many)] {
        let predictions = drawn(300, classes, 11, |_| {});
        let problem = Problem::new(&predictions, Scope::Canonical, 0);
        let all = match Two::new(&problem) {
            Some(two) => {
                let squares = |all: &[f64; 8]| (all[4] + 1.5 * 4f64.ln()) / 0.375;
                two.drawn(64 * 40, 1).iter().map(squares).collect()
            }
            None => Many::new(&problem).drawn(64 * 40, 1),
        };
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean / expected - 1.0).abs() < 0.06, "{classes}: {mean}");
    }
}

#[test]
fn an_impossible_label_leaves_no_doubt_and_one_prediction_is_enough() {
    let impossible = Predictions::binary(&[0.0, 0.5, 0.5], &[1, 0, 1]).unwrap();
    assert!((p(&impossible, 99, 0) - 0.01).abs() < 1e-15);
    let certain = Predictions::binary(&[1.0, 1.0, 0.0], &[1, 1, 0]).unwrap();
    assert!((p(&certain, 99, 0) - 1.0).abs() < 1e-15);
    let equal = Predictions::binary(vec![0.5; 100], &[1; 100]).unwrap();
    assert!((p(&equal, 99, 0) - 0.01).abs() < 1e-15);
    let of_weight_zero = Predictions::binary(&[0.0, 0.5, 0.5], &[1, 0, 1]).unwrap();
    let of_weight_zero = of_weight_zero.with_weights(vec![0.0, 1.0, 1.0]).unwrap();
    assert!(p(&of_weight_zero, 99, 0) > 0.2);
}

/// p + 0.05 sin 6πp at 1,000 rows: three functions alone reject 22 % of such data sets. 400 data sets have a
/// standard error of 2.4 points.
#[test]
fn a_wave_is_seen_with_few_rows() {
    let found = rejected(400, |seed| {
        drawn(1_000, 2, seed, |f| {
            f[1] = (f[1] + 0.05 * (6.0 * std::f64::consts::PI * f[1]).sin()).clamp(0.0, 1.0);
            f[0] = 1.0 - f[1];
        })
    });
    assert!(found > 0.27, "{found}");
}

/// Four distinct predictions, and two: 1,000 data sets have a standard error of 0.7 %.
#[test]
fn the_level_is_exact_where_predictions_are_few() {
    for distinct in [&[0.1, 0.3, 0.6, 0.9][..], &[0.2, 0.7]] {
        let share = rejected(1_000, |seed| {
            let mut draws = generator(seed, 3);
            let f: Vec<f64> =
                (0..100).map(|_| distinct[draws.random_range(0..distinct.len())]).collect();
            let labels: Vec<usize> =
                f.iter().map(|&f| usize::from(draws.random::<f64>() < f)).collect();
            Predictions::binary(f, &labels).unwrap()
        });
        assert!((0.025..0.071).contains(&share), "{distinct:?}: {share}");
    }
}

/// A wave that no shift, temperature or bend explains: the residuals change sign four times. Isotonic
/// regression sees it, and the level stays exact: 200 data sets have a standard error of 1.5 points.
#[test]
fn refitting_looks_where_the_recalibrator_does() {
    let isotonic = crate::recalibrator("isotonic").unwrap();
    let rejected = |rows: usize, wave: f64| {
        let make = |seed| {
            drawn(rows, 2, seed, |f| {
                f[1] = (f[1] + wave * (4.0 * std::f64::consts::PI * f[1]).sin()).clamp(0.0, 1.0);
                f[0] = 1.0 - f[1];
            })
        };
        let reached = (0..200u64).into_par_iter().filter(|&seed| {
            let predictions = make(seed);
            let problem = Problem::new(&predictions, Scope::Canonical, 0);
            refit_p_value(&problem, isotonic.as_ref(), 39, seed).unwrap() <= 0.05
        });
        reached.count() as f64 / 200.0
    };
    let (level, power) = (rejected(150, 0.0), rejected(600, 0.1));
    assert!((0.0..0.095).contains(&level), "{level}");
    assert!(power > 0.6, "{power}");
}

/// Of 400,000 draws from a table each outcome's count is within 4.5 standard errors of its mean, and what has
/// no probability is never drawn.
pub(super) fn assert_drawn_as_likely<T>(
    make: impl Fn(&[f64]) -> T,
    draw: impl Fn(&T, u32, &mut ChaCha8Rng) -> u32,
) {
    let mut draws = generator(3, 0);
    let cases: [&[f64]; 7] = [
        &[1.0],
        &[0.25, 0.75],
        &[0.0, 0.5, 0.0, 0.5, 0.0],
        &[0.1, 0.2, 0.3, 0.15, 0.25],
        &[1e-3, 0.0, 0.998, 1e-3, 0.0, 0.0, 0.0],
        &[0.01; 100],
        &[1.0 / 700.0; 700],
    ];
    for probabilities in cases {
        let (table, n) = (make(probabilities), 400_000);
        let mut counts = vec![0u32; probabilities.len()];
        for _ in 0..n {
            let word = draws.next_u32();
            counts[draw(&table, word, &mut draws) as usize] += 1;
        }
        for (&p, &count) in probabilities.iter().zip(&counts) {
            let (mean, error) = (p * f64::from(n), (f64::from(n) * p * (1.0 - p)).sqrt());
            assert!((f64::from(count) - mean).abs() <= 4.5 * error, "{probabilities:?}");
        }
    }
}
