//! Kernels by a plain double loop.

use super::super::kernel::{Kernel, WIDTHS};
use super::super::training::Training;
use super::{training, weighted};

/// (T + Σ W Y)/(1 + Σ W) with W = w (Σ√(T T'))^m, over the support without one row.
fn smooth(
    training: &Training,
    tempered: &[f32],
    support: usize,
    power: i32,
    query: &[f32],
    left_out: Option<usize>,
) -> Vec<f64> {
    let classes = query.len();
    let mut sums: Vec<f64> = query.iter().map(|&p| f64::from(p)).collect();
    for row in (0..support).filter(|row| Some(*row) != left_out) {
        let other = &tempered[row * classes..(row + 1) * classes];
        let roots = other.iter().zip(query).map(|(a, b)| (f64::from(*a) * f64::from(*b)).sqrt());
        let likeness = roots.sum::<f64>();
        let weight = f64::from(training.weights[row]) * likeness.powi(power);
        sums[training.sample.labels()[row] as usize] += weight;
    }
    let total: f64 = sums.iter().sum();
    sums.into_iter().map(|sum| sum / total).collect()
}

fn tempered(training: &Training) -> Vec<f32> {
    training.sample.probs().iter().map(|&p| p as f32).collect()
}

/// Support rows, which must not count themselves, also when they come back as if they were new; and
/// others.
#[test]
fn kernels_are_those_of_a_double_loop() {
    for (rows, classes, support) in [(40, 3, 40), (61, 10, 37), (30, 26, 29), (9, 2, 1)] {
        let training = training(&weighted(rows, classes, 8));
        let tempered = tempered(&training);
        let (kernel, scored) = Kernel::fit(&training, &tempered, support, rows);
        let again = kernel.rows(&kernel.layout(), &tempered, false);
        let fresh = self::tempered(&self::training(&weighted(rows, classes, 9)));
        let others = kernel.rows(&kernel.layout(), &fresh, false);
        let seen = kernel.rows(&kernel.layout(), &tempered, true);
        assert_eq!((scored.len(), again.len(), others.len()), (WIDTHS, WIDTHS, WIDTHS));
        for (width, power) in [8, 32, 128, 512, 2048].into_iter().enumerate() {
            for row in 0..rows {
                let own = Some(row).filter(|row| *row < support);
                for (found, queries, left_out) in [
                    (&scored[width], &tempered, own),
                    (&again[width], &tempered, own),
                    (&others[width], &fresh, None),
                    (&seen[width], &tempered, None),
                ] {
                    let query = &queries[row * classes..(row + 1) * classes];
                    let expected = smooth(&training, &tempered, support, power, query, left_out);
                    for (class, expected) in expected.into_iter().enumerate() {
                        let found = f64::from(found[row * classes + class]);
                        // The likeness is a sum of up to 26 products in single precision, 3e-7
                        // off at most where it is near 1; the power multiplies that.
                        let allowed = 1e-6 + 1e-6 * f64::from(power);
                        let gap = (found - expected).abs();
                        assert!(gap < allowed, "{classes} {power} {row}: {gap}");
                    }
                }
            }
        }
    }
}

/// A support row of weight 2 counts as two rows of weight 1, for rows that are not of the support.
#[test]
fn weights_count_as_repeated_rows() {
    let once = training(&weighted(30, 3, 4));
    let order: Vec<u32> = (0..30).chain(0..15).collect();
    let sample = once.sample.select(&order);
    let twice = Training { sample, weights: vec![1.0; 45], seed: 0 };
    let mut once = once;
    once.weights = (0..30).map(|row| if row < 15 { 2.0 } else { 1.0 }).collect();
    let [one, other] = [(&once, 30), (&twice, 45)].map(|(training, support)| {
        let (kernel, _) = Kernel::fit(training, &tempered(training), support, 1);
        kernel
            .rows(&kernel.layout(), &tempered(&self::training(&weighted(30, 3, 5))), true)
            .concat()
    });
    // The same numbers, added up in another order.
    assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-5));
}

/// Nothing but rounding changes with the order of the classes.
#[test]
fn classes_may_be_permuted() {
    let original = training(&weighted(50, 5, 2));
    let order = [3, 0, 4, 1, 2];
    let tempered = tempered(&original);
    let (_, one) = Kernel::fit(&original, &tempered, 50, 50);
    let probs = original.sample.probs().select(ndarray::Axis(1), &order);
    let place = |label: &u32| order.iter().position(|class| *class == *label as usize).unwrap();
    let labels: Vec<usize> = original.sample.labels().iter().map(place).collect();
    let sample = crate::Sample::from(&crate::Predictions::new(probs.clone(), &labels).unwrap());
    let permuted = Training { sample, weights: original.weights.clone(), seed: 0 };
    let moved: Vec<f32> = probs.iter().map(|&p| p as f32).collect();
    let (_, other) = Kernel::fit(&permuted, &moved, 50, 50);
    for (one, other) in one.concat().chunks_exact(5).zip(other.concat().chunks_exact(5)) {
        for (class, &from) in order.iter().enumerate() {
            // As in the double loop: 2,048 times the rounding of a sum.
            assert!((other[class] - one[from]).abs() < 2e-3);
        }
    }
}
