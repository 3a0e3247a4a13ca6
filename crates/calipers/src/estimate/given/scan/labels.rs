//! Rows with labels to be drawn, and the classes that are counted.

use rand::RngExt;
use rayon::prelude::*;

use crate::estimate::Problem;
use crate::numeric::random::generator;
use crate::run::stop;

/// At most so many rows are looked at, evenly taken.
const MOST_ROWS: usize = 200_000;

/// The most classes that are counted, those with most variance.
const MOST_CLASSES: usize = 8;

/// No probability is nearer to 0 or 1 where its logit is taken.
const FLOOR: f64 = 1e-6;

/// The rows, by their places among those that are looked at.
pub(super) struct Rows {
    classes: usize,
    /// The problem's row at each place.
    own: Vec<u32>,
    f: Vec<f64>,
    labels: Vec<u32>,
    /// None if all count alike.
    pub weights: Option<Vec<f64>>,
    /// The classes that are counted.
    counted: Vec<usize>,
}

/// A class, and what an error of f alone does to it.
pub(super) struct Class {
    /// For each row: f, and w² f (1 − f).
    pub f: Vec<f64>,
    pub variance: Vec<f64>,
    /// For each row, a shift and a tilt of its logit in units of their standard deviation; and Σ w f times each.
    directions: Vec<[f64; 2]>,
    expected_along: [f64; 2],
}

impl Rows {
    pub fn of(problem: &Problem<'_>) -> Self {
        let counts: Vec<u32> =
            (0..problem.rows() as u32).filter(|&row| problem.weight(row as usize) > 0.0).collect();
        let step = counts.len().div_ceil(MOST_ROWS).max(1);
        let own: Vec<u32> = counts.into_iter().step_by(step).collect();
        let classes = problem.classes();
        let mut buffer = vec![0.0; classes];
        let mut f = Vec::with_capacity(own.len() * classes);
        own.iter().for_each(|&row| {
            f.extend_from_slice(problem.prediction(row as usize, &mut buffer));
        });
        let labels = own.iter().map(|&row| problem.label(row as usize) as u32).collect();
        let weights = own.iter().map(|&row| problem.weight(row as usize));
        let weights = problem.is_weighted().then(|| weights.collect());
        let counted = if classes == 2 { vec![1] } else { varied(&f, classes) };
        Self { classes, own, f, labels, weights, counted }
    }

    /// The problem's rows.
    pub fn own(&self) -> &[u32] {
        &self.own
    }

    pub fn count(&self) -> usize {
        self.own.len()
    }

    pub fn weight(&self, place: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[place])
    }
}

/// Drawings that are looked at together.
pub(super) const LANES: usize = 40;

/// Some drawings of all labels.
pub(super) struct Drawings {
    /// How many of the lanes are in use.
    pub count: usize,
    /// For each class that is counted and each row, whether it is of the class, drawing by drawing.
    pub of_class: Vec<Vec<[u8; LANES]>>,
}

impl Drawings {
    /// So many, the first of which are the labels observed.
    pub fn all(rows: &Rows, count: usize, seed: u64) -> Vec<Self> {
        let starts: Vec<usize> = (0..count).step_by(LANES).collect();
        let some = |from: usize| Self::new(rows, from, (count - from).min(LANES), seed);
        starts.into_par_iter().map(some).collect()
    }

    fn new(rows: &Rows, from: usize, count: usize, seed: u64) -> Self {
        let mut of_class = vec![vec![[0; LANES]; rows.count()]; rows.counted.len()];
        let mut place_of = vec![None; rows.classes];
        rows.counted.iter().enumerate().for_each(|(at, &class)| place_of[class] = Some(at));
        let lanes = from..from + count;
        let mut draws: Vec<_> = lanes.clone().map(|draw| generator(seed, draw as u64)).collect();
        for (place, f) in rows.f.chunks_exact(rows.classes).enumerate() {
            if stop::requested_at(place) {
                break;
            }
            for (lane, (draw, draws)) in lanes.clone().zip(&mut draws).enumerate() {
                let label = match draw {
                    0 => rows.labels[place] as usize,
                    _ => drawn(f, draws.random()),
                };
                if let Some(at) = place_of[label] {
                    of_class[at][place][lane] = 1;
                }
            }
        }
        Self { count, of_class }
    }
}

/// The class that a number from 0 to 1 draws.
fn drawn(f: &[f64], at: f64) -> usize {
    if let [_, one] = f {
        return usize::from(at < *one);
    }
    let mut sum = 0.0;
    let reached = f.iter().position(|p| {
        sum += p;
        at < sum
    });
    // Rounding may leave the sum below 1: the last that is possible.
    reached.or(f.iter().rposition(|p| *p > 0.0)).unwrap_or(0)
}

/// The classes whose labels vary most under calibration.
fn varied(f: &[f64], classes: usize) -> Vec<usize> {
    let mut variance = vec![0.0; classes];
    for f in f.chunks_exact(classes) {
        variance.iter_mut().zip(f).for_each(|(sum, p)| *sum += p * (1.0 - p));
    }
    let mut order: Vec<usize> = (0..classes).collect();
    order.sort_by(|&a, &b| variance[b].total_cmp(&variance[a]));
    order.truncate(MOST_CLASSES);
    order.sort_unstable();
    order
}

impl Class {
    /// Those that are counted.
    pub fn all(rows: &Rows) -> Vec<Self> {
        rows.counted.iter().map(|&class| Self::new(rows, class)).collect()
    }

    fn new(rows: &Rows, class: usize) -> Self {
        let f: Vec<f64> = rows.f.chunks_exact(rows.classes).map(|f| f[class]).collect();
        let variance: Vec<f64> = f
            .iter()
            .enumerate()
            .map(|(place, p)| rows.weight(place).powi(2) * p * (1.0 - p))
            .collect();
        let logit = |p: f64| {
            let p = p.clamp(FLOOR, 1.0 - FLOOR);
            (p / (1.0 - p)).ln()
        };
        let total: f64 = variance.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mean: f64 =
            f.iter().zip(&variance).map(|(&p, own)| own * logit(p)).sum::<f64>() / total;
        let spread: f64 =
            f.iter().zip(&variance).map(|(&p, own)| own * (logit(p) - mean).powi(2)).sum();
        let (shift, tilt) = (1.0 / total.sqrt(), 1.0 / spread.sqrt().max(1e-9));
        let directions: Vec<[f64; 2]> = f
            .iter()
            .enumerate()
            .map(|(place, &p)| [shift, tilt * (logit(p) - mean)].map(|to| to * rows.weight(place)))
            .collect();
        let mut expected_along = [0.0; 2];
        for (p, along) in f.iter().zip(&directions) {
            expected_along.iter_mut().zip(along).for_each(|(sum, along)| *sum += p * along);
        }
        Self { f, variance, directions, expected_along }
    }

    /// What speaks for an error of f alone, its shift and its tilt squared, in each of some drawings of the class
    /// at a place among those that are counted.
    pub fn alone(&self, drawings: &Drawings, place: usize) -> Vec<f64> {
        let mut along = [[0.0; LANES]; 2];
        for (labels, own) in drawings.of_class[place].iter().zip(&self.directions) {
            for (sums, own) in along.iter_mut().zip(own) {
                for (sum, &label) in sums.iter_mut().zip(labels) {
                    *sum += own * f64::from(label);
                }
            }
        }
        let lane = |lane: usize| {
            let apart = |(sums, mean): (&[f64; LANES], f64)| (sums[lane] - mean).powi(2);
            along.iter().zip(self.expected_along).map(apart).sum()
        };
        (0..drawings.count).map(lane).collect()
    }
}
