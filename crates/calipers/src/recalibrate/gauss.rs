//! Sums of Gaussians on a line, in time linear in the number of points.

use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::numeric::simplex::is_moderate;
use crate::run::stop;

/// Narrower, and the numbers of cells would overflow.
pub(super) const BANDWIDTHS: RangeInclusive<f64> = 1e-6..=1e6;

/// Interpolation nodes in a cell. With cells half a bandwidth wide, 16 leave a relative error
/// below 1e-12 for every source within 8 bandwidths, and the sum's floor hides what is further.
const NODES: usize = 16;

/// The width of a cell in bandwidths.
const WIDTH: f64 = 0.5;

/// How many cells away a source still counts: 12.5 bandwidths, where its kernel is 1e-34.
const REACH: i64 = 25;

/// Up to this many sources, adding them up one by one is faster.
const DIRECT: usize = 256;

/// Values at the nodes of one cell, for the two classes.
type Cell = [[f64; NODES]; 2];

/// Positions on a line, each with a mass of either class, and the bandwidth h of the kernel
/// exp(−(x − y)²/2h²) around them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Sources {
    pub bandwidth: f64,
    pub positions: Vec<f64>,
    pub masses: Vec<[f64; 2]>,
}

/// The sums Σ mass·exp(−(x − position)²/2h²) at any x, for both classes.
///
/// Each cell's sources are replaced by equivalent masses at its Chebyshev nodes; the sums at the
/// nodes of the cell of x follow from those by a table of kernel values, and the sum at x by
/// interpolation. Cost: 16 operations a source, 16 a query, and 50·16² for each cell that is
/// queried, where adding up would cost one exponential for each pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Sources", into = "Sources")]
pub(super) struct GaussSums {
    sources: Sources,
    cells: HashMap<i64, Cell>,
}

impl From<Sources> for GaussSums {
    fn from(sources: Sources) -> Self {
        let mut cells: HashMap<i64, Cell> = HashMap::new();
        if sources.positions.len() > DIRECT {
            for (row, (position, mass)) in sources.positions.iter().zip(&sources.masses).enumerate()
            {
                if stop::requested_at(row) {
                    break;
                }
                let (number, place) = sources.place(*position);
                let cell = cells.entry(number).or_insert([[0.0; NODES]; 2]);
                let shares = lagrange(place);
                for class in 0..2 {
                    for (node, share) in cell[class].iter_mut().zip(shares) {
                        *node += mass[class] * share;
                    }
                }
            }
        }
        Self { sources, cells }
    }
}

impl From<GaussSums> for Sources {
    fn from(sums: GaussSums) -> Self {
        sums.sources
    }
}

impl Sources {
    /// The cell of a position, and the place in it between −1 and 1.
    fn place(&self, position: f64) -> (i64, f64) {
        let scaled = position / (WIDTH * self.bandwidth);
        let number = scaled.floor();
        (number as i64, 2.0 * (scaled - number) - 1.0)
    }

    /// The sums at x, by adding up.
    fn add_up(&self, x: f64) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (position, mass) in self.positions.iter().zip(&self.masses) {
            let distance = (x - position) / self.bandwidth;
            let kernel = (-0.5 * distance * distance).exp();
            sums[0] += mass[0] * kernel;
            sums[1] += mass[1] * kernel;
        }
        sums
    }
}

impl GaussSums {
    /// Whether loaded sources are usable.
    pub fn is_sound(&self) -> bool {
        let Sources { bandwidth, positions, masses } = &self.sources;
        BANDWIDTHS.contains(bandwidth)
            && !positions.is_empty()
            && positions.len() == masses.len()
            && positions.iter().all(|position| (0.0..=1.0).contains(position))
            && masses.iter().flatten().all(|&mass| mass >= 0.0 && is_moderate(mass))
    }

    /// The two sums at x. `queried` remembers the cells that were looked at.
    pub fn at(&self, x: f64, queried: &mut HashMap<i64, Cell>) -> [f64; 2] {
        if self.cells.is_empty() {
            return self.sources.add_up(x);
        }
        let (number, place) = self.sources.place(x);
        let cell = queried.entry(number).or_insert_with(|| self.gather(number));
        let shares = lagrange(place);
        // What is left of a vanishing sum after interpolation may be negative by rounding.
        cell.map(|nodes| {
            nodes.iter().zip(shares).map(|(node, share)| node * share).sum::<f64>().max(0.0)
        })
    }

    /// The sums at the nodes of a cell.
    fn gather(&self, number: i64) -> Cell {
        let mut gathered = [[0.0; NODES]; 2];
        for offset in -REACH..=REACH {
            let Some(source) = self.cells.get(&(number + offset)) else { continue };
            let kernels = &TABLE[(offset + REACH) as usize];
            for class in 0..2 {
                for (sum, kernels) in gathered[class].iter_mut().zip(kernels) {
                    *sum +=
                        kernels.iter().zip(source[class]).map(|(k, mass)| k * mass).sum::<f64>();
                }
            }
        }
        gathered
    }
}

/// The kernel between the nodes of two cells, for every distance between the cells.
static TABLE: LazyLock<Vec<[[f64; NODES]; NODES]>> = LazyLock::new(|| {
    let kernels = |offset: i64| {
        std::array::from_fn(|target| {
            std::array::from_fn(|source| {
                let cells = offset as f64 + 0.5 * (node(source) - node(target));
                (-0.5 * (WIDTH * cells).powi(2)).exp()
            })
        })
    };
    (-REACH..=REACH).map(kernels).collect()
});

/// A Chebyshev node of the first kind.
fn node(number: usize) -> f64 {
    (PI * (2 * number + 1) as f64 / (2 * NODES) as f64).cos()
}

/// Nodes, and their weights in the barycentric formula.
static BARYCENTRIC: LazyLock<[(f64, f64); NODES]> = LazyLock::new(|| {
    std::array::from_fn(|number| {
        let sign = if number % 2 == 0 { 1.0 } else { -1.0 };
        (node(number), sign * (PI * (2 * number + 1) as f64 / (2 * NODES) as f64).sin())
    })
});

/// The value of each node's Lagrange polynomial at a place between −1 and 1.
fn lagrange(place: f64) -> [f64; NODES] {
    let mut shares = [0.0; NODES];
    let mut total = 0.0;
    for (number, (node, weight)) in BARYCENTRIC.iter().enumerate() {
        let gap = place - node;
        if gap.abs() <= 0.0 {
            let mut unit = [0.0; NODES];
            unit[number] = 1.0;
            return unit;
        }
        shares[number] = weight / gap;
        total += shares[number];
    }
    shares.map(|share| share / total)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest error of the ratio of the sums, relative to a floor on the denominator: what
    /// the kernel recalibrator sees.
    fn largest_error(sources: Sources, queries: &[f64]) -> f64 {
        let fast = GaussSums::from(sources.clone());
        let mut queried = HashMap::new();
        let ratio = |[zero, one]: [f64; 2]| one / (zero + one).max(1e-12);
        queries
            .iter()
            .map(|&x| (ratio(fast.at(x, &mut queried)) - ratio(sources.add_up(x))).abs())
            .fold(0.0, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The fast sums and their slow twin agree to 1e-9 (in practice 1e-11), wherever sources
        /// and queries lie and whatever the bandwidth is.
        #[test]
        fn cells_agree_with_adding_up(
            bandwidth in 0.001f64..2.0,
            centre in 0.0f64..1.0,
            spread in 0.0f64..1.0,
            raw in prop::collection::vec((0.0f64..1.0, 0.0f64..3.0, any::<bool>()), 300..600),
            queries in prop::collection::vec(0.0f64..=1.0, 20),
        ) {
            let positions =
                raw.iter().map(|(u, ..)| (centre + spread * (u - 0.5)).clamp(0.0, 1.0)).collect();
            let masses =
                raw.iter().map(|(_, w, one)| if *one { [0.0, *w] } else { [*w, 0.0] }).collect();
            let error = largest_error(Sources { bandwidth, positions, masses }, &queries);
            prop_assert!(error < 1e-9, "{error:e}");
        }
    }

    #[test]
    fn a_desert_between_sources_and_query_is_crossed_exactly() {
        let sources = Sources {
            bandwidth: 0.1,
            positions: (0..1000).map(|i| f64::from(i) * 1e-5).collect(),
            masses: (0..1000).map(|i| if i % 3 == 0 { [0.0, 1.0] } else { [1.0, 0.0] }).collect(),
        };
        let queries: Vec<f64> = (0..=100).map(|i| f64::from(i) / 100.0).collect();
        assert!(largest_error(sources, &queries) < 1e-9);
    }
}
