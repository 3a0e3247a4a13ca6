//! The weights of the stack, and those of the mixture.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::mixture::Mixture;
use super::super::weights::LeastSquares;
use crate::numeric::simd::padded;

/// Rows of three members and four classes: f, the label, the weight and what each member changes.
struct Row {
    f: Vec<f64>,
    label: usize,
    weight: f64,
    changes: Vec<Vec<f64>>,
}

fn rows(count: usize) -> Vec<Row> {
    let mut draws = ChaCha8Rng::seed_from_u64(1);
    let mut simplex = || {
        let values: Vec<f64> = (0..4).map(|_| draws.random::<f64>()).collect();
        let sum: f64 = values.iter().sum();
        values.into_iter().map(|value| value / sum).collect::<Vec<f64>>()
    };
    let row = |number: usize| {
        let f = simplex();
        let change = |g: Vec<f64>| g.iter().zip(&f).map(|(g, f)| g - f).collect();
        // The members see the label, one more than the other.
        let label = number % 4;
        let mut seeing = simplex();
        seeing.iter_mut().for_each(|p| *p *= 0.6);
        seeing[label] += 0.4;
        let changes = vec![change(simplex()), change(seeing), change(simplex())];
        Row { f, label, weight: (1 + number % 3) as f64, changes }
    };
    (0..count).map(row).collect()
}

fn add(squares: &mut LeastSquares, row: &Row, weight: f64) {
    let filled = |change: &Vec<f64>| {
        let mut change = change.clone();
        change.resize(padded(4), 0.0);
        change
    };
    let changes: Vec<f64> = row.changes.iter().flat_map(filled).collect();
    squares.add(&row.f, row.label, weight, &changes);
}

/// Σ w‖Y − f − Σ v D‖², and the ridge of 1e-4 of the mean diagonal of the Gram matrix.
fn objective(rows: &[Row], weights: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut diagonal = 0.0;
    for row in rows {
        for class in 0..4 {
            let target = if class == row.label { 1.0 } else { 0.0 } - row.f[class];
            let fitted: f64 =
                row.changes.iter().zip(weights).map(|(change, w)| w * change[class]).sum();
            total += row.weight * (target - fitted).powi(2);
            diagonal += row.weight * row.changes.iter().map(|d| d[class].powi(2)).sum::<f64>();
        }
    }
    total + 1e-4 * diagonal / 3.0 * weights.iter().map(|w| w * w).sum::<f64>()
}

/// No other weights, near or far, are better.
#[test]
fn the_weights_are_of_least_squares() {
    let rows = rows(50);
    let mut squares = LeastSquares::new(3);
    rows.iter().for_each(|row| add(&mut squares, row, row.weight));
    let weights = squares.solve();
    let least = objective(&rows, &weights);
    let mut draws = ChaCha8Rng::seed_from_u64(2);
    for scale in [1e-4, 1e-2, 1.0] {
        for _ in 0..200 {
            let other: Vec<f64> = weights
                .iter()
                .map(|weight| (weight + scale * draws.random_range(-1.0..1.0)).max(0.0))
                .collect();
            // Rounding of sums of size 100.
            assert!(objective(&rows, &other) > least - 1e-12 * least, "{weights:?} {other:?}");
        }
    }
    assert!(weights.iter().any(|weight| *weight > 0.3), "{weights:?}");
}

/// Whole weights count as repeated rows, in the least squares and in the mixture.
#[test]
fn weights_count_as_repeated_rows() {
    let rows = rows(40);
    let (mut once, mut often) = (LeastSquares::new(3), LeastSquares::new(3));
    let (mut mixed_once, mut mixed_often) = (Mixture::new(3), Mixture::new(3));
    for row in &rows {
        let given = || row.changes.iter().map(|change| row.f[row.label] + change[row.label]);
        add(&mut once, row, row.weight);
        mixed_once.add(given(), row.weight);
        for _ in 0..row.weight as usize {
            add(&mut often, row, 1.0);
            mixed_often.add(given(), 1.0);
        }
    }
    let pairs = [(once.solve(), often.solve()), (mixed_once.solve(), mixed_often.solve())];
    for (one, other) in pairs.iter().flat_map(|(one, other)| one.iter().zip(other)) {
        // The same sums in another order.
        assert!((one - other).abs() < 1e-10, "{one} {other}");
    }
}

/// Σ w ln Σ m g + ½ Σ ln m: what the steps are to increase.
fn likelihood(rows: &[(Vec<f64>, f64)], shares: &[f64]) -> f64 {
    let row = |(given, weight): &(Vec<f64>, f64)| {
        weight * given.iter().zip(shares).map(|(g, m)| g * m).sum::<f64>().ln()
    };
    rows.iter().map(row).sum::<f64>() + 0.5 * shares.iter().map(|m| m.ln()).sum::<f64>()
}

/// Fifty steps written out. None makes the labels less likely; and what is left to gain is little.
#[test]
fn the_mixture_is_that_of_plain_steps() {
    let rows: Vec<(Vec<f64>, f64)> = rows(60)
        .iter()
        .map(|row| {
            let given = row.changes.iter().map(|change| row.f[row.label] + change[row.label]);
            (given.collect(), row.weight)
        })
        .collect();
    let mut mixture = Mixture::new(3);
    rows.iter().for_each(|(given, weight)| mixture.add(given.iter().copied(), *weight));
    let found = mixture.solve();
    let step = |shares: &[f64]| -> Vec<f64> {
        let mut counts = vec![0.5; 3];
        for (given, weight) in &rows {
            let total: f64 = given.iter().zip(shares).map(|(g, m)| g * m).sum();
            for member in 0..3 {
                counts[member] += weight * given[member] * shares[member] / total;
            }
        }
        let total: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / total).collect()
    };
    let mut shares = vec![1.0 / 3.0; 3];
    let mut before = likelihood(&rows, &shares);
    for number in 1..=2000 {
        shares = step(&shares);
        let now = likelihood(&rows, &shares);
        // Rounding of a sum of size 100.
        assert!(now > before - 1e-10, "step {number}: {now} after {before}");
        before = now;
        if number == 50 {
            // The same sums in another order, fifty times.
            assert!(found.iter().zip(&shares).all(|(a, b)| (a - b).abs() < 1e-10), "{found:?}");
        }
    }
    assert!(before - likelihood(&rows, &found) < 0.05, "{before}");
}

/// Both halves' sums, from rows by turns.
fn halves(rows: &[Row]) -> [LeastSquares; 2] {
    let mut halves = [(); 2].map(|()| LeastSquares::new(3));
    for (number, row) in rows.iter().enumerate() {
        add(&mut halves[number % 2], row, row.weight);
    }
    halves
}

/// The weights lie between the first member alone and those of least squares, where the rows of one half
/// say that the other half's are best: looked for on a grid of what is written out.
#[test]
fn weights_go_as_far_as_they_serve_the_other_half() {
    let rows = rows(60);
    let all = {
        let mut all = LeastSquares::new(3);
        rows.iter().for_each(|row| add(&mut all, row, row.weight));
        all.solve()
    };
    let between = |share: f64, weights: &[f64]| -> Vec<f64> {
        let first = |at: usize| if at == 0 { 1.0 - share } else { 0.0 };
        weights.iter().enumerate().map(|(at, weight)| share * weight + first(at)).collect()
    };
    let of_halves = halves(&rows).map(|half| half.solve());
    let loss = |share: f64| -> f64 {
        (0..2)
            .map(|half| {
                let own: Vec<&Row> = rows.iter().skip(half).step_by(2).collect();
                let weights = between(share, &of_halves[1 - half]);
                own.iter().map(|row| squared(row, &weights)).sum::<f64>()
            })
            .sum()
    };
    let best = (0..=1000).map(|step| f64::from(step) / 1000.0);
    let best = best.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap();
    let [even, odd] = of_halves.clone();
    let found = LeastSquares::solve_halves(halves(&rows), &[odd, even]);
    for (found, expected) in found.iter().zip(between(best, &all)) {
        assert!((found - expected).abs() < 2e-3, "{found} {expected}");
    }
}

/// w‖Y − f − Σ v D‖² of a row.
fn squared(row: &Row, weights: &[f64]) -> f64 {
    let of_class = |class: usize| {
        let target = if class == row.label { 1.0 } else { 0.0 } - row.f[class];
        let fitted: f64 =
            row.changes.iter().zip(weights).map(|(change, w)| w * change[class]).sum();
        (target - fitted).powi(2)
    };
    row.weight * (0..4).map(of_class).sum::<f64>()
}

/// A mixture of what is no better than one member is that member; of what sees more, it is not.
#[test]
fn a_mixture_takes_the_place_of_a_member_that_it_improves_on() {
    let mut draws = ChaCha8Rng::seed_from_u64(3);
    let mut mixtures = |better: f64| {
        let mut halves = [(); 2].map(|()| Mixture::new(3));
        for row in 0..400 {
            let first = draws.random_range(0.2..0.6);
            let noise = first * draws.random_range(0.5..1.5);
            halves[row % 2].add([first, noise, first * better].into_iter(), 2.0);
        }
        // An f that is much like the first member, and so no reason to leave it for the others.
        let f = vec![0.4; 200];
        Mixture::solve_halves(halves, 0, [&f, &f]).0
    };
    let alike = mixtures(0.98);
    assert!(alike[0] > 0.99, "{alike:?}");
    let better = mixtures(1.3);
    assert!(better[2] > 0.9 && (better.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{better:?}");
}
