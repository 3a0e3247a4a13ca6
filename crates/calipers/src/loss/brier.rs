use super::{ProperLoss, Purpose};

/// The squared error, behind E‖f − C‖₂².
///
/// ‖f − Y‖² − ‖g − Y‖² is computed as Σ (f − g)(f + g − 2Y), which keeps every digit as g → f.
/// Two classes: the scalar (f₁ − g₁)(f₁ + g₁ − 2Y₁).
#[derive(Debug, Clone, Copy)]
pub struct Brier;

impl ProperLoss for Brier {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        let gain = |class: usize| {
            let observed = if class == label { 1.0 } else { 0.0 };
            (f[class] - g[class]) * (f[class] + g[class] - 2.0 * observed)
        };
        if f.len() == 2 { gain(1) } else { (0..f.len()).map(gain).sum() }
    }

    fn purpose(&self) -> Purpose {
        Purpose::Squared
    }
}
