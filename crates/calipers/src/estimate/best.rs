//! The best guess: how large the error *is*, with an interval on both sides.
//!
//! The cross-fitted estimate errs downwards and the in-sample one upwards; for a linear smoother their mean is
//! unbiased to first order. Two such means are weighed against each other:
//!
//! - that of the recalibrator itself, moved from the cross-fitted estimate A towards the in-sample one, by no
//!   more than a smoother that anyone can overfit with, `isotonic`, loses between the two;
//! - that of `isotonic`, less most of its bias in a world that is known: labels are drawn from g, fitted to all
//!   rows, whose error D_f(g) is no secret.
//!
//! The second counts for little where it is the noisier. It is not a lower bound, and errs to either side.
//! docs/method.md has the formula, how far it is from the truth, and what was tried.

use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rayon::prelude::*;

use super::problem::Problem;
use super::scorer::Scorer;
use crate::data::{Sample, categorical};
use crate::error::Result;
use crate::loss::Purpose;
use crate::numeric::mean::weighted_mean;
use crate::numeric::random::generator;
use crate::recalibrate::{Recalibrator, recalibrator};
use crate::run::stop;

/// Sets of labels that are drawn from g: three are worse, and ten no better.
const DRAWINGS: usize = 6;

/// Numbers (rows × classes) beyond which fewer are drawn, and beyond which there is no guess: it would take
/// many times as long as the estimate.
const MANY: usize = 100_000;
const TOO_MANY: usize = 4_000_000;

// The interval is one of 90 %, and the constants are for no other. They were chosen on one half of a corpus of real predictions with known truths and of simulations,
// by their root-mean-square error relative to that of the true C as g (docs/choices.md, "The best guess").

/// How far to go towards the in-sample estimate, and at most so much of the way that `isotonic` goes.
const TOWARDS: f64 = 0.8;
const OF_ISOTONIC: f64 = 0.4;

/// How much of the bias in a known world is taken away.
const OF_BIAS: f64 = 0.8;

/// What `isotonic` counts for at the most, and how much its noise counts against it.
const WEIGHT: f64 = 0.4;
const NOISE: f64 = 0.2;

/// More than two classes: the in-sample estimate is no more than so many times the error of g.
const TIMES_KNOWN: f64 = 3.0;

/// How far the interval goes: standard errors, and shares of what may have been missed.
const ABOVE: [f64; 3] = [1.35, 0.3, 0.6];
const BELOW: [f64; 2] = [1.25, 0.2];
const ROWS: f64 = 0.25;

/// What is known of a metric, added up over problems.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    /// D_f(g), and what g gains on the labels that it learnt from.
    known: f64,
    in_use: f64,
    /// What `isotonic` gains on held-out rows, and on its own.
    held_out: f64,
    in_sample: f64,
    /// The mean of the two for each set of labels drawn from g.
    drawn: Vec<f64>,
}

/// A guess, and the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Guess {
    pub value: f64,
    pub interval: (f64, f64),
}

/// What the cross-fitted estimate says.
pub(super) struct Estimated {
    pub value: f64,
    pub stderr: f64,
    /// Whether the error is shown to be above 0.
    pub shown: bool,
    /// The in-sample estimate.
    pub in_sample: f64,
    pub rows: usize,
    pub classes: usize,
}

impl Parts {
    /// Adds a problem's share.
    pub fn add(&mut self, other: &Self, share: f64) {
        self.known += share * other.known;
        self.in_use += share * other.in_use;
        self.held_out += share * other.held_out;
        self.in_sample += share * other.in_sample;
        self.drawn.resize(other.drawn.len(), 0.0);
        self.drawn.iter_mut().zip(&other.drawn).for_each(|(sum, one)| *sum += share * one);
    }

    /// The guess; none if something in it is infinite.
    pub fn guess(&self, estimated: &Estimated) -> Option<Guess> {
        let Estimated { value, stderr, shown, in_sample, rows, classes } = *estimated;
        let bend = (self.in_sample - self.held_out).max(0.0);
        let above = match classes {
            2 => self.in_use,
            _ => self.in_use.min(in_sample).min(TIMES_KNOWN * self.known),
        };
        let gap = (above - value).max(0.0);
        let own = value + TOWARDS * gap.min(OF_ISOTONIC * bend);
        let (mean, deviation) = moments(&self.drawn);
        let middle = 0.5 * (self.held_out + self.in_sample);
        let mended = middle - OF_BIAS * (mean - self.known);
        let squared = stderr * stderr;
        let noise = squared + NOISE * deviation * deviation;
        // Without drawings nothing is known of its bias.
        let weight =
            if noise > 0.0 && !self.drawn.is_empty() { WEIGHT * squared / noise } else { 0.0 };
        let best = if weight > 0.0 { weight * mended + (1.0 - weight) * own } else { own }.max(0.0);
        let way = |parts: &[f64]| parts.iter().map(|part| part * part).sum::<f64>().sqrt();
        let high = way(&[ABOVE[0] * stderr, ABOVE[1] * bend, ABOVE[2] * gap]) + ROWS / rows as f64;
        let low = way(&[BELOW[0] * stderr, BELOW[1] * gap.min(bend)]);
        let low = if shown { (best - low).max(0.0) } else { 0.0 };
        let guess = Guess { value: best, interval: (low, best + high) };
        (guess.value.is_finite() && guess.interval.1.is_finite()).then_some(guess)
    }
}

/// The mean and the standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Whether predictions of this size are guessed at.
pub(super) fn is_affordable(rows: usize, classes: usize) -> bool {
    rows.saturating_mul(classes) <= TOO_MANY
}

/// How many sets of labels are drawn for a problem of this size.
fn drawings(numbers: usize) -> usize {
    (DRAWINGS * MANY / numbers.max(1)).min(DRAWINGS)
}

/// One problem, its folds, and what is to be known of it.
pub(super) struct Guessing<'a, 'p> {
    pub problem: &'a Problem<'p>,
    pub folds: &'a [u32],
    pub count: usize,
    pub scorers: Vec<&'a Scorer>,
    pub seed: u64,
}

impl Guessing<'_, '_> {
    /// The parts of each metric, given g, fitted to all rows, as it is used: row after row.
    pub fn parts(&self, used: &[f64]) -> Result<Vec<Parts>> {
        let (rows, classes) = (self.problem.rows(), self.problem.classes());
        let mut f = Array2::zeros((rows, classes));
        let mut buffer = vec![0.0; classes];
        for (row, mut to) in f.rows_mut().into_iter().enumerate() {
            let from = self.problem.prediction(row, &mut buffer);
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        // Where there was nothing to learn from, g = f.
        let used = ArrayView2::from_shape((rows, classes), used).unwrap_or(f.view());
        let observed: Vec<u32> = (0..rows).map(|row| self.problem.label(row) as u32).collect();
        let isotonic = recalibrator("isotonic")?;
        let found = self.both(isotonic.as_ref(), f.view(), &observed)?;
        let drawn: Vec<Vec<(f64, f64)>> = (0..drawings(rows * classes) as u64)
            .into_par_iter()
            .map(|draw| {
                stop::check()?;
                let mut draws = generator(self.seed, draw);
                let label = |g: ndarray::ArrayView1<'_, f64>| match g.as_slice() {
                    Some(g) => categorical(g, draws.random()) as u32,
                    None => 0,
                };
                let labels: Vec<u32> = used.rows().into_iter().map(label).collect();
                self.both(isotonic.as_ref(), f.view(), &labels)
            })
            .collect::<Result<_>>()?;
        let part = |(number, scorer): (usize, &&Scorer)| Parts {
            known: scorer.factor * self.known(scorer, f.view(), used),
            in_use: self.gain(scorer, f.view(), used, &observed),
            held_out: found[number].0,
            in_sample: found[number].1,
            drawn: drawn.iter().map(|all| 0.5 * (all[number].0 + all[number].1)).collect(),
        };
        Ok(self.scorers.iter().enumerate().map(part).collect())
    }

    /// For each metric, what a g learnt from labels gains on held-out rows, and on its own.
    fn both(
        &self,
        learner: &dyn Recalibrator,
        f: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> Result<Vec<(f64, f64)>> {
        let mut sample = Sample::empty();
        let arranged = self.problem.arrange(self.folds);
        let ordered = self.problem.arrange(labels);
        let mut held_out = f.to_owned();
        for fold in 0..self.count as u32 {
            let outside = |place: usize| arranged[place] != fold;
            if !self.problem.relearnt(&ordered, outside, &mut sample) {
                continue;
            }
            let fitted = learner.fit(&sample, 0)?;
            let own: Vec<usize> =
                (0..self.folds.len()).filter(|&row| self.folds[row] == fold).collect();
            let mut g = Array2::zeros((own.len(), f.ncols()));
            fitted.predict_into(f.select(Axis(0), &own).view(), Purpose::Use, g.view_mut())?;
            own.iter().zip(g.rows()).for_each(|(&row, g)| held_out.row_mut(row).assign(&g));
            stop::check()?;
        }
        let mut in_sample = f.to_owned();
        if self.problem.relearnt(&ordered, |_| true, &mut sample) {
            learner.fit(&sample, 0)?.predict_into(f, Purpose::Use, in_sample.view_mut())?;
        }
        let gains = |scorer: &&Scorer| {
            (
                self.gain(scorer, f, held_out.view(), labels),
                self.gain(scorer, f, in_sample.view(), labels),
            )
        };
        Ok(self.scorers.iter().map(gains).collect())
    }

    /// The mean score of a g.
    fn gain(
        &self,
        scorer: &Scorer,
        f: ArrayView2<'_, f64>,
        g: ArrayView2<'_, f64>,
        labels: &[u32],
    ) -> f64 {
        let scored = scorer.blocks(f, g, labels);
        let scores: Vec<f64> = scored.iter().map(|one| one.plain.score).collect();
        scorer.factor * weighted_mean(&scores, self.problem.weights()).value
    }

    /// The mean of D_f(g): what g gains over f if labels are drawn from g.
    fn known(&self, scorer: &Scorer, f: ArrayView2<'_, f64>, g: ArrayView2<'_, f64>) -> f64 {
        let mut scores = Array2::zeros(f.dim());
        scorer.loss().block_scores(f, g, scores.view_mut());
        let rows = f.rows().into_iter().zip(g.rows()).zip(scores.rows());
        let distance = |((f, g), scores): ((_, ndarray::ArrayView1<'_, f64>), _)| {
            let (f, scores): (ndarray::ArrayView1<'_, f64>, ndarray::ArrayView1<'_, f64>) =
                (f, scores);
            let terms = f.iter().zip(g).zip(scores);
            // What f rules out is infinitely far for `log`, however little g makes of it.
            let terms = terms.filter(|((f, g), _)| **f > 0.0 && **g > 0.0);
            terms.map(|((_, g), score)| g * score).sum::<f64>()
        };
        let each: Vec<f64> = rows.map(distance).collect();
        weighted_mean(&each, self.problem.weights()).value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimated(value: f64, stderr: f64) -> Estimated {
        Estimated {
            value,
            stderr,
            shown: value > 2.0 * stderr,
            in_sample: 0.15,
            rows: 1_000,
            classes: 2,
        }
    }

    /// The formula by hand.
    #[test]
    fn the_guess_is_between_two_means() {
        let parts = Parts {
            known: 0.1,
            in_use: 0.13,
            held_out: 0.09,
            in_sample: 0.15,
            drawn: vec![0.11, 0.13],
        };
        let guess = parts.guess(&estimated(0.1, 0.02)).unwrap();
        // bend .06, gap .03: own = .1 + .8 · min(.03, .024); mended = .12 − .8 (.12 − .1); the deviation of the
        // drawings is .01 √2.
        let (own, mended): (f64, f64) = (0.1 + 0.8 * 0.024, 0.12 - 0.8 * 0.02);
        let weight = 0.4 * 0.0004 / (0.0004 + 0.2 * 0.0002);
        let best = weight * mended + (1.0 - weight) * own;
        assert!((guess.value - best).abs() < 1e-12);
        let high = (0.027f64.powi(2) + 0.018f64.powi(2) + 0.018f64.powi(2)).sqrt() + 0.00025;
        let low = (0.025f64.powi(2) + 0.006f64.powi(2)).sqrt();
        assert!((guess.interval.1 - best - high).abs() < 1e-12);
        assert!((best - guess.interval.0 - low).abs() < 1e-12);
        // Many classes: what g gains on its own rows is capped.
        let capped = parts.guess(&Estimated { classes: 3, in_sample: 0.1, ..estimated(0.1, 0.02) });
        assert!(capped.unwrap().value < guess.value);
    }

    #[test]
    fn nothing_found_is_a_guess_of_nothing_and_the_interval_begins_there() {
        let parts =
            Parts { drawn: vec![0.02, 0.02], held_out: -0.01, in_sample: 0.02, ..Parts::default() };
        let guess = parts.guess(&estimated(-0.01, 0.01)).unwrap();
        assert!(guess.value.abs() <= 0.0 && guess.interval.0.abs() <= 0.0);
        assert!(guess.interval.1 > 0.01);
        let infinite = Parts { in_use: f64::INFINITY, ..parts };
        assert_eq!(infinite.guess(&estimated(f64::INFINITY, f64::INFINITY)), None);
    }

    #[test]
    fn fewer_labels_are_drawn_of_more_rows() {
        let found = [100, 100_000, 200_000, 600_000, 700_000].map(drawings);
        assert_eq!(found, [6, 6, 3, 1, 0]);
        assert!(is_affordable(2_000_000, 2) && !is_affordable(usize::MAX, 3));
    }
}
