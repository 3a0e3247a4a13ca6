//! Forests of either kind, one for each inner fold.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::numeric::random::derive_seed;
use crate::recalibrate::Trees;
use crate::recalibrate::boost::{
    BinnedRows, Forest, Growth, Leafwise, LeafwiseForest, Plan, Start, Symmetric, SymmetricForest,
    TOGETHER,
};
use crate::run::stop;

/// The most trees of a forest, and how many without improvement end its growth.
const TREES: usize = 100;
const PATIENCE: usize = 10;

/// A forest grows on about so many rows at the most, evenly taken and others than its neighbours': what more rows
/// would add, the forests add to each other.
const MOST_ROWS: usize = 50_000;

/// Trees of so few questions see segments of as many conditions, and little noise.
const SYMMETRIC: Symmetric = Symmetric { depth: 3, rate: Some(0.15), l2: 10.0, noise: 0.0 };

/// The same for trees that grow where it helps most.
const LEAFWISE: Leafwise =
    Leafwise { leaves: 6, least_rows: 20, least_hessian: 1e-3, rate: 0.15, share: 1.0 };

/// The forests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grown {
    Symmetric(Vec<SymmetricForest>),
    Leafwise(Vec<LeafwiseForest>),
}

impl Grown {
    /// Grows a forest without each inner fold for as long as it gets better on the fold, and returns where it
    /// moves the rows that it has not seen.
    pub fn train(
        trees: Trees,
        rows: &BinnedRows,
        fold_of: &[u32],
        folds: usize,
        seed: u64,
    ) -> (Self, Vec<f64>) {
        match trees {
            Trees::Symmetric => {
                let (forests, moved) = train(SYMMETRIC, rows, fold_of, folds, seed);
                (Self::Symmetric(forests), moved)
            }
            Trees::Leafwise => {
                let (forests, moved) = train(LEAFWISE, rows, fold_of, folds, seed);
                (Self::Leafwise(forests), moved)
            }
        }
    }

    /// Adds the mean over forests of what their trees add to the log-scores of a row.
    pub fn add(&self, bins: &[u8], scratch: &mut [f64], scores: &mut [f64]) {
        match self {
            Self::Symmetric(forests) => add(forests, bins, scratch, scores),
            Self::Leafwise(forests) => add(forests, bins, scratch, scores),
        }
    }

    /// Whether no tree was kept.
    pub fn are_bare(&self) -> bool {
        match self {
            Self::Symmetric(forests) => forests.iter().all(|forest| forest.rounds() == 0),
            Self::Leafwise(forests) => forests.iter().all(|forest| forest.rounds() == 0),
        }
    }

    /// Whether loaded parameters fit together.
    pub fn is_sound(&self, features: usize, classes: usize) -> bool {
        match self {
            Self::Symmetric(forests) => {
                forests.iter().all(|forest| forest.is_sound(features, classes))
            }
            Self::Leafwise(forests) => {
                forests.iter().all(|forest| forest.is_sound(features, classes))
            }
        }
    }
}

fn train<G: Growth>(
    growth: G,
    rows: &BinnedRows,
    fold_of: &[u32],
    folds: usize,
    seed: u64,
) -> (Vec<G::Forest>, Vec<f64>) {
    let plan = Plan {
        start: Start::Warm,
        trees: TREES,
        patience: PATIENCE,
        borders: None,
        inner: folds,
        growth,
    };
    let step = rows.len().div_ceil(MOST_ROWS).max(1) as u32;
    let trained: Vec<(G::Forest, BinnedRows)> = (0..folds as u32)
        .into_par_iter()
        .map(|fold| {
            let go_on = !stop::requested();
            let taken = |row: usize| row as u32 % step == fold % step;
            let training = rows.select(|row| go_on && fold_of[row] != fold && taken(row));
            let held_out = rows.select(|row| go_on && fold_of[row] == fold);
            plan.train(training, held_out, derive_seed(seed, &[3, u64::from(fold)]))
        })
        .collect();
    let mut moved = rows.probs.clone();
    let mut unread: Vec<_> =
        trained.iter().map(|(_, own)| own.probs.chunks_exact(rows.classes)).collect();
    for (to, &fold) in moved.chunks_exact_mut(rows.classes).zip(fold_of) {
        let Some(from) = unread[fold as usize].next() else { break };
        to.copy_from_slice(from);
    }
    drop(unread);
    (trained.into_iter().map(|(forest, _)| forest).collect(), moved)
}

fn add<F: Forest>(forests: &[F], bins: &[u8], scratch: &mut [f64], scores: &mut [f64]) {
    let share = 1.0 / forests.len().max(1) as f64;
    for forest in forests {
        let mut from = 0;
        while from < forest.rounds() {
            // The factors of so many rounds neither overflow nor vanish.
            let to = forest.rounds().min(from + TOGETHER);
            scratch.fill(1.0);
            (from..to).for_each(|round| forest.apply(round, bins, scratch));
            scores
                .iter_mut()
                .zip(&*scratch)
                .for_each(|(score, factor)| *score += share * factor.ln());
            from = to;
        }
    }
}
