use std::collections::HashMap;

use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::builtin::{Builtin, Tunable};
use super::gauss::{BANDWIDTHS, GaussSums, Sources};
use super::{Fitted, Model};
use crate::data::Sample;
use crate::error::Result;
use crate::numeric::simplex::{is_moderate, mix_with_uniform};
use crate::params::{Parameter, Params};
use crate::run::stop;

/// Where the kernels around all training rows add up to less than this, the rest is made up by f.
const LEAST_MASS: f64 = 1e-12;

/// Nadaraya-Watson: the mean of the labels, weighted by exp(−‖f − f'‖²/2h²); two classes: by
/// exp(−(f₁ − f₁')²/2h²).
///
/// The paper divides by at least 1e-12, so that far from all training rows its g falls short of
/// the simplex; here what is missing is f. 1/(n + 1) of the uniform is mixed in. Cost: two
/// classes, linear in n and exact to 1e-9; more, n² k.
///
/// ## Reference
/// Nadaraya, *On estimating regression*, 1964; the paper's appendix on classifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    bandwidth: f64,
}

impl Builtin for Kernel {
    const NAME: &'static str = "kernel";
    const ABOUT: &'static str = "mean of the labels nearby (Nadaraya-Watson, Gaussian)";
    type Model = Smoother;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        let training_rows = sample.effective_rows();
        let labels = sample.labels();
        let weight = |row| sample.weight(row);
        let neighbours = if sample.classes() == 2 {
            Neighbours::Line(GaussSums::from(Sources {
                bandwidth: self.bandwidth,
                positions: sample.probs().column(1).to_vec(),
                masses: (0..sample.rows())
                    .map(
                        |row| {
                            if labels[row] == 1 { [0.0, weight(row)] } else { [weight(row), 0.0] }
                        },
                    )
                    .collect(),
            }))
        } else {
            Neighbours::Space(Space {
                bandwidth: self.bandwidth,
                classes: sample.classes(),
                probs: sample.probs().iter().copied().collect(),
                labels: labels.to_vec(),
                weights: (0..sample.rows()).map(weight).collect(),
            })
        };
        Box::new(Smoother { training_rows, neighbours })
    }
}

impl Tunable for Kernel {
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("bandwidth", "0.1", "the Gaussian's width")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bandwidth: params.number("bandwidth", BANDWIDTHS)? })
    }
}

/// The training rows, and how many they count for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Smoother {
    training_rows: f64,
    neighbours: Neighbours,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Neighbours {
    /// Two classes: f₁ on a line.
    Line(GaussSums),
    /// More: points of the simplex.
    Space(Space),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Space {
    bandwidth: f64,
    classes: usize,
    probs: Vec<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
}

impl Space {
    /// Adds up, for each class, the kernels around its rows.
    fn add_up(&self, f: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        let factor = -0.5 / (self.bandwidth * self.bandwidth);
        let rows = self.probs.chunks_exact(self.classes).zip(&self.labels).zip(&self.weights);
        for ((row, &label), weight) in rows {
            let distance: f64 = row.iter().zip(f).map(|(a, b)| (a - b) * (a - b)).sum();
            sums[label as usize] += weight * (factor * distance).exp();
        }
    }
}

impl Smoother {
    /// From the sums of kernels to a point of the simplex.
    fn finish(&self, f: &[f64], g: &mut [f64]) {
        let mass: f64 = g.iter().sum();
        let missing = (LEAST_MASS - mass).max(0.0);
        let divisor = mass.max(LEAST_MASS);
        g.iter_mut().zip(f).for_each(|(g, f)| *g = (*g + missing * f) / divisor);
        mix_with_uniform(g, self.training_rows);
    }
}

impl Model for Smoother {
    const NAME: &'static str = "kernel";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        match &self.neighbours {
            Neighbours::Line(sums) => g.copy_from_slice(&sums.at(f[1], &mut HashMap::new())),
            Neighbours::Space(space) => space.add_up(f, g),
        }
        self.finish(f, g);
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, mut g: ArrayViewMut2<'_, f64>) {
        let f = f.as_standard_layout();
        let mut queried = HashMap::new();
        for (f, mut g) in f.rows().into_iter().zip(g.rows_mut()) {
            // With many training rows, a single row takes long.
            if stop::requested() {
                break;
            }
            if let (Some(f), Some(g)) = (f.as_slice(), g.as_slice_mut()) {
                match &self.neighbours {
                    Neighbours::Line(sums) => g.copy_from_slice(&sums.at(f[1], &mut queried)),
                    Neighbours::Space(space) => space.add_up(f, g),
                }
                self.finish(f, g);
            }
        }
    }

    fn classes(&self) -> Option<usize> {
        match &self.neighbours {
            Neighbours::Line(_) => Some(2),
            Neighbours::Space(space) => Some(space.classes),
        }
    }

    fn is_sound(&self) -> bool {
        self.training_rows > 0.0
            && match &self.neighbours {
                Neighbours::Line(sums) => sums.is_sound(),
                Neighbours::Space(space) => {
                    let rows = space.labels.len();
                    BANDWIDTHS.contains(&space.bandwidth)
                        && space.classes > 2
                        && Some(space.probs.len()) == rows.checked_mul(space.classes)
                        && space.weights.len() == rows
                        && space.labels.iter().all(|&label| (label as usize) < space.classes)
                        && space.probs.iter().all(|value| (0.0..=1.0).contains(value))
                        && space.weights.iter().all(|&weight| weight >= 0.0 && is_moderate(weight))
                }
            }
    }
}
