use std::sync::Arc;

use super::named::{Entry, NamedLoss};
use super::part::MetricPart;
use super::{ProperLoss, Purpose, pull, pull_each, scalar_score};
use crate::numeric::simd::{largest_of, sum_of, widely};

/// The loss behind E‖f − C‖ₚ, p ≥ 1 (paper, Proposition 1).
///
/// With d = g − f the score is ⟨sign(d) |d|^(p−1) / ‖d‖ₚ^(p−1), Y − f⟩, and 0 at d = 0. It depends
/// on the direction of d alone, so d is first divided by its largest component: nothing
/// underflows however close g comes to f. Two classes: sign(g₁ − f₁)(Y₁ − f₁), whatever p is.
///
/// ```
/// use calipers::{Lp, ProperLoss};
///
/// let f = [0.2, 0.3, 0.5];
/// assert_eq!(Lp::new(2.0).score(&f, &f, 0), 0.0);
/// // Towards the observed class the loss falls; the length of the step does not matter.
/// let far = Lp::new(2.0).score(&f, &[0.4, 0.2, 0.4], 0);
/// let near = Lp::new(2.0).score(&f, &[0.2 + 2e-9, 0.3 - 1e-9, 0.5 - 1e-9], 0);
/// assert!(far > 0.0 && (far - near).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Lp {
    p: f64,
}

impl Lp {
    /// The loss for a norm of exponent p; an exponent below 1 is taken as 1.
    pub fn new(p: f64) -> Self {
        Self { p: p.max(1.0) }
    }

    pub(super) const ENTRY: Entry = Entry {
        part: MetricPart::new(
            "l<p>",
            "E|f - C|_p for any p >= 1: l1, l2, l1.5; two classes: E|f1 - C1|",
        ),
        expected: "l<p> (any p >= 1, for instance l1, l2, l1.5)",
        parse: |text| parse_p(text).map(|p| Arc::new(Self { p }) as _),
    };
}

/// The p of `l<p>`: plain decimals only, so that `l1e3`, `l+2`, `lnan` are not metrics.
fn parse_p(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('l')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain || !digits.starts_with(|first: char| first.is_ascii_digit()) || digits.ends_with('.')
    {
        return None;
    }
    digits.parse().ok().filter(|p: &f64| p.is_finite() && *p >= 1.0)
}

impl NamedLoss for Lp {
    fn name(&self) -> String {
        format!("l{}", self.p)
    }

    fn scorer(&self, _: f64) -> Box<dyn ProperLoss> {
        Box::new(*self)
    }

    fn vector_factor(&self) -> f64 {
        2f64.powf(1.0 / self.p)
    }
}

impl ProperLoss for Lp {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        if f.len() == 2 {
            return scalar_score(f, g, label);
        }
        let largest = f.iter().zip(g).map(|(f, g)| (g - f).abs()).fold(0.0, f64::max);
        if largest <= 0.0 {
            return 0.0;
        }
        let power = self.p - 1.0;
        let slopes = f.iter().zip(g).map(|(f, g)| {
            let step = (g - f) / largest;
            sign(step) * magnitude(step.abs(), power)
        });
        let total = pull(slopes.clone(), f, label);
        if power <= 0.0 {
            return total;
        }
        // ‖d‖ₚ^(p−1) from Σ|d|^p = Σ|d|·|d|^(p−1).
        let sum: f64 =
            f.iter().zip(g).zip(slopes).map(|((f, g), slope)| (g - f) / largest * slope).sum();
        total / sum.powf(power / self.p)
    }

    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        if f.len() == 2 {
            let each = scores.iter_mut().enumerate();
            return each.for_each(|(label, score)| *score = scalar_score(f, g, label));
        }
        widely(
            f.len(),
            #[inline(always)]
            || {
                let largest = largest_of(f, g, 0.0, |f, g| (g - f).abs());
                if largest <= 0.0 {
                    return scores.fill(0.0);
                }
                let each = scores.iter_mut().zip(f.iter().zip(g));
                each.for_each(|(score, (f, g))| *score = (g - f) / largest);
                let power = self.p - 1.0;
                let sum = match power {
                    0.0 => to_slopes(scores, |_| 1.0),
                    1.0 => to_slopes(scores, |size| size),
                    _ => to_slopes(scores, |size| size.powf(power)),
                };
                let norm = sum.powf(power / self.p);
                pull_each(scores, f, norm);
            },
        );
    }

    fn purpose(&self) -> Purpose {
        Purpose::Direction
    }
}

/// Turns steps d into sign(d) |d|^(p−1), given that power; returns Σ|d|·|d|^(p−1) = Σ|d|^p.
#[inline(always)]
fn to_slopes(steps: &mut [f64], power: impl Fn(f64) -> f64) -> f64 {
    let sum = sum_of(steps, steps, |step, _| step.abs() * power(step.abs()));
    steps.iter_mut().for_each(|step| *step = sign(*step) * power(step.abs()));
    sum
}

#[inline(always)]
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// x^power, without a call to `powf` for the two exponents that almost everyone uses.
#[allow(clippy::float_cmp, reason = "the exponents 0 and 1 are exact")]
fn magnitude(x: f64, power: f64) -> f64 {
    if power == 0.0 {
        1.0
    } else if power == 1.0 {
        x
    } else {
        x.powf(power)
    }
}
