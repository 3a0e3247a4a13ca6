use std::sync::Arc;

use super::named::{Entry, NamedLoss, Plain};
use super::part::MetricPart;
use super::{ProperLoss, Purpose};
use crate::numeric::simd::{sum_of, widely};

/// The squared error, behind E‖f − C‖₂².
///
/// ‖f − Y‖² − ‖g − Y‖² is computed as Σ (f − g)(f + g − 2Y), which keeps every digit as g → f.
/// Two classes: the scalar (f₁ − g₁)(f₁ + g₁ − 2Y₁).
#[derive(Debug, Clone, Copy)]
pub struct Brier;

impl Brier {
    pub(super) const ENTRY: Entry = Entry {
        part: MetricPart::new("brier", "E|f - C|^2, the squared error; two classes: E(f1 - C1)^2"),
        expected: "brier",
        parse: |text| (text == "brier").then(|| Arc::new(Self) as _),
    };
}

impl NamedLoss for Brier {
    fn name(&self) -> String {
        "brier".to_owned()
    }

    fn scorer(&self, _: f64) -> Box<dyn ProperLoss> {
        Box::new(*self)
    }

    fn vector_factor(&self) -> f64 {
        2.0
    }

    fn plain(&self, _: f64) -> Option<Plain> {
        Some(Box::new(|f, label| {
            if let [_, f] = f {
                // Of two classes the scalar.
                let observed = if label == 1 { 1.0 } else { 0.0 };
                return (f - observed) * (f - observed);
            }
            let others = |f: &[f64]| sum_of(f, f, |f, g| f * g);
            let own = 1.0 - f[label];
            own * own + others(&f[..label]) + others(&f[label + 1..])
        }))
    }
}

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
        widely(
            f.len(),
            #[inline(always)]
            || {
                // Σ (f − g)(f + g) − 2(f_Y − g_Y).
                let common = sum_of(f, g, |f, g| (f - g) * (f + g));
                let each = scores.iter_mut().zip(f.iter().zip(g));
                each.for_each(|(score, (f, g))| *score = common - 2.0 * (f - g));
            },
        );
    }

    fn purpose(&self) -> Purpose {
        Purpose::Squared
    }
}
