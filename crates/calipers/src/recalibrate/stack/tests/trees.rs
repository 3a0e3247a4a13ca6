//! Trees grown in double precision, leaf by leaf.

use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::super::bins::{BINS, borders, place};
use super::super::growth::Growth;
use super::super::rows::{Borders, StackRows};
use super::super::structured::Structured;
use super::super::trees::grow;
use super::{training, weighted};

fn rows(count: usize, classes: usize) -> StackRows {
    let training = training(&weighted(count, classes, 1));
    let (structured, _) = Structured::fit(&training, 1);
    let f = training.sample.probs();
    let tempered = structured.tempered(f.as_slice().unwrap());
    StackRows::new(&training, &Borders::choose(f), &tempered)
}

/// The sums of w(y − p) and of w p(1 − p) over some of the rows.
fn sums(rows: &StackRows, probs: &[Vec<f64>], of: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (mut gradient, mut curvature) = (vec![0.0; rows.classes], vec![0.0; rows.classes]);
    for &row in of {
        let weight = f64::from(rows.weights[row]);
        for class in 0..rows.classes {
            let (p, observed) = (probs[row][class], rows.labels[row] as usize == class);
            gradient[class] += weight * (f64::from(u8::from(observed)) - p);
            curvature[class] += weight * p * (1.0 - p);
        }
    }
    (gradient, curvature)
}

fn divide(rows: &StackRows, leaf: &[usize], (feature, border): (usize, usize)) -> [Vec<usize>; 2] {
    let right = |row: &&usize| rows.places[feature][**row] as usize > border;
    [
        leaf.iter().filter(|row| !right(row)).copied().collect(),
        leaf.iter().filter(right).copied().collect(),
    ]
}

/// Two to 40 classes: a vector of the trees holds eight, and up to four vectors have code of their own.
#[test]
fn trees_are_those_of_a_slow_twin() {
    for (classes, count) in [(2, 90), (3, 200), (7, 150), (10, 203), (26, 170), (40, 129)] {
        let rows = rows(count, classes);
        let (bag, seed) = (3, 11);
        let mut after = Vec::new();
        // Between these, rows are normalised after the fourth tree.
        let growth = Growth { members: [3, 6], depth: 5, rate: 0.5 };
        let forest = grow(&rows, &growth, bag, seed, |probs| after.push(probs.to_vec()));
        assert_eq!(after.len(), 2);
        let forest = serde_json::to_value(&forest).unwrap();
        let mut draws = ChaCha8Rng::seed_from_u64(seed);
        let start = rows.start.chunks_exact(rows.width());
        let mut probs: Vec<Vec<f64>> = start
            .map(|row| row.as_flattened()[..classes].iter().map(|&p| f64::from(p)).collect())
            .collect();
        let features: Vec<usize> =
            (0..rows.borders.len()).filter(|&f| rows.borders[f] > 0).collect();
        for (number, tree) in (1..).zip(forest["trees"].as_array().unwrap()) {
            let words: Vec<u64> = (0..count.div_ceil(64)).map(|_| draws.next_u64()).collect();
            let chosen = |row: &usize| row % 8 != bag && words[row / 64] >> (row % 64) & 1 == 1;
            let mut learning = vec![(0..count).filter(chosen).collect::<Vec<_>>()];
            let mut all = vec![(0..count).collect::<Vec<_>>()];
            for split in tree["splits"].as_array().unwrap() {
                let number = |name: &str| split[name].as_u64().unwrap() as usize;
                let found = (number("feature"), number("border"));
                let feature = features[draws.random_range(0..features.len())];
                let drawn = (feature, draws.random_range(0..rows.borders[feature]));
                assert_eq!(found, drawn);
                learning = learning.iter().flat_map(|leaf| divide(&rows, leaf, found)).collect();
                all = all.iter().flat_map(|leaf| divide(&rows, leaf, found)).collect();
            }
            let factors: Vec<f64> =
                tree["factors"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            assert_eq!(factors.len(), classes * all.len());
            for ((leaf, of), factors) in all.iter().zip(&learning).zip(factors.chunks(classes)) {
                let (gradient, curvature) = sums(&rows, &probs, of);
                for class in 0..classes {
                    let step = 0.5 * gradient[class] / (curvature[class] + 2.0);
                    // Single precision: sums of some hundred numbers, differences of such sums.
                    assert!((factors[class].ln() - step).abs() < 2e-5, "{classes}: {step}");
                }
                for &row in leaf {
                    for class in 0..classes {
                        probs[row][class] *= factors[class];
                    }
                    let sum: f64 = probs[row].iter().sum();
                    probs[row].iter_mut().for_each(|p| *p /= sum);
                }
            }
            let Some(member) = growth.members.iter().position(|trees| *trees == number) else {
                continue;
            };
            for (twin, row) in probs.iter().zip(after[member].chunks_exact(rows.width())) {
                for (twin, p) in twin.iter().zip(row.as_flattened()) {
                    // A few products in single precision a tree.
                    assert!((twin - f64::from(*p)).abs() < 1e-5, "{classes}: {twin} {p}");
                }
            }
        }
    }
}

/// Not a bit of a forest changes with the labels of the bag that it is grown without, though it does
/// with those of others.
#[test]
fn a_forest_has_not_seen_its_bag() {
    let growth = Growth::of(150);
    let grown = |rows: &StackRows, bag| {
        serde_json::to_string(&grow(rows, &growth, bag, 2, |_| ())).unwrap()
    };
    let mut rows = rows(150, 3);
    let before = [grown(&rows, 6), grown(&rows, 1)];
    (6..150).step_by(8).for_each(|row| rows.labels[row] = (rows.labels[row] + 1) % 3);
    assert_eq!(grown(&rows, 6), before[0]);
    assert_ne!(grown(&rows, 1), before[1]);
}

/// The more rows, the more trees, and the smaller their steps; never the other way round.
#[test]
fn capacity_follows_the_rows() {
    let few = Growth::of(10);
    assert_eq!((few.members, few.depth), ([11, 28], 6));
    let growths: Vec<Growth> = (0..24).map(|power| Growth::of(1 << power)).collect();
    for pair in growths.windows(2) {
        assert!(pair[0].trees() <= pair[1].trees() && pair[0].depth <= pair[1].depth);
        assert!(pair[0].rate >= pair[1].rate && pair[1].is_sound());
    }
    assert!(growths[13].trees() > 5 * growths[10].trees() && growths[16].depth == 7);
}

proptest! {
    /// Whatever the ties: borders ascend, lie between values, and a value's place is how many of
    /// them lie below; without ties, the places hold as many rows each as can be.
    #[test]
    fn borders_divide_the_values(values in prop::collection::vec(0u8..40, 1..300)) {
        let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 39.0).collect();
        let found = borders(values.iter().copied());
        prop_assert!(found.len() < BINS);
        prop_assert!(found.is_sorted_by(|a, b| a < b));
        for value in &values {
            prop_assert!(found.iter().all(|border| (border - value).abs() > 1e-9));
            let below = found.iter().filter(|border| *border < value).count();
            prop_assert_eq!(place(&found, *value) as usize, below);
        }
        for (low, high) in std::iter::once(&f64::NEG_INFINITY).chain(&found).zip(&found) {
            prop_assert!(values.iter().any(|value| low < value && value < high), "an empty place");
        }
        let distinct: Vec<f64> = (0..values.len()).map(|row| row as f64).collect();
        let found = borders(distinct.iter().copied());
        for at in 0..=found.len() {
            let held = distinct.iter().filter(|value| place(&found, **value) as usize == at).count();
            prop_assert!(held.abs_diff(values.len() / BINS) <= 1, "{at}: {held}");
        }
    }
}
