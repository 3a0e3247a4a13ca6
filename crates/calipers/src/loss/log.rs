use std::sync::Arc;

use fearless_simd::{Level, dispatch};

use super::named::{Entry, NamedLoss, Plain};
use super::part::MetricPart;
use super::{ProperLoss, Purpose};
use crate::numeric::simd::{ln_in_place, widely};

/// The logarithmic loss, behind E KL(C ‖ f), in nats.
///
/// The score is ln g_Y − ln f_Y. Where f gave the observed class no probability at all it is
/// infinite, and stays so: a floor is applied to f and g only on request. Where f and g agree it
/// is 0, even at zero.
///
/// ```
/// use calipers::{Log, ProperLoss};
///
/// let honest = Log { floor: 0.0 };
/// assert_eq!(honest.score(&[1.0, 0.0], &[0.9, 0.1], 1), f64::INFINITY);
/// assert!(Log { floor: 1e-12 }.score(&[1.0, 0.0], &[0.9, 0.1], 1).is_finite());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Log {
    /// Probabilities below this count as this; 0 for none.
    pub floor: f64,
}

impl Log {
    pub(super) const ENTRY: Entry = Entry {
        part: MetricPart::new(
            "log",
            "E KL(C || f) in nats; infinite where f rules out what occurs",
        ),
        expected: "log",
        parse: |text| (text == "log").then(|| Arc::new(Self { floor: 0.0 }) as _),
    };
}

/// From so many classes on, logarithms are taken of several at a time: of g/f, so that a score is right to
/// 10⁻¹⁶, if not to its own last digit where g is near f.
const MANY: usize = 32;

/// Whether a logarithm can be taken of it by vectors.
#[inline(always)]
fn is_ordinary(ratio: f64) -> bool {
    (f64::MIN_POSITIVE..f64::INFINITY).contains(&ratio)
}

impl NamedLoss for Log {
    fn name(&self) -> String {
        "log".to_owned()
    }

    fn scorer(&self, log_floor: f64) -> Box<dyn ProperLoss> {
        Box::new(Self { floor: self.floor.max(log_floor) })
    }

    fn plain(&self, log_floor: f64) -> Option<Plain> {
        let floor = self.floor.max(log_floor);
        Some(Box::new(move |f, label| -f[label].max(floor).ln()))
    }
}

impl ProperLoss for Log {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        let (f, g) = (f[label].max(self.floor), g[label].max(self.floor));
        let step = g - f;
        if step.abs() <= 0.0 {
            0.0
        } else if step.abs() < 0.5 * f {
            (step / f).ln_1p()
        } else {
            g.ln() - f.ln()
        }
    }

    fn class_scores(&self, f: &[f64], g: &[f64], scores: &mut [f64]) {
        if f.len() < MANY {
            let each = scores.iter_mut().enumerate();
            return each.for_each(|(label, score)| *score = self.score(f, g, label));
        }
        let are_ordinary = widely(
            f.len(),
            #[inline(always)]
            || {
                scores.iter_mut().zip(f.iter().zip(g)).fold(true, |all, (score, (f, g))| {
                    *score = g.max(self.floor) / f.max(self.floor);
                    all & is_ordinary(*score)
                })
            },
        );
        dispatch!(Level::new(), simd => ln_in_place(simd, scores));
        if !are_ordinary {
            for (label, score) in scores.iter_mut().enumerate() {
                if !is_ordinary(g[label].max(self.floor) / f[label].max(self.floor)) {
                    *score = self.score(f, g, label);
                }
            }
        }
    }

    fn hedge(&self) -> f64 {
        // A score is then at least ln 0.02 ≈ −3.9.
        0.02
    }

    fn purpose(&self) -> Purpose {
        Purpose::Log
    }
}
