//! The average of all models, kept as a table.

use serde::{Deserialize, Serialize};

use super::super::one_vs_rest::Curve;
use super::cells::{self, Cell, Divided};
use super::design::{Design, KNOTS, MANY_KNOTS, logit, trusted};
use super::models::{self, Model};
use super::posterior::{Density, Labels, Posterior, add_share};
use super::tree::Steps;
use crate::data::Column;
use crate::numeric::simplex::is_moderate;

/// The power of the evidence by which models are weighted. 1 would be the rule of probability if one
/// of the models were true; models this alike come too close to a winner by it.
const POWER: f64 = 0.5;

/// So many rows can tell a truth that bends often from noise, and pay for it.
const BENDING_ROWS: f64 = 10_000.0;

/// Models of less weight than this share of the largest are left out.
const LEAST_SHARE: f64 = 1e-3;

/// A function of logit f that is added to it: piecewise linear, level beyond its ends, and steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Correction {
    logits: Vec<f64>,
    shifts: Vec<f64>,
    converged: bool,
    /// How far to go from f where g is used.
    #[serde(default = "whole")]
    used: f64,
    /// What the smooth models leave.
    #[serde(default)]
    steps: Steps,
    /// Whether cells hold more than one prediction.
    #[serde(default)]
    merged: bool,
}

/// A model, fitted or, if it has no design, the identity.
struct Member<'a> {
    fitted: Option<(&'a Design, Posterior)>,
    log_weight: f64,
}

impl Correction {
    /// Fits all models to rows that count for so many, and averages them.
    pub(super) fn fit(column: Column<'_>, rows: f64) -> Self {
        let Divided { cells, small, merged } = cells::divide(column, rows);
        let labels = Labels::new(&cells);
        let polynomial = Design::polynomial(&cells);
        let splines = [Design::rank_spline(&cells, KNOTS), Design::logit_spline(&cells)];
        let bending = (rows >= BENDING_ROWS).then(|| Design::rank_spline(&cells, MANY_KNOTS));
        let identity = models::IDENTITY.ln() + POWER * labels.log_likelihood();
        let mut members = vec![Member { fitted: None, log_weight: identity }];
        let (fitted, end) = fit_all(&labels, &polynomial, &models::polynomials(), &[]);
        members.extend(fitted);
        for design in &splines {
            members.extend(fit_all(&labels, design, &models::splines(design), &end).0);
        }
        if let Some(design) = &bending {
            members.extend(fit_all(&labels, design, &models::bending(design), &end).0);
        }
        let average = average(&labels, &members);
        let logits: Vec<f64> = cells.iter().map(|cell: &Cell| logit(cell.prediction)).collect();
        let shift = |(&logit, average): (&f64, &f64)| average - trusted(logit);
        let mut this = Self {
            shifts: logits.iter().zip(&average).map(shift).collect(),
            logits,
            used: used(&members),
            steps: Steps::default(),
            converged: members.iter().all(|member| {
                member.fitted.as_ref().is_none_or(|(_, posterior)| posterior.converged)
            }),
            merged,
        };
        let logits: Vec<f64> = small.iter().map(|cell| logit(cell.prediction)).collect();
        let smooth: Vec<f64> = logits.iter().map(|&logit| this.score(logit)).collect();
        this.steps = Steps::fit(&small, &logits, &smooth);
        this
    }

    /// The corrected logit.
    fn score(&self, logit: f64) -> f64 {
        trusted(logit) + self.shift(logit) + self.steps.at(logit)
    }

    /// What is added to a logit.
    fn shift(&self, logit: f64) -> f64 {
        let after = self.logits.partition_point(|&place| place <= logit);
        if after == 0 {
            self.shifts[0]
        } else if after == self.logits.len() {
            self.shifts[after - 1]
        } else {
            let (left, right) = (self.logits[after - 1], self.logits[after]);
            let (low, high) = (self.shifts[after - 1], self.shifts[after]);
            low + (high - low) * ((logit - left) / (right - left))
        }
    }
}

fn whole() -> f64 {
    1.0
}

/// How much of the way from f to the average is left, if the identity were more likely beforehand.
fn used(members: &[Member<'_>]) -> f64 {
    let largest = members.iter().map(|member| member.log_weight).fold(f64::MIN, f64::max);
    let weight = |member: &Member<'_>| (member.log_weight - largest).exp();
    let (identity, others) = members.split_first().map_or((0.0, 1.0), |(first, others)| {
        (weight(first), others.iter().map(weight).sum::<f64>())
    });
    let odds = |mass: f64| mass / (1.0 - mass);
    let careful = identity * odds(models::CAREFUL_IDENTITY) / odds(models::IDENTITY);
    // Both are shares of all that is not the identity.
    (identity + others) / (careful + others)
}

/// Fits models of one design, each from where the one before it ended, and the first from some of its
/// coefficients; returns with them where the last one ended.
fn fit_all<'a>(
    labels: &Labels,
    design: &'a Design,
    models: &[Model],
    start: &[f64],
) -> (Vec<Member<'a>>, Vec<f64>) {
    let mut density = Density::new(labels, design, start);
    let fit = |model: &Model| {
        let posterior = density.fit(model)?;
        let log_weight = model.mass.ln() + POWER * posterior.log_evidence;
        Some(Member { fitted: Some((design, posterior)), log_weight })
    };
    let members = models.iter().filter_map(fit).collect();
    (members, density.end().to_vec())
}

/// The log-odds of the weighted mean of the members' probabilities, for each cell.
fn average(labels: &Labels, members: &[Member<'_>]) -> Vec<f64> {
    let largest = members.iter().map(|member| member.log_weight).fold(f64::MIN, f64::max);
    let mut sums = vec![[0.0; 2]; labels.offsets.len()];
    for member in members {
        let share = (member.log_weight - largest).exp();
        if share < LEAST_SHARE {
            continue;
        }
        match &member.fitted {
            None => add_share(&mut sums, &labels.offsets, share),
            Some((design, posterior)) => {
                add_share(&mut sums, &posterior.mean_logits(labels, design), share);
            }
        }
    }
    let floored_ln = |sum: f64| sum.max(f64::MIN_POSITIVE).ln();
    sums.iter().map(|[not, one]| floored_ln(*one) - floored_ln(*not)).collect()
}

impl Curve for Correction {
    const NAME: &'static str = "bayes";

    fn at(&self, probability: f64) -> [f64; 2] {
        let logit = logit(probability);
        let score = self.score(logit);
        let (tail, is_likely) = ((-score.abs()).exp(), score >= 0.0);
        let (high, low) = (1.0 / (1.0 + tail), tail / (1.0 + tail));
        if is_likely { [low, high] } else { [high, low] }
    }

    fn used(&self) -> f64 {
        self.used
    }

    fn is_sound(&self) -> bool {
        !self.logits.is_empty()
            && (0.0..=1.0).contains(&self.used)
            && self.steps.is_sound()
            && self.logits.len() == self.shifts.len()
            && self.logits.is_sorted()
            && self.logits.iter().chain(&self.shifts).all(|&value| is_moderate(value))
    }

    fn converged(&self) -> bool {
        self.converged
    }

    fn approximation(&self) -> Option<String> {
        self.merged.then(|| format!("like predictions in about {} cells", cells::CELLS))
    }
}
