//! The maps that score a stream: one g for each problem, fitted to the whole sample.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::data::{Predictions, Sample};
use crate::error::Result;
use crate::estimate::scorer::{Scored, Scorer};
use crate::estimate::{Estimator, Problems, predicted};
use crate::loss::{Purpose, Scope};
use crate::numeric::random::derive_seed;
use crate::numeric::simplex::argmax;
use crate::recalibrate::Fitted;

/// The g of every problem of the scopes that are measured.
#[derive(Clone)]
pub(super) struct Maps {
    recalibrator: String,
    scopes: Vec<ScopeMaps>,
}

/// Those of one scope.
#[derive(Clone)]
pub(super) struct ScopeMaps {
    pub scope: Scope,
    /// One for each problem; none where there was nothing to learn from, and g = f.
    pub maps: Vec<Option<Arc<dyn Fitted>>>,
}

impl Maps {
    /// Fits them to a sample.
    pub fn fit(asked: &Estimator, sample: &Predictions<'_>, scorers: &[Scorer]) -> Result<Self> {
        let recalibrator = asked.learner().name();
        let mut scopes: Vec<ScopeMaps> = Vec::new();
        for scorer in scorers {
            if scopes.iter().any(|known| known.scope == scorer.scope) {
                continue;
            }
            let count = Problems::new(sample, scorer.scope, false).count();
            let fit = |number: usize| -> Result<Option<Arc<dyn Fitted>>> {
                let problem = Problems::new(sample, scorer.scope, false).problem(number);
                let mut rows = Sample::empty();
                if !problem.training(&[], None, &mut rows) {
                    return Ok(None);
                }
                let seed = derive_seed(asked.own_seed(), &[0, number as u64, u64::MAX]);
                Ok(Some(Arc::from(asked.learner().fit(&rows, seed)?)))
            };
            let maps = (0..count).into_par_iter().map(fit).collect::<Result<_>>()?;
            scopes.push(ScopeMaps { scope: scorer.scope, maps });
        }
        Ok(Self { recalibrator, scopes })
    }

    /// Those that were loaded.
    pub fn new(recalibrator: String, scopes: Vec<ScopeMaps>) -> Self {
        Self { recalibrator, scopes }
    }

    /// Those of each scope.
    pub fn scopes(&self) -> &[ScopeMaps] {
        &self.scopes
    }

    /// What every metric makes of rows: for each metric, one score a row.
    pub fn score(
        &self,
        scorers: &[Scorer],
        f: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> Result<Vec<Vec<Scored>>> {
        let mut found = vec![vec![Scored::default(); labels.len()]; scorers.len()];
        for ScopeMaps { scope, maps } in &self.scopes {
            for (number, map) in maps.iter().enumerate() {
                let own = problem(*scope, number, f, labels);
                let (f, labels) = own.as_ref().map_or((f, labels), |(f, z)| (f.view(), z));
                let share = 1.0 / maps.len() as f64;
                self.problem(*scope, map.as_deref(), scorers, f, labels, share, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Adds what the metrics of a scope make of one problem's rows.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one problem")]
    fn problem(
        &self,
        scope: Scope,
        map: Option<&dyn Fitted>,
        scorers: &[Scorer],
        f: ArrayView2<'_, f64>,
        labels: &[u32],
        share: f64,
        found: &mut [Vec<Scored>],
    ) -> Result<()> {
        let Some(map) = map else { return Ok(()) };
        let mut served: Vec<Purpose> = Vec::new();
        let own = || scorers.iter().zip(0..).filter(|(scorer, _)| scorer.scope == scope);
        for (scorer, _) in own() {
            let purpose = map.serves(scorer.purpose());
            if !served.contains(&purpose) {
                served.push(purpose);
            }
        }
        let tables = predicted(&self.recalibrator, map, f, None, &served)?;
        for (scorer, place) in own() {
            let purpose = map.serves(scorer.purpose());
            let at = served.iter().position(|served| *served == purpose).unwrap_or(0);
            let Some(g) = tables.get(at) else { continue };
            let scores = scorer.block(f, g.view(), labels);
            let share = share * scorer.factor;
            for (sum, one) in found[place].iter_mut().zip(scores) {
                sum.plain = sum.plain.plus(one.plain.scaled(share));
                sum.hedged = one
                    .hedged
                    .map(|hedged| sum.hedged.unwrap_or_default().plus(hedged.scaled(share)));
            }
        }
        Ok(())
    }
}

/// The rows of a problem other than the whole vector: "is it this class or not?".
fn problem(
    scope: Scope,
    number: usize,
    f: ArrayView2<'_, f64>,
    labels: &[u32],
) -> Option<(Array2<f64>, Vec<u32>)> {
    let class = |row: ndarray::ArrayView1<'_, f64>| match scope {
        Scope::Canonical => None,
        Scope::Top => Some(row.as_slice().map_or_else(|| argmax(&row.to_vec()), argmax)),
        Scope::Classwise => Some(number),
    };
    if scope == Scope::Canonical {
        return None;
    }
    let mut pairs = Array2::zeros((f.nrows(), 2));
    let mut observed = Vec::with_capacity(labels.len());
    for ((row, mut pair), &label) in f.rows().into_iter().zip(pairs.rows_mut()).zip(labels) {
        let class = class(row).unwrap_or(0);
        pair[0] = 1.0 - row[class];
        pair[1] = row[class];
        observed.push(u32::from(label as usize == class));
    }
    Some((pairs, observed))
}
