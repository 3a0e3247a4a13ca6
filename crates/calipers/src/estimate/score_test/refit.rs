use rand::RngExt;
use rayon::prelude::*;

use crate::data::Sample;
use crate::error::Result;
use crate::estimate::Problem;
use crate::estimate::cross_fit::predicted;
use crate::loss::{Log, ProperLoss, Purpose};
use crate::numeric::random::generator;
use crate::recalibrate::Recalibrator;
use crate::run::stop;

/// The p-value of a test that looks where a recalibrator does: the statistic is how much log loss a g
/// saves on the very rows it was fitted to. That it saves something even on calibrated labels does no
/// harm, since a g is fitted to every drawing as well. So there are draws + 1 fits.
pub(crate) fn refit_p_value(
    problem: &Problem<'_>,
    recalibrator: &dyn Recalibrator,
    draws: usize,
    seed: u64,
) -> Result<f64> {
    let observed: Vec<u32> = (0..problem.rows()).map(|row| problem.label(row) as u32).collect();
    let observed = saved(problem, recalibrator, &observed, seed)?;
    let reached = (0..draws as u64)
        .into_par_iter()
        .map(|draw| {
            stop::check()?;
            let labels = drawn(problem, seed, draw);
            let saved = saved(problem, recalibrator, &labels, seed)?;
            Ok(usize::from(saved >= observed - 1e-9 * observed.abs()))
        })
        .try_reduce(|| 0, |a, b| Ok(a + b))?;
    Ok((1 + reached) as f64 / (1 + draws) as f64)
}

/// Labels drawn from the predictions.
fn drawn(problem: &Problem<'_>, seed: u64, draw: u64) -> Vec<u32> {
    let mut draws = generator(seed, draw);
    let mut buffer = vec![0.0; problem.classes()];
    (0..problem.rows())
        .map(|row| {
            let f = problem.prediction(row, &mut buffer);
            let mut left: f64 = draws.random();
            let class = f.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            // Rounding may leave a little: it goes to the last class that is possible.
            class.or_else(|| f.iter().rposition(|p| *p > 0.0)).unwrap_or(0) as u32
        })
        .collect()
}

/// Σ w (ln g_Y − ln f_Y) for the g that these labels teach, with a little of f mixed in so that no
/// single row can undo it; infinite if a label was impossible.
fn saved(
    problem: &Problem<'_>,
    recalibrator: &dyn Recalibrator,
    labels: &[u32],
    seed: u64,
) -> Result<f64> {
    let mut sample = Sample::empty();
    if !problem.relabelled(labels, &mut sample) {
        return Ok(0.0);
    }
    let fitted = recalibrator.fit(&sample, seed)?;
    let g =
        predicted(&recalibrator.name(), fitted.as_ref(), sample.probs(), None, &[Purpose::Log])?;
    let loss = Log { floor: 0.0 };
    let mut total = 0.0;
    let mut mixed = vec![0.0; problem.classes()];
    for (row, g) in g.iter().flat_map(|g| g.rows()).enumerate() {
        let f = sample.row(row);
        for (mixed, (f, g)) in mixed.iter_mut().zip(f.iter().zip(g)) {
            *mixed = g + loss.hedge() * (f - g);
        }
        total += sample.weight(row) * loss.score(f, &mixed, sample.labels()[row] as usize);
    }
    Ok(total)
}
