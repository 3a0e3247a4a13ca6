use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::loss::{BinaryNorm, Metric};

/// Predictions, and the truth that labels are drawn from.
struct World {
    name: &'static str,
    f: fn(f64) -> f64,
    truth: fn(f64) -> f64,
}

/// Truths that rise: calibrated, over-confident, a step, rare, four predictions, and none at all.
const WORLDS: [World; 6] = [
    World { name: "calibrated", f: |u| u, truth: |f| f },
    World { name: "over-confident", f: |u| u, truth: |f| 0.25 + 0.5 * f },
    World { name: "a step", f: |u| u, truth: |f| if f < 0.6 { 0.3 } else { 0.8 } },
    World { name: "rare", f: |u| 0.2 * u.powi(4), truth: |f| 2.0 * f },
    World {
        name: "four",
        f: |u| [0.1, 0.3, 0.6, 0.9][(4.0 * u) as usize],
        truth: |f| 0.1 + 0.8 * f,
    },
    World { name: "nothing", f: |u| u, truth: |_| 0.5 },
];

impl World {
    fn draw(&self, rows: usize, seed: u64) -> Predictions<'static> {
        let mut draws = ChaCha8Rng::seed_from_u64(seed);
        let f: Vec<f64> = (0..rows).map(|_| (self.f)(draws.random())).collect();
        let label = |f: &f64| u32::from(draws.random::<f64>() < (self.truth)(*f));
        let labels: Vec<u32> = f.iter().map(label).collect();
        Predictions::binary(f, &labels).unwrap()
    }

    /// The mean of D_f(C) over the rows.
    fn error(&self, predictions: &Predictions<'_>, scorer: &Scorer) -> f64 {
        let distance = Distance::of(scorer);
        let f = predictions.probs();
        let each = f.rows().into_iter().map(|f| distance.at(&[f[0], f[1]], (self.truth)(f[1])));
        each.sum::<f64>() / predictions.rows() as f64
    }
}

fn scorer(name: &str) -> Scorer {
    Scorer::new(&name.parse::<Metric>().unwrap(), 2, BinaryNorm::Scalar, 0.0).unwrap()
}

/// 90 % bounds of 100 data sets are below the truth no more often than three standard errors above 10 %
/// (9 points); in fact they hardly ever are.
#[test]
fn bounds_are_below_the_truth_no_more_often_than_they_say() {
    for world in &WORLDS {
        for name in ["l1", "log", "over-l1", "under-brier"] {
            let scorer = scorer(name);
            let below = (0..100)
                .filter(|&seed| {
                    let predictions = world.draw(300, seed);
                    let truth = world.error(&predictions, &scorer);
                    match upper(&predictions, &scorer, 0.9) {
                        Upper::At(bound) => bound < truth,
                        Upper::Contradicted => true,
                        Upper::Silent => panic!("two classes"),
                    }
                })
                .count();
            assert!(below <= 19, "{} {name}: {below} of 100", world.name);
        }
    }
}

/// The band at each row, for all stretches of rows alike, by the formula of the reference: n(n + 1)/2
/// stretches and two sides.
fn plain_band(rows: &Ascending<'_>, level: f64) -> Vec<(f64, f64)> {
    let n = rows.pairs.len();
    let share = level / (n * (n + 1)) as f64;
    let mut ends = vec![(0.0f64, 1.0f64); n];
    for from in 0..n {
        let mut ones = 0;
        for to in from..n {
            ones += u64::from(rows.labels[to]);
            let draws = (to + 1 - from) as u64;
            let (high, low) =
                (binomial::at_most(ones, draws, share), binomial::at_least(ones, draws, share));
            // Rows of one prediction share their truth.
            ends[from].1 = ends[from].1.min(high);
            ends[to].0 = ends[to].0.max(low);
        }
    }
    for row in (0..n - 1).rev() {
        ends[row].1 = ends[row].1.min(ends[row + 1].1);
    }
    for row in 1..n {
        ends[row].0 = ends[row].0.max(ends[row - 1].0);
    }
    ends
}

/// The band holds the truth everywhere at once, and is narrower than the plain one; the bound of l1 is far
/// closer to the truth than what the plain band gives.
#[test]
fn it_is_tighter_than_the_plain_band() {
    let world = &WORLDS[0];
    let (mut own, mut plain, mut bounds) = (0.0, 0.0, [0.0; 2]);
    for seed in 0..8 {
        let predictions = world.draw(150, seed);
        let problem = Problem::new(&predictions, Scope::Canonical, 0);
        let rows = problem.ascending().unwrap();
        let band: Vec<(f64, f64)> = Band::of(&rows, 0.05).rows().collect();
        for ((low, high), f) in band.iter().zip(rows.pairs) {
            assert!(*low <= f[1] && f[1] <= *high, "{low} {high} {f:?}");
        }
        let slow = plain_band(&rows, 0.05);
        own += band.iter().map(|(low, high)| high - low).sum::<f64>();
        plain += slow.iter().map(|(low, high)| high - low).sum::<f64>();
        let farthest = |((low, high), f): (&(f64, f64), &[f64; 2])| (f[1] - low).max(high - f[1]);
        bounds[0] += slow.iter().zip(rows.pairs).map(farthest).sum::<f64>() / 150.0;
        if let Upper::At(bound) = upper(&predictions, &scorer("l1"), 0.95) {
            bounds[1] += bound;
        }
    }
    println!(
        "widths {:.3} of {:.3}; bounds {:.3} of {:.3}",
        own / 1200.0,
        plain / 1200.0,
        bounds[1] / 8.0,
        bounds[0] / 8.0
    );
    assert!(own < 0.96 * plain, "{own} {plain}");
    assert!(bounds[1] < 0.7 * bounds[0], "{bounds:?}");
}

#[test]
fn a_truth_that_falls_is_contradicted() {
    let falling = World { name: "falling", f: |u| u, truth: |f| 1.0 - f };
    assert_eq!(upper(&falling.draw(1_000, 0), &scorer("l1"), 0.95), Upper::Contradicted);
    let rising = &WORLDS[0];
    assert_ne!(upper(&rising.draw(1_000, 0), &scorer("l1"), 0.95), Upper::Contradicted);
}

#[test]
fn more_rows_and_less_confidence_bring_it_down() {
    let bound = |rows, confidence| {
        let mean = (0..4).map(|seed| {
            match upper(&WORLDS[0].draw(rows, seed), &scorer("l1"), confidence) {
                Upper::At(bound) => bound / 4.0,
                other => panic!("{other:?}"),
            }
        });
        mean.sum::<f64>()
    };
    let bounds = [bound(300, 0.95), bound(3_000, 0.95), bound(30_000, 0.95)];
    assert!(bounds.is_sorted_by(|a, b| *b < 0.62 * *a), "{bounds:?}");
    assert!(bound(300, 0.8) < bounds[0]);
}

/// By hand: six rows of one prediction.
#[test]
fn the_total_is_spent_where_it_weighs_most() {
    let predictions = Predictions::binary(vec![0.5; 6], &[0, 1, 0, 1, 0, 1]).unwrap();
    let problem = Problem::new(&predictions, Scope::Canonical, 0);
    let rows = problem.ascending().unwrap();
    let band = Band::of(&rows, 0.5);
    let (low, high) = band.rows().next().unwrap();
    let farthest = (0.5 - low).max(high - 0.5);
    let brier = scorer("brier");
    let distance = Distance::of(&brier);
    // All six rows are alike: in proportion until the end of the band, and no further.
    let half = spend(&rows, &band, &distance, 0.5 * farthest);
    assert!((half - 0.5 * farthest * farthest).abs() < 1e-12, "{half}");
    let all = spend(&rows, &band, &distance, 1.0);
    assert!((all - farthest * farthest).abs() < 1e-12, "{all}");
}

#[test]
fn more_classes_are_bounded_by_the_top_one_and_by_each_alone() {
    let predictions = crate::simulate("multiclass-overconfident-3", 2_000, 0).unwrap();
    let three = |name: &str| {
        let metric = name.parse::<Metric>().unwrap();
        let scorer = Scorer::new(&metric, 3, BinaryNorm::Scalar, 0.0).unwrap();
        upper(&predictions, &scorer, 0.95)
    };
    assert_eq!(three("l1"), Upper::Silent);
    assert!(matches!(three("top-l1"), Upper::At(bound) if bound > 0.1 && bound < 0.5));
    assert!(matches!(three("classwise-l1"), Upper::At(bound) if bound > 0.1 && bound < 0.5));
}
