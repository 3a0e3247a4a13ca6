//! The same bets by other means: covariances in place of precisions, bisection in place of Newton's
//! method, probabilities in place of ratios, products in place of logarithms.

use crate::data::Predictions;

/// The last and the largest e-value.
pub fn e_values(predictions: &Predictions<'_>) -> (f64, f64) {
    let probs = predictions.probs();
    let rows: Vec<(Vec<f64>, usize)> = probs
        .rows()
        .into_iter()
        .zip(predictions.labels())
        .map(|(row, &label)| (row.to_vec(), label as usize))
        .collect();
    let ratios = match predictions.classes() {
        2 => vec![quadratic(&rows)],
        _ => vec![scaling(&rows, false), scaling(&rows, true)],
    };
    let mut wealths = vec![[0.8, 0.1, 0.1].map(|share| share / ratios.len() as f64); ratios.len()];
    let (mut last, mut largest) = (1.0, 1.0);
    for row in 0..rows.len() {
        for (wealths, ratios) in wealths.iter_mut().zip(&ratios) {
            for (wealth, lambda) in wealths.iter_mut().zip([1.0, 0.5, 0.25]) {
                *wealth *= 1.0 + 0.98 * lambda * (ratios[row] - 1.0);
            }
        }
        last = wealths.iter().flatten().sum();
        largest = f64::max(largest, last);
    }
    (last, largest)
}

fn log(f: f64) -> f64 {
    f.max(1e-6).ln()
}

fn quadratic(rows: &[(Vec<f64>, usize)]) -> Vec<f64> {
    let mut mean = [0.0; 3];
    let mut covariance = [[0.05, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, 0.0, 0.05]];
    let mut ratios = Vec::new();
    for (f, label) in rows {
        let z = log(f[1]) - log(f[0]);
        let x = [1.0, z / 2.0, z * z / 8.0];
        let dot = |a: &[f64; 3]| a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
        let y = *label as f64;
        let g = |t: f64| f[1] * t.exp() / (f[0] + f[1] * t.exp());
        let along = covariance.map(|row| dot(&row));
        let (centre, variance) = (dot(&mean), dot(&along));
        let far = (3.0 * variance).sqrt();
        let g1 = (g(centre - far) + 4.0 * g(centre) + g(centre + far)) / 6.0;
        ratios.push(if *label == 1 { g1 / f[1] } else { (1.0 - g1) / f[0] });
        // The step t along Σx: t = variance · (y − g), by bisection.
        let (mut low, mut high) = (-variance, variance);
        for _ in 0..200 {
            let t = 0.5 * (low + high);
            if t > variance * (y - g(centre + t)) { high = t } else { low = t }
        }
        let p = g(centre + low);
        let information = p * (1.0 - p);
        for i in 0..3 {
            mean[i] += along[i] * (y - p);
            for j in 0..3 {
                covariance[i][j] -=
                    along[i] * along[j] * information / (1.0 + information * variance);
            }
        }
    }
    ratios
}

fn scaling(rows: &[(Vec<f64>, usize)], intercepts: bool) -> Vec<f64> {
    let classes = rows[0].0.len();
    // The slope last.
    let (mut parameters, mut precisions) = (vec![0.0; classes + 1], vec![30.0; classes + 1]);
    let mut ratios = Vec::new();
    for (f, label) in rows {
        let mass = |c: usize| f[c] * (parameters[classes] * log(f[c]) + parameters[c]).exp();
        let sum: f64 = (0..classes).map(mass).sum();
        let g: Vec<f64> = (0..classes).map(|c| mass(c) / sum).collect();
        ratios.push(g[*label] / f[*label]);
        let mean: f64 = (0..classes).map(|c| g[c] * log(f[c])).sum();
        let square: f64 = (0..classes).map(|c| g[c] * log(f[c]) * log(f[c])).sum();
        precisions[classes] += square - mean * mean;
        parameters[classes] += (log(f[*label]) - mean) / precisions[classes];
        for c in (0..classes).filter(|_| intercepts) {
            precisions[c] += g[c] - g[c] * g[c];
            parameters[c] += (f64::from(u8::from(c == *label)) - g[c]) / precisions[c];
        }
    }
    ratios
}
