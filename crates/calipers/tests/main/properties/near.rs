//! Where a score may jump: what rounding decides is not compared.
//!
//! The score of a norm depends on the direction from f to g alone. It jumps where a component of g − f
//! changes its sign (`l1`, and the sides) or where two components are tied for the largest (`linf`);
//! and where g is very near to f, the whole direction is that of rounding. A user's own distance can
//! see how near a row is to that.

use calipers::Distance;

/// 1 over how near g is to a jump of any norm.
#[derive(Debug)]
pub struct Nearness;

impl Distance for Nearness {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        let mut steps: Vec<f64> = f.iter().zip(z).map(|(f, z)| (z - f).abs()).collect();
        steps.sort_by(f64::total_cmp);
        let tie = match f.len() {
            2 => f64::INFINITY,
            classes => steps[classes - 1] - steps[classes - 2],
        };
        1.0 / steps[0].min(tie).max(1e-200)
    }

    fn subgradient(&self, _: &[f64], _: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
}

/// Whether a row's norms may be compared: in both runs g is away from all jumps by so much, or in both it is f.
pub fn away(one: f64, other: f64, by: f64) -> bool {
    let zero = |nearness: f64| nearness <= 0.0;
    (zero(one) && zero(other)) || (!zero(one) && !zero(other) && one.max(other) * by < 1.0)
}
