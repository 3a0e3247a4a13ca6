//! Pairs of models on the same labels whose true errors are known.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

/// What the two models know: C of each given its own prediction, and what labels are drawn from.
#[derive(Clone, Copy, PartialEq)]
pub enum World {
    /// C uniform on the simplex, and its mean given the most probable class.
    FineCoarse,
    /// 0.99 or 0.999 for one class, and their average.
    Skewed,
    /// C within 0.01 of one vector, and the averages of its halves.
    NearConstant,
    /// All classes but the first from Beta(0.5, 100), and the averages of two cells of each.
    Rare,
    /// Each model knows half of what labels are drawn from.
    Apart,
    /// Both know the same.
    Same,
    /// Both know the same, and it is between 0.1 and 0.9.
    Middle,
}

/// What a model makes of what it knows.
#[derive(Clone, Copy, PartialEq)]
pub enum Distortion {
    /// Nothing: it is calibrated.
    None,
    /// Proportional to Cᵗ: over-confident for t > 1.
    Power(f64),
    /// Added to class 1 of two.
    Shift(f64),
    /// All classes but the first times a number.
    Scale(f64),
}

/// What is true of the two errors.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Both are 0.
    Calibrated,
    /// Both are the same; the second distortion is solved for, metric by metric, if `solved`.
    Equal { solved: bool },
    /// The first is larger.
    Differ,
}

/// Two models.
#[derive(Clone, Copy)]
pub struct Pair {
    pub world: World,
    pub classes: usize,
    pub kind: Kind,
    pub models: [Distortion; 2],
}

/// What one row is drawn with.
pub struct Drawn {
    pub known: [Vec<f64>; 2],
    pub law: Vec<f64>,
}

/// The pairs of the grid.
pub fn pairs() -> Vec<Pair> {
    use Distortion::{None, Power, Scale, Shift};
    use World::{Apart, FineCoarse, Middle, NearConstant, Rare, Same, Skewed};
    let mut pairs = Vec::new();
    let mut add = |world, classes: &[usize], kind, models| {
        pairs.extend(classes.iter().map(|&classes| Pair { world, classes, kind, models }));
    };
    for world in [FineCoarse, Skewed, Rare, Apart] {
        add(world, &[2, 3, 10], Kind::Calibrated, [None, None]);
    }
    add(NearConstant, &[2, 3], Kind::Calibrated, [None, None]);
    let (same, solved) = (Kind::Equal { solved: false }, Kind::Equal { solved: true });
    add(Apart, &[2, 3, 10], same, [Power(2.0), Power(2.0)]);
    add(Middle, &[2], same, [Shift(0.05), Shift(-0.05)]);
    add(FineCoarse, &[2, 3, 10], solved, [Power(2.0), Power(2.0)]);
    add(Skewed, &[2, 3], solved, [Power(0.7), Power(0.7)]);
    add(Rare, &[2, 3], solved, [Scale(2.0), Scale(2.0)]);
    add(Same, &[2, 3, 10], Kind::Differ, [Power(2.0), None]);
    add(Same, &[2, 3, 10], Kind::Differ, [Power(2.0), Power(1.4)]);
    add(Middle, &[2], Kind::Differ, [Shift(0.09), Shift(0.03)]);
    add(FineCoarse, &[2], Kind::Differ, [Power(1.5), None]);
    add(Rare, &[2], Kind::Differ, [Scale(3.0), None]);
    pairs
}

impl Pair {
    pub fn name(&self) -> String {
        let world = match self.world {
            World::FineCoarse => "fine-coarse",
            World::Skewed => "skewed",
            World::NearConstant => "near-constant",
            World::Rare => "rare",
            World::Apart => "apart",
            World::Same => "same",
            World::Middle => "middle",
        };
        format!("{world}-{}", self.classes)
    }

    /// One row.
    pub fn draw(&self, draws: &mut ChaCha8Rng) -> Drawn {
        let k = self.classes;
        let alike = |known: Vec<f64>| Drawn { law: known.clone(), known: [known.clone(), known] };
        match self.world {
            World::Same => alike(uniform(k, draws)),
            World::Middle => {
                let p = 0.1 + 0.8 * draws.random::<f64>();
                alike(vec![1.0 - p, p])
            }
            World::Apart => {
                let parts = [uniform(k, draws), uniform(k, draws)];
                let law = (0..k).map(|c| (parts[0][c] + parts[1][c]) / 2.0).collect();
                let half =
                    |part: &Vec<f64>| part.iter().map(|p| (p + 1.0 / k as f64) / 2.0).collect();
                Drawn { known: [half(&parts[0]), half(&parts[1])], law }
            }
            World::FineCoarse => {
                let fine = uniform(k, draws);
                let best = (0..k).max_by(|a, b| fine[*a].total_cmp(&fine[*b])).unwrap_or(0);
                let top = (1..=k).map(|j| 1.0 / j as f64).sum::<f64>() / k as f64;
                Drawn { law: fine.clone(), known: [fine, peaked(k, best, top)] }
            }
            World::Skewed => {
                let best = draws.random_range(0..k);
                let top = if draws.random::<bool>() { 0.99 } else { 0.999 };
                let fine = peaked(k, best, top);
                Drawn { law: fine.clone(), known: [fine, peaked(k, best, 0.9945)] }
            }
            World::NearConstant => {
                let u = 2.0 * draws.random::<f64>() - 1.0;
                let at = |step: f64| {
                    let mut known = if k == 2 { vec![0.7, 0.3] } else { vec![0.5, 0.3, 0.2] };
                    known[0] -= 0.01 * step;
                    known[1] += 0.01 * step;
                    known
                };
                Drawn { law: at(u), known: [at(u), at(0.5 * u.signum())] }
            }
            World::Rare => {
                let rare: Vec<f64> = (1..k).map(|_| beta(draws) / (k - 1) as f64).collect();
                let whole = |rare: Vec<f64>| {
                    let mut all = vec![1.0 - rare.iter().sum::<f64>()];
                    all.extend(rare);
                    all
                };
                let scale = (k - 1) as f64;
                let coarse = rare.iter().map(|r| cell(r * scale) / scale).collect();
                let fine = whole(rare);
                Drawn { law: fine.clone(), known: [fine, whole(coarse)] }
            }
        }
    }
}

impl Distortion {
    /// The prediction.
    pub fn of(&self, known: &[f64]) -> Vec<f64> {
        match *self {
            Self::None => known.to_vec(),
            Self::Power(t) => power(known, t),
            Self::Shift(s) => vec![1.0 - (known[1] + s), known[1] + s],
            Self::Scale(s) => scaled(known, s),
        }
    }

    /// What it was made of.
    pub fn back(&self, f: &[f64]) -> Vec<f64> {
        match *self {
            Self::None => f.to_vec(),
            Self::Power(t) => power(f, 1.0 / t),
            Self::Shift(s) => vec![1.0 - (f[1] - s), f[1] - s],
            Self::Scale(s) => scaled(f, 1.0 / s),
        }
    }

    /// The same with another number, from nothing at 0 to itself at 1, and on.
    pub fn times(&self, by: f64) -> Self {
        match *self {
            Self::None => Self::None,
            Self::Power(t) => Self::Power(1.0 + by * (t - 1.0)),
            Self::Shift(s) => Self::Shift(by * s),
            Self::Scale(s) => Self::Scale(1.0 + by * (s - 1.0)),
        }
    }
}

fn power(p: &[f64], t: f64) -> Vec<f64> {
    let raised: Vec<f64> = p.iter().map(|p| p.powf(t)).collect();
    let total: f64 = raised.iter().sum();
    raised.iter().map(|p| p / total).collect()
}

fn scaled(p: &[f64], s: f64) -> Vec<f64> {
    let mut all: Vec<f64> = p.iter().map(|p| s * p).collect();
    all[0] = 1.0 - all[1..].iter().sum::<f64>();
    all
}

fn peaked(classes: usize, best: usize, top: f64) -> Vec<f64> {
    let rest = (1.0 - top) / (classes - 1) as f64;
    (0..classes).map(|class| if class == best { top } else { rest }).collect()
}

fn uniform(classes: usize, draws: &mut ChaCha8Rng) -> Vec<f64> {
    let drawn: Vec<f64> = (0..classes).map(|_| -(1.0 - draws.random::<f64>()).ln()).collect();
    let total: f64 = drawn.iter().sum();
    drawn.iter().map(|x| (x / total).max(1e-12)).collect()
}

/// A draw from Beta(0.5, 100).
fn beta(draws: &mut ChaCha8Rng) -> f64 {
    let gamma = |shape: f64, draws: &mut ChaCha8Rng| -> f64 {
        Gamma::new(shape, 1.0).map_or(0.0, |gamma| gamma.sample(draws))
    };
    let (a, b) = (gamma(0.5, draws), gamma(100.0, draws));
    (a / (a + b)).max(1e-9)
}

/// The mean of Beta(0.5, 100) below 0.005, or above.
fn cell(r: f64) -> f64 {
    if r < 0.005 { 0.001_457_211_923_183_6 } else { 0.012_543_921_056_250_8 }
}
