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

    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        if f.len() == 2 {
            scores.copy_from_slice(&[0, 1].map(|label| self.score(f, g, label)));
            return;
        }
        // Σ (f − g)(f + g) − 2(f_Y − g_Y).
        let common: f64 = f.iter().zip(g).map(|(f, g)| (f - g) * (f + g)).sum();
        let each = scores.iter_mut().zip(f.iter().zip(g));
        each.for_each(|(score, (f, g))| *score = common - 2.0 * (f - g));
    }

    fn purpose(&self) -> Purpose {
        Purpose::Squared
    }
}
