//! How trees grow, given how many rows there are to learn from.

use serde::{Deserialize, Serialize};

/// Up to so many rows a forest has the [`FEWEST`] trees; beyond, the more rows, the more trees.
/// docs/choices.md, "More rows, more trees", has the figures.
const FEW_ROWS: f64 = 1_200.0;
const FEWEST: f64 = 28.0;
const MOST: f64 = 300.0;
const EXPONENT: f64 = 0.9;

/// A forest of so many trees takes whole Newton steps; one of more takes smaller ones.
const OF_WHOLE_STEPS: f64 = 20.0;

/// Splits of a tree: one more whenever there are four times as many rows.
const DEPTHS: (usize, usize) = (6, 7);

/// How a forest grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Growth {
    /// After each of these numbers of trees, ascending, the forest's predictions are a member.
    pub members: [usize; Self::MEMBERS],
    /// Splits of a tree.
    pub depth: usize,
    /// How much of a Newton step a leaf takes.
    pub rate: f32,
}

impl Growth {
    /// How many members a forest gives.
    pub const MEMBERS: usize = 2;

    /// That of a forest on so many rows.
    pub fn of(rows: usize) -> Self {
        let more = (rows as f64 / FEW_ROWS).max(1.0);
        let trees = (FEWEST * more.powf(EXPONENT)).min(MOST).round();
        let depth = DEPTHS.0 + (0.5 * more.log2()) as usize;
        Self {
            members: [(0.4 * trees) as usize, trees as usize],
            depth: depth.min(DEPTHS.1),
            rate: (OF_WHOLE_STEPS / trees).sqrt() as f32,
        }
    }

    /// How many trees a forest has.
    pub fn trees(&self) -> usize {
        self.members[1]
    }

    pub fn is_sound(&self) -> bool {
        let [early, late] = self.members;
        early <= late && late <= MOST as usize && self.depth <= DEPTHS.1
    }
}
