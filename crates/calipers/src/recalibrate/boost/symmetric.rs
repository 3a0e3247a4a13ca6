use super::chance::Chance;
use super::forest::SymmetricForest;
use super::levels::Levels;
use super::line::Line;
use super::{BinnedRows, Grower, Growth};

/// Trees that ask the same question everywhere on a level, with one value for each class in every
/// leaf: CatBoost's.
///
/// Rows go right where their value is above the border. The split of a level is the one with the
/// highest score, see [`super::search`]; it is taken even if it does not help, but as soon as a split
/// separates nothing that the others do not, it is dropped and the tree is done. Leaves: see
/// [`super::leaf`]. λ is `l2` times the mean weight.
///
/// ## Reference
/// Prokhorenkova et al., *CatBoost: unbiased boosting with categorical features*, 2018.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Symmetric {
    /// The most splits of a tree.
    pub depth: usize,
    /// The learning rate; by default CatBoost's rule.
    pub rate: Option<f64>,
    /// The penalty on leaf values.
    pub l2: f64,
    /// How much of the choice of splits is left to chance: see [`Chance`].
    pub noise: f64,
}

impl Growth for Symmetric {
    type Forest = SymmetricForest;
    type Grower = SymmetricGrower;

    fn grower(&self, rows: &BinnedRows, rounds: usize, seed: u64) -> (Self::Grower, Self::Forest) {
        let l2 = self.l2 * rows.mean_weight();
        let rate = self.rate.unwrap_or_else(|| automatic_rate(rows.len(), rounds));
        let forest = SymmetricForest::with_room(rows.classes, rounds, self.depth);
        let chance = Chance::new(self.noise, rows.len(), rate, seed);
        let grower = if rows.features == 1 && rows.classes == 2 {
            SymmetricGrower::Line(Box::new(Line::new(rows, self.depth, l2, rate, chance)))
        } else {
            SymmetricGrower::Levels(Box::new(Levels::new(rows, self.depth, l2, rate, chance)))
        };
        (grower, forest)
    }
}

/// Grows one tree after another.
pub(crate) enum SymmetricGrower {
    /// Any rows.
    Levels(Box<Levels>),
    /// One feature and two classes.
    Line(Box<Line>),
}

impl Grower for SymmetricGrower {
    type Forest = SymmetricForest;

    fn grow(&mut self, rows: &mut BinnedRows, forest: &mut SymmetricForest) {
        match self {
            Self::Levels(levels) => levels.grow(rows, forest),
            Self::Line(line) => line.grow(forest),
        }
    }
}

/// The learning rate that CatBoost chooses for this many rows and trees: 0.5 for few trees, less
/// for more. The constants are its fit to many data sets (`options_helper.cpp`, several classes,
/// with early stopping).
fn automatic_rate(rows: usize, trees: usize) -> f64 {
    let by_rows = (0.02 * (rows.max(1) as f64).ln() - 2.364).exp();
    let by_trees = (trees as f64 / 1000.0).powf(-0.382);
    ((by_rows * by_trees).min(0.5) * 1e6).round() / 1e6
}
