use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::oracle::{numbers, problems, rows_of, table};
use super::forest::Node;
use super::*;

/// LightGBM's values hold ten digits; the rest is rounding of the probabilities, which steers which
/// way gradients are rounded to single precision.
const TOLERANCE: f64 = 1e-5;

/// LightGBM's score of each class before the first round.
fn average(rows: &BinnedRows) -> Vec<f64> {
    let total: f64 = rows.weights.iter().sum();
    let share = |class| {
        let of_class = rows.labels.iter().zip(&rows.weights).filter(|(label, _)| **label == class);
        of_class.map(|(_, weight)| weight).sum::<f64>() / total
    };
    (0..rows.classes as u32).map(|class| share(class).max(EPSILON).ln()).collect()
}

/// A tree of LightGBM's, in our terms.
fn their_tree(tree: &Value, bias: f64) -> (Vec<Node>, Vec<f64>) {
    let column = |key: &str| numbers(&tree[key]);
    let (features, bins) = (column("feature"), column("bin"));
    let (left, right) = (column("left"), column("right"));
    let nodes = (0..features.len())
        .map(|at| (features[at] as u32, bins[at] as u8, [left[at] as i32, right[at] as i32]));
    let values = column("leaf_values").into_iter().map(|value| value - bias);
    (nodes.collect(), values.collect())
}

/// The leaf of a row.
fn leaf_of(nodes: &[Node], bins: &[u8]) -> usize {
    let mut at = if nodes.is_empty() { -1 } else { 0 };
    while at >= 0 {
        let (feature, bin, [left, right]) = nodes[at as usize];
        at = if bins[feature as usize] <= bin { left } else { right };
    }
    !at as usize
}

/// Compares a forest with LightGBM's, and returns how many of its rounds could be compared: after
/// a leaf whose value is beyond our largest step, the two go different ways.
fn compare(problem: &Value, case: &Value, at: &str) -> usize {
    let params = &case["params"];
    let number = |name: &str| params[name].as_f64().unwrap();
    let growth = Leafwise {
        leaves: number("num_leaves") as usize,
        least_rows: number("min_data_in_leaf") as usize,
        least_hessian: number("min_sum_hessian_in_leaf"),
        rate: number("learning_rate"),
        share: 1.0,
    };
    let start = table(&problem["start"]);
    let average = average(&rows_of(problem, "borders_254", &|row| start[row].clone()));
    let warm = params["start"] == json!(true);
    let start = |row: usize| if warm { start[row].clone() } else { average.clone() };
    let mut rows = rows_of(problem, "borders_254", &start);
    let classes = rows.classes;
    let initial = if warm { vec![0.0; classes] } else { average.clone() };
    let (mut grower, mut forest) = growth.grower(&rows, 10, 0);
    let mut raw = initial.repeat(rows.len());
    for round in 0..10 {
        grower.grow(&mut rows, &mut forest);
        let mut beyond = false;
        for class in 0..classes {
            let at = format!("{at}: round {round}, class {class}");
            let (nodes, factors) = forest.tree(round * classes + class);
            let Some(theirs) = case["trees"].get(round) else {
                // LightGBM has stopped.
                assert_eq!(factors, [1.0], "{at}");
                continue;
            };
            let bias = if round == 0 { initial[class] } else { 0.0 };
            let (their_nodes, their_values) = their_tree(&theirs[class], bias);
            assert_eq!(factors.len(), their_values.len(), "{at}");
            // Of two classes, either feature tells all that the other does, and which of them is
            // asked hangs on the last bit.
            if classes > 2 {
                assert_eq!(nodes, their_nodes, "{at}");
            }
            for (row, bins) in rows.bins.chunks_exact(rows.features).enumerate() {
                let ours = factors[leaf_of(nodes, bins)].ln();
                let theirs = their_values[leaf_of(&their_nodes, bins)];
                beyond |= theirs.abs() > LARGEST_STEP;
                let theirs = theirs.clamp(-LARGEST_STEP, LARGEST_STEP);
                assert!((ours - theirs).abs() < TOLERANCE, "{at}, row {row}: {ours} {theirs}");
                raw[row * classes + class] += ours;
            }
        }
        if beyond {
            return round;
        }
        if let Some(theirs) = case["raw"].get((round + 1).to_string()) {
            let theirs: Vec<f64> = theirs.as_array().unwrap().iter().flat_map(numbers).collect();
            for (row, (ours, theirs)) in raw.iter().zip(&theirs).enumerate() {
                assert!((ours - theirs).abs() < TOLERANCE, "{at}, row {row}: {ours} {theirs}");
            }
        }
    }
    10
}

#[test]
fn trees_are_lightgbms() {
    let (mut cases, mut compared) = (0, 0);
    for (path, problem) in problems() {
        for (name, case) in problem["lightgbm"].as_object().unwrap() {
            cases += 1;
            let rounds = compare(&problem, case, &format!("{} {name}", path));
            compared += rounds;
            if name.ends_with("cold") {
                assert_eq!(rounds, 10, "{} {name}", path);
            }
        }
    }
    assert!(cases == 28 && compared >= 200, "{cases} cases, {compared} rounds");
}

/// Rows of any values, the same for the same seed.
fn random_rows(seed: u64, [count, features, classes, borders]: [usize; 4]) -> BinnedRows {
    let mut draws = generator(seed, 0);
    let borders: Vec<usize> = (0..features).map(|_| draws.random_range(0..=borders)).collect();
    let bins = (0..count * features).map(|at| draws.random_range(0..=borders[at % features] as u8));
    let bins = bins.collect();
    let labels = (0..count).map(|_| draws.random_range(0..classes as u32)).collect();
    let weights = (0..count).map(|_| draws.random_range(0.25..4.0)).collect();
    let mut probs: Vec<f64> = (0..count * classes).map(|_| draws.random_range(0.1..1.0)).collect();
    probs.chunks_exact_mut(classes).for_each(normalise);
    BinnedRows { features, classes, bins, borders, labels, weights, probs }
}

/// The same round, slowly: every leaf's sums are added up again for every border.
fn slow_round(settings: &Leafwise, rows: &mut BinnedRows) {
    let steps: Vec<Vec<f64>> =
        (0..rows.classes).map(|class| slow_tree(settings, rows, class)).collect();
    for (row, probs) in rows.probs.chunks_exact_mut(rows.classes).enumerate() {
        probs.iter_mut().zip(&steps).for_each(|(p, steps)| *p *= steps[row].exp());
        normalise(probs);
    }
}

/// What a tree adds to each row's score.
fn slow_tree(settings: &Leafwise, rows: &BinnedRows, class: usize) -> Vec<f64> {
    let scale = rows.classes as f64 / (rows.classes as f64 - 1.0);
    let pair = |row: usize| {
        let p = rows.probs[row * rows.classes + class];
        let y = f64::from(u8::from(rows.labels[row] as usize == class));
        let gradient = (rows.weights[row] * (p - y)) as f32;
        let hessian = (rows.weights[row] * scale * p * (1.0 - p)) as f32;
        [f64::from(gradient), f64::from(hessian)]
    };
    let sums = |leaf: &[usize]| {
        leaf.iter().map(|row| pair(*row)).fold([0.0; 2], |sum, [g, h]| [sum[0] + g, sum[1] + h])
    };
    let bin = |row: usize, feature: usize| usize::from(rows.bins[row * rows.features + feature]);
    let share = |[g, h]: [f64; 2]| g * g / h;
    // For a leaf, the gains of the borders of a feature.
    let gains = |leaf: &[usize], feature: usize| {
        let total = sums(leaf);
        let side = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            leaf.iter().copied().filter(|row| keep(bin(*row, feature))).collect()
        };
        let mut gains = Vec::new();
        for border in (0..rows.borders[feature]).rev() {
            let (left, right) =
                (sums(&side(&|bin| bin <= border)), sums(&side(&|bin| bin > border)));
            let estimate =
                |bin| sums(&side(&|other| other == bin))[1] * leaf.len() as f64 / total[1];
            let count: f64 =
                (border + 1..=rows.borders[feature]).map(|bin| (estimate(bin) + 0.5).floor()).sum();
            let enough = |rows: f64, hessian: f64| {
                rows >= settings.least_rows as f64 && hessian >= settings.least_hessian
            };
            let gain = share(left) + share(right) - share(total);
            if enough(count, right[1]) && enough(leaf.len() as f64 - count, left[1]) && gain > 0.0 {
                gains.push((gain, feature, border));
            }
        }
        gains
    };
    // Each leaf, and the features that none above it found useless.
    let mut leaves = vec![((0..rows.len()).collect::<Vec<_>>(), vec![true; rows.features])];
    let seen = rows.labels.iter().filter(|label| **label as usize == class).count();
    while leaves.len() < settings.leaves && seen > 0 && seen < rows.len() {
        let mut best = (0.0, 0, 0, 0);
        for (number, (leaf, open)) in leaves.iter().enumerate() {
            for feature in (0..rows.features).filter(|feature| open[*feature]) {
                for (gain, feature, border) in gains(leaf, feature) {
                    if gain > best.0 {
                        best = (gain, number, feature, border);
                    }
                }
            }
        }
        let (gain, number, feature, border) = best;
        if gain <= 0.0 {
            break;
        }
        let (leaf, mut open) = leaves[number].clone();
        let useful = |feature: usize| !gains(&leaf, feature).is_empty();
        open.iter_mut().enumerate().for_each(|(feature, open)| *open &= useful(feature));
        let (left, right) = leaf.iter().partition(|row| bin(**row, feature) <= border);
        leaves[number] = (left, open.clone());
        leaves.push((right, open));
    }
    let mut steps = vec![0.0; rows.len()];
    for (leaf, _) in leaves.iter().filter(|_| leaves.len() > 1) {
        let [gradient, hessian] = sums(leaf);
        leaf.iter().for_each(|row| steps[*row] = -settings.rate * gradient / hessian);
    }
    steps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_slow_twin_moves_rows_the_same_way(
        seed: u64,
        count in 1usize..120,
        features in 1usize..5,
        classes in 2usize..5,
        borders in 0usize..40,
        leaves in 1usize..9,
        least_rows in 1usize..8,
    ) {
        let settings = Leafwise { leaves, least_rows, least_hessian: 1e-3, rate: 0.2, share: 1.0 };
        let mut rows = random_rows(seed, [count, features, classes, borders]);
        let mut twin = rows.clone();
        let (mut grower, mut forest) = settings.grower(&rows, 3, 0);
        for _ in 0..3 {
            grower.grow(&mut rows, &mut forest);
            slow_round(&settings, &mut twin);
        }
        // Sums in another order differ by about 1e-16, and the epsilon is 1e-15 of a Hessian.
        for (fast, slow) in rows.probs.iter().zip(&twin.probs) {
            prop_assert!((fast - slow).abs() < 1e-10, "{} {}", fast, slow);
        }
    }
}

const NARROW: Leafwise =
    Leafwise { leaves: 8, least_rows: 2, least_hessian: 0.0, rate: 0.3, share: 1.0 };

fn grown(settings: Leafwise, rows: &mut BinnedRows, rounds: usize, seed: u64) -> LeafwiseForest {
    let (mut grower, mut forest) = settings.grower(rows, rounds, seed);
    (0..rounds).for_each(|_| grower.grow(rows, &mut forest));
    forest
}

#[test]
fn rows_that_were_not_drawn_move_too() {
    let settings = Leafwise { share: 0.75, ..NARROW };
    let start = random_rows(3, [400, 3, 3, 100]);
    let mut rows = start.clone();
    let forest = grown(settings, &mut rows, 5, 11);
    let mut fresh = start.clone();
    (0..5).for_each(|round| {
        fresh.advance(&forest, round);
    });
    assert_eq!(rows.probs, fresh.probs);
    let with_seed = |seed| {
        let mut rows = start.clone();
        grown(settings, &mut rows, 5, seed);
        rows.probs
    };
    assert_eq!(rows.probs, with_seed(11));
    assert_ne!(rows.probs, with_seed(12));
}

#[test]
fn every_row_is_drawn_with_the_same_probability() {
    let rows = random_rows(1, [1000, 1, 2, 5]);
    let (mut grower, _) = Leafwise { share: 0.75, ..NARROW }.grower(&rows, 1, 5);
    let mut times = vec![0; rows.len()];
    for round in 0..400 {
        grower.draw(round);
        // 0.75 · 1000 rows, with a standard deviation of 13.7.
        assert!((680..820).contains(&grower.count), "{}", grower.count);
        let mut all = grower.drawn.clone();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..1000));
        assert!(grower.drawn[..grower.count].is_sorted());
        grower.drawn[..grower.count].iter().for_each(|row| times[*row as usize] += 1);
    }
    // 0.75 · 400 rounds, with a standard deviation of 8.7.
    assert!(times.iter().all(|times| (255..345).contains(times)));
}

#[test]
fn any_rows_can_be_grown_on() {
    let odd = |change: &dyn Fn(&mut BinnedRows)| {
        let mut rows = random_rows(2, [70, 3, 3, 254]);
        change(&mut rows);
        rows
    };
    let cases = [
        random_rows(0, [1, 2, 3, 4]),
        random_rows(0, [2, 1, 2, 1]),
        random_rows(0, [50, 3, 3, 0]),
        random_rows(0, [60, 1000, 1000, 60]),
        odd(&|rows| rows.labels.fill(1)),
        odd(&|rows| rows.labels.iter_mut().for_each(|label| *label = (*label).min(1))),
        odd(&|rows| rows.weights.fill(1e-300)),
        odd(&|rows| rows.weights.fill(1e300)),
        odd(&|rows| rows.weights[..35].fill(1e-30)),
        odd(&|rows| rows.weights[35..].fill(1e30)),
        odd(&|rows| rows.bins.fill(254)),
        odd(&|rows| {
            rows.probs.chunks_exact_mut(3).for_each(|p| p.copy_from_slice(&[1.0, 1e-100, 1e-100]))
        }),
        odd(&|rows| {
            rows.probs[..90]
                .chunks_exact_mut(3)
                .for_each(|p| p.copy_from_slice(&[1e-100, 1.0, 1e-20]))
        }),
    ];
    for (number, rows) in cases.iter().enumerate() {
        for share in [0.01, 0.5, 1.0] {
            for (leaves, least_rows) in [(1, 1), (2, 0), (50, 1), (1000, 5), (8, usize::MAX)] {
                let mut rows = rows.clone();
                let settings = Leafwise { leaves, least_rows, share, ..NARROW };
                let forest = grown(settings, &mut rows, 2, 0);
                assert!(forest.is_sound(rows.features, rows.classes), "{number}");
                assert!(rows.probs.iter().all(|p| *p > 0.0 && *p <= 1.0), "{number}");
            }
        }
    }
}

#[test]
fn a_forest_that_would_lead_rows_astray_is_refused() {
    let mut rows = random_rows(4, [200, 3, 3, 20]);
    let mut forest = grown(NARROW, &mut rows, 3, 0);
    let saved = serde_json::to_value(&forest).unwrap();
    let sound = |saved: Value| {
        serde_json::from_value::<LeafwiseForest>(saved).is_ok_and(|forest| forest.is_sound(3, 3))
    };
    assert!(sound(saved.clone()));
    let leaves = forest.tree(0).1.len();
    assert!(leaves > 2);
    let tampered = [
        ("/classes", json!(2)),
        ("/classes", json!(0)),
        ("/trees/0", json!(1)),
        ("/trees/1", json!(0)),
        ("/trees/8", json!(1_000_000)),
        ("/trees", json!([])),
        ("/trees", json!([0])),
        ("/nodes", json!([])),
        ("/factors", json!([])),
        ("/factors/2", json!(0.0)),
        ("/factors/2", json!(-1.0)),
        ("/nodes/0/0", json!(3)),
        ("/nodes/0/2/0", json!(0)),
        ("/nodes/1/2/1", json!(1)),
        ("/nodes/0/2/1", json!(leaves - 1)),
        ("/nodes/0/2/1", json!(!(leaves as i32))),
        ("/nodes/0/2/1", json!(i32::MIN)),
    ];
    for (place, value) in tampered {
        let mut saved = saved.clone();
        *saved.pointer_mut(place).unwrap() = value.clone();
        assert!(!sound(saved), "{place} {value}");
    }
    let mut again = random_rows(4, [200, 3, 3, 20]);
    let shorter = grown(NARROW, &mut again, 2, 0);
    forest.truncate(5);
    assert_eq!(forest.rounds(), 3);
    forest.truncate(2);
    assert_eq!(serde_json::to_value(&forest).unwrap(), serde_json::to_value(&shorter).unwrap());
    forest.truncate(0);
    assert!(forest.rounds() == 0 && forest.is_sound(3, 3));
}
