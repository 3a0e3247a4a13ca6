use rand::RngExt;
use serde_json::{Value, json};

use super::oracle::{numbers, problems, rows_of, table};
use super::rows::normalise;
use super::*;
use crate::numeric::borders;
use crate::numeric::random::generator;

/// CatBoost's values hold ten digits; ours come of sums in another order.
const TOLERANCE: f64 = 1e-5;

/// What a forest's first rounds add to each row's scores.
fn raw(forest: &impl Forest, rows: &BinnedRows, rounds: usize) -> Vec<f64> {
    let mut factors = vec![1.0; rows.len() * rows.classes];
    let rows = factors.chunks_exact_mut(rows.classes).zip(rows.bins.chunks_exact(rows.features));
    for (factors, bins) in rows {
        (0..rounds).for_each(|round| forest.apply(round, bins, factors));
    }
    factors.iter().map(|factor| factor.ln()).collect()
}

fn grown(growth: Symmetric, rows: &BinnedRows, rounds: usize) -> <Symmetric as Growth>::Forest {
    let mut rows = rows.clone();
    let (mut grower, mut forest) = growth.grower(&rows, rounds, 0);
    (0..rounds).for_each(|_| grower.grow(&mut rows, &mut forest));
    forest
}

/// Scores add up to zero over the classes, which CatBoost's do by themselves.
#[test]
fn trees_are_catboosts() {
    let (mut cases, mut largest, mut faults) = (0, 0.0f64, Vec::new());
    for (path, problem) in problems() {
        // CatBoost cannot be given a class that no row has.
        let Some(tables) = problem.get("catboost").and_then(Value::as_object) else { continue };
        for (name, case) in tables {
            let number = |name: &str| case["params"][name].as_f64().unwrap();
            let growth = Symmetric {
                depth: number("depth") as usize,
                rate: Some(number("learning_rate")),
                l2: number("l2_leaf_reg"),
                noise: 0.0,
            };
            let start = table(&problem["start"]);
            let warm = case["params"]["start"] == json!(true);
            let start =
                |row: usize| if warm { start[row].clone() } else { vec![0.0; start[row].len()] };
            let key = format!("borders_{}", number("border_count"));
            let rows = rows_of(&problem, &key, &start);
            let forest = grown(growth, &rows, 10);
            for rounds in [1, 10] {
                let theirs = case["raw"][rounds.to_string()].as_array().unwrap();
                let theirs: Vec<f64> = theirs.iter().flat_map(numbers).collect();
                let ours = raw(&forest, &rows, rounds);
                let gaps = ours.iter().zip(&theirs).map(|(ours, theirs)| (ours - theirs).abs());
                let gap = gaps.fold(0.0, f64::max);
                largest = largest.max(gap);
                if gap >= TOLERANCE {
                    faults.push(format!("{path} {name} after {rounds}: {gap:e}"));
                }
            }
            cases += 1;
        }
    }
    println!("{cases} cases; the largest difference is {largest:e}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(cases >= 18, "{cases} cases");
}

#[test]
fn borders_are_catboosts() {
    for (path, problem) in problems() {
        let x = table(&problem["x"]);
        for most in [254, 16] {
            let theirs = table(&problem[format!("borders_{most}")]);
            for (feature, theirs) in theirs.iter().enumerate() {
                let ours = borders::choose(x.iter().map(|row| row[feature]).collect(), most);
                assert_eq!(ours.len(), theirs.len(), "{path} {most} {feature}");
                // Theirs are rounded to single precision.
                for (ours, theirs) in ours.iter().zip(theirs) {
                    assert!(
                        (ours - theirs).abs() <= 1e-7 * theirs + 1e-38,
                        "{path} {most}: {ours} {theirs}"
                    );
                }
            }
        }
    }
}

/// Rows of any values, the same for the same seed.
fn random_rows(seed: u64, [count, features, classes, borders]: [usize; 4]) -> BinnedRows {
    let mut draws = generator(seed, 0);
    let mut probs: Vec<f64> = (0..count * classes).map(|_| draws.random_range(0.01..1.0)).collect();
    probs.chunks_exact_mut(classes).for_each(normalise);
    BinnedRows {
        features,
        classes,
        bins: (0..count * features).map(|_| draws.random_range(0..=borders as u8)).collect(),
        borders: vec![borders; features],
        labels: (0..count).map(|_| draws.random_range(0..classes as u32)).collect(),
        weights: (0..count).map(|_| draws.random_range(0.25..4.0)).collect(),
        probs,
    }
}

const GROWTH: Symmetric = Symmetric { depth: 4, rate: Some(0.5), l2: 3.0, noise: 0.0 };

/// Rows by the leaf of a tree that they reach.
fn leaf_of(splits: &[(usize, u8)], rows: &BinnedRows, row: usize) -> usize {
    let bins = &rows.bins[row * rows.features..(row + 1) * rows.features];
    splits.iter().fold(0, |leaf, (feature, bin)| 2 * leaf + usize::from(bins[*feature] > *bin))
}

/// A tree, slowly: every sum is added up again for every candidate. Returns what it adds to each
/// row's scores.
fn slow_tree(growth: Symmetric, rows: &BinnedRows) -> Vec<f64> {
    let l2 = growth.l2 * rows.mean_weight();
    let gradient = |row: usize, class: usize| {
        let observed = f64::from(u8::from(rows.labels[row] as usize == class));
        rows.weights[row] * (observed - rows.probs(row)[class])
    };
    let mut splits: Vec<(usize, u8)> = Vec::new();
    while splits.len() < growth.depth {
        let mut best = (f64::NEG_INFINITY, (0, 0));
        for feature in 0..rows.features {
            for bin in 0..rows.borders[feature] as u8 {
                splits.push((feature, bin));
                let (mut numerator, mut denominator) = (0.0, 0.0);
                for leaf in 0..1 << splits.len() {
                    let members: Vec<usize> = (0..rows.len())
                        .filter(|&row| leaf_of(&splits, rows, row) == leaf)
                        .collect();
                    let weight: f64 = members.iter().map(|&row| rows.weights[row]).sum();
                    for class in 0..rows.classes {
                        let sum: f64 = members.iter().map(|&row| gradient(row, class)).sum();
                        numerator += sum * sum / (weight + l2);
                        denominator += (sum / (weight + l2)).powi(2) * weight;
                    }
                }
                splits.pop();
                let score = numerator / denominator.sqrt();
                if score > best.0 {
                    best = (score, (feature, bin));
                }
            }
        }
        splits.push(best.1);
    }
    let mut moved = vec![0.0; rows.len() * rows.classes];
    for leaf in 0..1 << splits.len() {
        let members: Vec<usize> =
            (0..rows.len()).filter(|&row| leaf_of(&splits, rows, row) == leaf).collect();
        // Steepest descent on ½ vᵀ(H + λI)v − Gᵀv: slow, obvious.
        let mut value = vec![0.0; rows.classes];
        for _ in 0..20_000 {
            for class in 0..rows.classes {
                let mut slope = -l2 * value[class];
                let mut curvature = l2;
                for &row in &members {
                    let (p, weight) = (rows.probs(row), rows.weights[row]);
                    let mean: f64 = p.iter().zip(&value).map(|(p, v)| p * v).sum();
                    slope += gradient(row, class) - weight * p[class] * (value[class] - mean);
                    curvature += weight * p[class] * (1.0 - p[class]);
                }
                value[class] += slope / curvature;
            }
            if value.iter().all(|v| v.abs() < 1e-300) {
                break;
            }
        }
        for &row in &members {
            for class in 0..rows.classes {
                moved[row * rows.classes + class] = growth.rate.unwrap() * value[class];
            }
        }
    }
    moved
}

#[test]
fn a_tree_is_what_the_slow_one_is() {
    // Every number of vectors to a row, leaves with few rows and many, kept histograms and not.
    for (seed, classes, count, features) in [
        (0, 2, 30, 1),
        (1, 2, 40, 2),
        (2, 3, 60, 3),
        (3, 5, 150, 2),
        (4, 9, 200, 2),
        (5, 13, 80, 2),
        (6, 20, 60, 2),
        (7, 33, 50, 2),
    ] {
        let rows = random_rows(seed, [count, features, classes, 6]);
        let growth = Symmetric { depth: 2, ..GROWTH };
        let forest = grown(growth, &rows, 1);
        let slow = slow_tree(growth, &rows);
        for (ours, slow) in raw(&forest, &rows, 1).iter().zip(&slow) {
            // The slow one stops short of its optimum by about as much.
            assert!((ours - slow).abs() < 1e-8, "{classes} classes: {ours} {slow}");
        }
    }
}

/// One feature and two classes have a grower of their own, which must grow the same trees.
#[test]
fn a_line_grows_as_levels_do() {
    for seed in 0..30 {
        let rows = random_rows(seed, [20 + 40 * seed as usize, 1, 2, 8 + 8 * seed as usize]);
        let (mut levels, mut forest) = {
            let l2 = GROWTH.l2 * rows.mean_weight();
            let chance = chance::Chance::new(0.0, rows.len(), 0.5, 0);
            let levels = levels::Levels::new(&rows, GROWTH.depth, l2, 0.5, chance);
            (levels, forest::SymmetricForest::with_room(2, 5, GROWTH.depth))
        };
        (0..5).for_each(|_| levels.grow(&rows, &mut forest));
        let line = grown(GROWTH, &rows, 5);
        for (one, other) in raw(&line, &rows, 5).iter().zip(&raw(&forest, &rows, 5)) {
            assert!((one - other).abs() < 1e-9, "seed {seed}: {one} {other}");
        }
    }
}

/// Beyond [`leaf::MOST_ELIMINATED`] classes, Newton's step is found another way.
#[test]
fn many_classes_get_the_same_step() {
    let rows = random_rows(1, [40, 1, 70, 3]);
    let members: Vec<u32> = (0..40).collect();
    let mut probs = leaf::Padded::new(&rows);
    let mut newton = leaf::Newton::new(70, 3.0, 1.0);
    let factors = newton.advance(&rows, &mut probs, &members).to_vec();
    let step: Vec<f64> = factors.iter().map(|factor| factor.ln()).collect();
    // (H + λI) v = G, row by row.
    for class in 0..70 {
        let mut residual = -3.0 * step[class];
        for row in 0..40 {
            let (p, weight) = (rows.probs(row), rows.weights[row]);
            let mean: f64 = p.iter().zip(&step).map(|(p, v)| p * v).sum();
            let observed = f64::from(u8::from(rows.labels[row] as usize == class));
            residual += weight * (observed - p[class] - p[class] * (step[class] - mean));
        }
        assert!(residual.abs() < 1e-8, "{class}: {residual:e}");
    }
}

#[test]
fn a_split_that_separates_nothing_ends_the_tree() {
    // Two features that say the same: after both borders of one, nothing is left to ask.
    let mut rows = random_rows(2, [60, 2, 3, 2]);
    for bins in rows.bins.chunks_exact_mut(2) {
        bins[1] = bins[0];
    }
    let forest = grown(GROWTH, &rows, 3);
    let splits = serde_json::to_value(&forest).unwrap()["trees"][0]["splits"].as_u64().unwrap();
    assert_eq!(splits, 2);
    // No feature has a border: one leaf.
    let rows = BinnedRows { borders: vec![0, 0], bins: vec![0; 120], ..rows };
    let forest = grown(GROWTH, &rows, 3);
    assert!(forest.rounds() == 3 && forest.is_sound(2, 3));
}

#[test]
fn noise_is_of_its_seed_and_of_the_right_size() {
    let mut chance = chance::Chance::new(1.0, 100, 0.5, 3);
    // 100 rows whose squared gradients add up to 400: a root mean square of 2, less 1 in 101.
    chance.begin(400.0);
    let mut scores = vec![0.0; 20_000];
    chance.disturb(&mut scores);
    let mean = scores.iter().map(|&s| f64::from(s)).sum::<f64>() / 20_000.0;
    let variance = scores.iter().map(|&s| f64::from(s * s)).sum::<f64>() / 20_000.0;
    let expected = (2.0 * 100.0 / 101.0f64).powi(2);
    // Four standard errors of a mean and of a variance of 20,000 draws.
    assert!(mean.abs() < 4.0 * 2.0 / 20_000f64.sqrt(), "{mean}");
    assert!((variance / expected - 1.0).abs() < 4.0 * (2.0 / 20_000f64).sqrt(), "{variance}");
    let rows = random_rows(5, [200, 3, 3, 20]);
    let noisy = |seed| {
        let growth = Symmetric { noise: 1.0, ..GROWTH };
        let (mut grower, mut forest) = growth.grower(&rows, 3, seed);
        (0..3).for_each(|_| grower.grow(&mut rows.clone(), &mut forest));
        raw(&forest, &rows, 3)
    };
    assert_eq!(noisy(1), noisy(1));
    assert_ne!(noisy(1), noisy(2));
}

#[test]
fn a_forest_that_would_lead_rows_astray_is_refused() {
    let rows = random_rows(3, [100, 2, 3, 10]);
    let forest = grown(GROWTH, &rows, 2);
    assert!(forest.is_sound(2, 3));
    assert!(!forest.is_sound(1, 3) && !forest.is_sound(2, 2));
    let saved = serde_json::to_value(&forest).unwrap();
    let changes: [(&str, Value); 4] = [
        ("/trees/0/splits", json!(60)),
        ("/trees/1/leaf", json!(3)),
        ("/splits/0/0", json!(7)),
        ("/factors/0", json!(-1.0)),
    ];
    for (place, value) in changes {
        let mut saved = saved.clone();
        *saved.pointer_mut(place).unwrap() = value;
        let forest: <Symmetric as Growth>::Forest = serde_json::from_value(saved).unwrap();
        assert!(!forest.is_sound(2, 3), "{place}");
    }
}
