//! How far to go where the trees lead.

use crate::recalibrate::boost::BinnedRows;

/// Nobody goes further than this.
const MOST: f64 = 1.5;

/// The gain has to be so many times its standard error, or g stays that of f alone.
const SHOWN: f64 = 1.0;

/// Steps of Newton's method, of which four or five do.
const STEPS: usize = 20;

/// The s at which p exp(s·δ), normalised, predicts the labels best, p being what the g of f alone says of rows that
/// it has not seen and p exp(δ) where trees move them that have not seen them either; 0 unless that is shown to
/// be better than p.
pub(super) fn strength(rows: &BinnedRows, moved: &[f64]) -> f64 {
    let mut best: f64 = 1.0;
    for _ in 0..STEPS {
        let [slope, bend, ..] = at(rows, moved, best);
        if bend <= 0.0 {
            return 0.0;
        }
        let next = (best + slope / bend).clamp(0.0, MOST);
        if (next - best).abs() < 1e-9 {
            break;
        }
        best = next;
    }
    let [_, _, gain, squares] = at(rows, moved, best);
    if gain > SHOWN * squares.sqrt() { best } else { 0.0 }
}

/// The first derivative of the log-likelihood in s and minus the second; its gain, and the sum of the squares of
/// the rows' own.
fn at(rows: &BinnedRows, moved: &[f64], s: f64) -> [f64; 4] {
    let classes = rows.classes;
    let mut sums = [0.0; 4];
    let (mut delta, mut weights) = (vec![0.0; classes], vec![0.0; classes]);
    let pairs = rows.probs.chunks_exact(classes).zip(moved.chunks_exact(classes));
    for ((start, moved), (&label, &weight)) in pairs.zip(rows.labels.iter().zip(&rows.weights)) {
        let mut total = 0.0;
        for class in 0..classes {
            let from = start[class].max(f64::MIN_POSITIVE);
            delta[class] = (moved[class].max(f64::MIN_POSITIVE) / from).ln();
            weights[class] = from * (s * delta[class]).exp();
            total += weights[class];
        }
        let mean = |power: i32| -> f64 {
            let terms = weights.iter().zip(&delta);
            terms.map(|(weight, delta)| weight / total * delta.powi(power)).sum()
        };
        let (first, own) = (mean(1), delta[label as usize]);
        let before: f64 = start.iter().map(|p| p.max(f64::MIN_POSITIVE)).sum();
        let gain = s * own - (total / before).ln();
        sums[0] += weight * (own - first);
        sums[1] += weight * (mean(2) - first * first);
        sums[2] += weight * gain;
        sums[3] += (weight * gain).powi(2);
    }
    sums
}
