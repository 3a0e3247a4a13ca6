//! The paper's synthetic settings: predictions whose calibration error is known.

use std::hint::black_box;

use ndarray::{Array2, ArrayView1};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma};

use super::predictions::Predictions;
use crate::error::{Error, Result};
use crate::numeric::random::generator;
use crate::numeric::simplex::{sigmoid, softmax};

/// A synthetic setting: predictions U, drawn from Dirichlet(½, …, ½), and labels drawn from a
/// known g*(U).
///
/// With two classes U₁ follows Beta(½, ½). The true calibration error is E‖U − g*(U)‖.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Simulation {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What g* is.
    pub about: &'static str,
    /// The number of classes.
    pub classes: usize,
    truth: Truth,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Truth {
    /// g*(u) = u.
    Calibrated,
    /// Two classes: sigmoid(slope·logit u + intercept).
    Logistic { slope: f64, intercept: f64 },
    /// Two classes: the first slope below 1/2, the second above.
    Mixed { below: f64, above: f64 },
    /// Two classes: min(1, u + shift).
    Shifted { shift: f64 },
    /// softmax(power · ln u).
    Power { power: f64 },
}

const fn setting(
    name: &'static str,
    about: &'static str,
    classes: usize,
    truth: Truth,
) -> Simulation {
    Simulation { name, about, classes, truth }
}

const fn logistic(slope: f64, intercept: f64) -> Truth {
    Truth::Logistic { slope, intercept }
}

/// The settings: of the paper's figures, then of its table on over- and under-confidence.
const SETTINGS: &[Simulation] = &[
    setting("binary-calibrated", "g*(u) = u", 2, Truth::Calibrated),
    setting("binary-overconfident", "sigmoid(0.4 logit u + 0.3)", 2, logistic(0.4, 0.3)),
    setting("binary-underconfident", "sigmoid(4 logit u + 1)", 2, logistic(4.0, 1.0)),
    setting("binary-shifted", "min(1, u + 0.02)", 2, Truth::Shifted { shift: 0.02 }),
    setting("binary-over", "sigmoid(0.4 logit u)", 2, logistic(0.4, 0.0)),
    setting("binary-under", "sigmoid(4 logit u)", 2, logistic(4.0, 0.0)),
    setting(
        "binary-both",
        "sigmoid(0.4 logit u) below 1/2, sigmoid(4 logit u) above",
        2,
        Truth::Mixed { below: 0.4, above: 4.0 },
    ),
    setting("multiclass-calibrated-3", "g*(u) = u", 3, Truth::Calibrated),
    setting("multiclass-overconfident-3", "softmax(0.3 ln u)", 3, Truth::Power { power: 0.3 }),
    setting("multiclass-underconfident-3", "softmax(2 ln u)", 3, Truth::Power { power: 2.0 }),
    setting("multiclass-calibrated-10", "g*(u) = u", 10, Truth::Calibrated),
    setting("multiclass-overconfident-10", "softmax(0.3 ln u)", 10, Truth::Power { power: 0.3 }),
    setting("multiclass-underconfident-10", "softmax(2 ln u)", 10, Truth::Power { power: 2.0 }),
];

impl Simulation {
    /// Every setting there is.
    pub fn all() -> &'static [Simulation] {
        SETTINGS
    }

    /// The setting of a name.
    ///
    /// # Errors
    /// A name that there is not; the error says which there are.
    pub fn named(name: &str) -> Result<Self> {
        SETTINGS.iter().find(|setting| setting.name == name).copied().ok_or_else(|| {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            Error::Simulation { text: name.to_owned(), names: names.join(", ") }
        })
    }

    /// g*(u), the true probabilities behind a prediction.
    ///
    /// ```
    /// use calipers::Simulation;
    /// use ndarray::array;
    ///
    /// let shifted = Simulation::named("binary-shifted")?;
    /// assert!((shifted.truth(array![0.7, 0.3].view())[1] - 0.32).abs() < 1e-15);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn truth(&self, u: ArrayView1<'_, f64>) -> Vec<f64> {
        let pair = |p: f64| vec![1.0 - p, p];
        let logit = || u[1].ln() - u[0].ln();
        match self.truth {
            Truth::Calibrated => u.to_vec(),
            Truth::Logistic { slope, intercept } => pair(sigmoid(slope * logit() + intercept)),
            Truth::Mixed { below, above } => {
                pair(sigmoid(if u[1] < 0.5 { below } else { above } * logit()))
            }
            Truth::Shifted { shift } => pair((u[1] + shift).min(1.0)),
            Truth::Power { power } => {
                let mut scores: Vec<f64> = u.iter().map(|u| power * u.ln()).collect();
                softmax(&mut scores);
                scores
            }
        }
    }

    /// Draws `rows` predictions with their labels.
    ///
    /// # Errors
    /// No rows asked for.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Predictions<'static>> {
        let mut draws = generator(seed, SIMULATION_STREAM);
        let mut probs = Array2::zeros((rows, self.classes));
        let mut labels = Vec::with_capacity(rows);
        for mut row in probs.rows_mut() {
            if let Some(row) = row.as_slice_mut() {
                dirichlet(row, &mut draws);
            }
            let truth = self.truth(row.view());
            labels.push(categorical(&truth, draws.random()));
        }
        Predictions::new(probs, &labels)
    }
}

/// A stream that folds, which number theirs from 0, never reach.
const SIMULATION_STREAM: u64 = u64::MAX;

/// Draws from Dirichlet(½, …, ½): Gamma draws divided by their sum. A draw in which a component
/// rounds to 0 or 1 is drawn again: in these settings f is never certain.
fn dirichlet(row: &mut [f64], draws: &mut impl Rng) {
    // A compiler that sees the shape may turn u^(1/shape) into u·u, which differs in the last bit:
    // whether it does depends on the build, and the draws must not.
    let Ok(gamma) = Gamma::new(black_box(0.5), 1.0) else { return };
    loop {
        row.iter_mut().for_each(|value| *value = gamma.sample(draws));
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= sum);
        if row.iter().all(|&value| value > 0.0 && value < 1.0) {
            return;
        }
    }
}

/// The class whose interval of the cumulated probabilities holds a uniform draw.
pub(crate) fn categorical(probs: &[f64], draw: f64) -> usize {
    let mut left = draw;
    for (class, &p) in probs.iter().enumerate() {
        left -= p;
        if left < 0.0 {
            return class;
        }
    }
    probs.iter().rposition(|&p| p > 0.0).unwrap_or(0)
}

/// Draws predictions and labels of a setting by its name.
///
/// # Errors
/// A name that there is not, or no rows asked for.
///
/// ```
/// let predictions = calipers::simulate("multiclass-overconfident-3", 100, 42)?;
/// assert_eq!((predictions.rows(), predictions.classes()), (100, 3));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn simulate(name: &str, rows: usize, seed: u64) -> Result<Predictions<'static>> {
    Simulation::named(name)?.draw(rows, seed)
}
