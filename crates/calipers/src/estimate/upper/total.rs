//! A bound on the mean of |f − C| for a truth that rises.
//!
//! In cells B of neighbouring predictions, let S_B = Σ_B (Y − f). Then Σ_B |S_B|/n, which is binned ECE, errs
//! upwards in expectation: E|S_B| ≥ |E S_B| = |Σ_B (C − f)|. What a cell hides, where f − C changes its sign
//! within it, is bounded as C rises by ν_B in it, and all rises add up to 1 at most:
//!
//! Σ_B |C − f| ≤ |Σ_B (C − f)| + Σ_B |f − f̄_B| + m_B ν_B/2,     Σ ν_B ≤ 1,
//!
//! where ν_B = 0 in a cell of a single prediction. And Σ_B |S_B|/n is near its expectation: a label moves it by
//! 1/n at most, so that with probability 1 − α it is no further below it than √(ln(1/α)/2n) (McDiarmid), or than
//! √(2V ln(1/α)) + 2 ln(1/α)/3n (Freedman), V = Σ C(1 − C)/n² ≤ (mean of f(1 − f) + the mean of |f − C|)/n. The
//! bound is the largest number that is not above what follows from itself.
//!
//! The number of cells is the one that promises the lowest bound if f is right; labels have no part in it.

use super::Sides;
use crate::estimate::Ascending;

/// Numbers of cells that are tried grow by this factor.
const GROWTH: f64 = 1.25;

/// With probability 1 − level, the mean of |f − C| over all rows is below it, counting only the sides that
/// count.
pub(super) fn total(rows: &Ascending<'_>, sides: &[Sides], level: f64) -> f64 {
    let count = rows.pairs.len();
    let spread: f64 = rows.pairs.iter().map(|f| f[0] * f[1]).sum::<f64>() / count as f64;
    let mut best: Option<(f64, Vec<usize>)> = None;
    let mut cells = 1.0f64;
    while cells <= count as f64 {
        let starts = rows.cut(count.div_ceil(cells as usize));
        let promised = hidden(rows, &starts) + chance(rows, &starts);
        if best.as_ref().is_none_or(|(least, _)| promised < *least) {
            best = Some((promised, starts));
        }
        cells = (cells * GROWTH).max(cells + 1.0);
    }
    let starts = best.map_or_else(|| vec![0, count], |(_, starts)| starts);
    let found = observed(rows, sides, &starts) + hidden(rows, &starts);
    let (n, log) = (count as f64, -level.ln());
    let margin = |error: f64| {
        let variance = (spread + error).min(0.25) / n;
        (log / (2.0 * n)).sqrt().min((2.0 * variance * log).sqrt() + 2.0 * log / (3.0 * n))
    };
    // From above, a step at a time: the largest fixed point.
    let mut bound = 1.0f64;
    for _ in 0..60 {
        bound = (found + margin(bound)).min(1.0);
    }
    bound
}

fn each<'r>(
    rows: &'r Ascending<'_>,
    starts: &'r [usize],
) -> impl Iterator<Item = &'r [[f64; 2]]> + 'r {
    starts.windows(2).map(|ends| &rows.pairs[ends[0]..ends[1]])
}

/// What cells may hide.
fn hidden(rows: &Ascending<'_>, starts: &[usize]) -> f64 {
    let (mut apart, mut largest) = (0.0, 0);
    for cell in each(rows, starts) {
        if cell[0][1].to_bits() == cell[cell.len() - 1][1].to_bits() {
            continue;
        }
        let mean = cell.iter().map(|f| f[1]).sum::<f64>() / cell.len() as f64;
        apart += cell.iter().map(|f| (f[1] - mean).abs()).sum::<f64>();
        largest = largest.max(cell.len());
    }
    (apart + 0.5 * largest as f64) / rows.pairs.len() as f64
}

/// What chance adds to the sums if labels are drawn from f: √(2/π) of a standard deviation each.
fn chance(rows: &Ascending<'_>, starts: &[usize]) -> f64 {
    let each = each(rows, starts).map(|cell| cell.iter().map(|f| f[0] * f[1]).sum::<f64>().sqrt());
    std::f64::consts::FRAC_2_PI.sqrt() * each.sum::<f64>() / rows.pairs.len() as f64
}

/// Σ_B |S_B|/n, or of the side that counts in all of a cell alone.
fn observed(rows: &Ascending<'_>, sides: &[Sides], starts: &[usize]) -> f64 {
    let mut sum = 0.0;
    for ends in starts.windows(2) {
        let within = ends[0]..ends[1];
        let residual: f64 = rows.pairs[within.clone()]
            .iter()
            .zip(&rows.labels[within.clone()])
            .map(|(f, &label)| f64::from(label) - f[1])
            .sum();
        let own = &sides[within];
        let (up, down) = (own.iter().any(|side| side.up), own.iter().any(|side| side.down));
        sum += match residual > 0.0 {
            true if up => residual,
            false if down => -residual,
            _ => 0.0,
        };
    }
    sum / rows.pairs.len() as f64
}
