//! The neighbours: what else is used to measure or test calibration.
//!
//! They are here to stand beside the estimates of this crate on the same rows: each from its paper,
//! each with its own idea of the error. `docs/neighbours.md` shows when which is the right one.

mod bins;
mod corp;
mod cox;
mod cumulative;
mod debiased;
mod ece;
mod hosmer_lemeshow;
mod kernel;
mod line;
mod low_rank;
mod measure;
mod pairs;
mod registry;
mod skce;
mod smooth;
mod spiegelhalter;
mod sweep;
mod tail;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rand::Rng;
use rayon::prelude::*;

use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::estimate::score_test::LANES;
use crate::numeric::random::derive_seed;
use crate::numeric::random::generator;
use line::Line;
use registry::Entry;

pub use measure::{Measurement, Measurements, Neighbours};
pub use registry::{NeighbourInfo, Quadratic, neighbours};

/// A way to measure or test calibration other than this crate's own.
pub(crate) trait Rule: fmt::Debug + Send + Sync {
    /// Measures predictions that are one number.
    fn on_line(&self, line: &Line, chance: &Chance) -> Outcome;

    /// Measures whole vectors of more than two classes; for those that say they can.
    fn on_vectors(&self, _: &Predictions<'_>, _: &Chance) -> Outcome {
        Err("it does not measure whole vectors".to_owned())
    }

    /// The power under which the values of several classes are averaged; none if it is a test, of
    /// which a mean says nothing.
    fn power(&self) -> Option<f64> {
        None
    }
}

/// What was found, or why there is nothing to be found in such rows.
pub(crate) type Outcome = std::result::Result<Found, String>;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    value: f64,
    /// The value's power, where it is known better than by raising the value to it.
    moment: Option<f64>,
    p_value: Option<f64>,
    details: Vec<(&'static str, f64)>,
}

impl Found {
    fn new(value: f64) -> Self {
        Self { value, moment: None, p_value: None, details: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: f64) -> Self {
        self.details.push((name, value));
        self
    }

    fn tested(self, p_value: f64) -> Self {
        self.maybe_tested(Some(p_value))
    }

    fn maybe_tested(mut self, p_value: Option<f64>) -> Self {
        self.p_value = p_value.map(|p| p.clamp(0.0, 1.0));
        self
    }
}

/// How chance is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chance {
    seed: u64,
    draws: usize,
}

impl Chance {
    /// (1 + the number of drawings that reach what was observed) / (1 + the number of drawings); none
    /// if none are asked for. `draw` gives some statistics, at most [`LANES`], with labels drawn from f.
    fn p_value(
        &self,
        observed: f64,
        draw: impl Fn(usize, &mut dyn Rng) -> Vec<f64> + Sync,
    ) -> Option<f64> {
        // What sums over rows in another order may differ by.
        let enough = observed - 1e-9 * observed.abs();
        let reached: usize = (0..self.draws.div_ceil(LANES))
            .into_par_iter()
            .map(|group| {
                let mut draws = generator(derive_seed(self.seed, &[STREAM]), group as u64);
                let count = LANES.min(self.draws - group * LANES);
                draw(count, &mut draws).iter().filter(|&&statistic| statistic >= enough).count()
            })
            .sum();
        (self.draws > 0).then(|| (1 + reached) as f64 / (1 + self.draws) as f64)
    }
}

/// The place of the neighbours' drawings among everything that is seeded.
const STREAM: u64 = 1 << 41;

/// Which problem is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// f₁ against the second class, or the whole vector.
    Plain,
    /// The most probable class.
    Top,
    /// The mean over classes, one against the rest.
    Classwise,
    /// The same, averaged under the measure's power: (mean value^p)^(1/p).
    Marginal,
}

const VIEWS: [(&str, View); 3] =
    [("top-", View::Top), ("classwise-", View::Classwise), ("marginal-", View::Marginal)];

/// A neighbour, by name: `[top-|classwise-|marginal-]name[:parameter=value,…]`.
///
/// ```
/// use calipers::Neighbour;
///
/// let neighbour: Neighbour = "top-ece:bins=20,by=mass".parse()?;
/// assert_eq!(neighbour.to_string(), "top-ece:bins=20,by=mass");
/// assert_eq!("ece:bins=15".parse::<Neighbour>()?.to_string(), "ece");
/// assert!("classwise-cox".parse::<Neighbour>().is_err());
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Clone)]
pub struct Neighbour {
    view: View,
    rule: Arc<dyn Rule>,
    name: String,
    entry: &'static Entry,
}

impl Neighbour {
    /// What it is.
    pub fn info(&self) -> NeighbourInfo {
        self.entry.info
    }

    /// Whether its cost grows with the square of the rows of so many classes.
    fn is_quadratic(&self, classes: usize) -> bool {
        match self.entry.info.quadratic {
            Quadratic::Never => false,
            Quadratic::Vectors => self.view == View::Plain && classes > 2,
            Quadratic::Always => true,
        }
    }

    /// Whether these predictions have what it measures.
    fn check(&self, predictions: &Predictions<'_>) -> Result<()> {
        let classes = predictions.classes();
        if self.view == View::Plain && classes > 2 && !self.entry.info.vectors {
            let others = if self.rule.power().is_some() { " or classwise-" } else { "" };
            return Err(Error::Inapplicable {
                metric: self.name.clone(),
                reason: format!(
                    "it measures two classes, not {classes}; put top-{others} before it"
                ),
            });
        }
        Ok(())
    }

    fn measure(&self, predictions: &Predictions<'_>, chance: &Chance) -> Outcome {
        let order = self.entry.order;
        let class = |class| self.rule.on_line(&Line::of_class(predictions, class, order), chance);
        match (self.view, predictions.classes()) {
            (View::Plain, 2) => class(1),
            (View::Plain, _) => self.rule.on_vectors(predictions, chance),
            (View::Top, _) => self.rule.on_line(&Line::of_top(predictions, order), chance),
            (View::Classwise | View::Marginal, classes) => {
                let found = (0..classes).map(class).collect::<std::result::Result<Vec<_>, _>>()?;
                Ok(Found::new(self.average(&found)))
            }
        }
    }

    fn average(&self, found: &[Found]) -> f64 {
        let mean = |value: &dyn Fn(&Found) -> f64| {
            found.iter().map(value).sum::<f64>() / found.len() as f64
        };
        match self.rule.power() {
            Some(p) if self.view == View::Marginal && p.is_infinite() => {
                found.iter().map(|one| one.value).fold(0.0, f64::max)
            }
            Some(p) if self.view == View::Marginal => {
                let moment = |one: &Found| one.moment.unwrap_or_else(|| one.value.powf(p));
                mean(&moment).max(0.0).powf(1.0 / p)
            }
            _ => mean(&|one| one.value),
        }
    }
}

impl FromStr for Neighbour {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let scoped = VIEWS.iter().find_map(|(prefix, view)| {
            text.strip_prefix(prefix).map(|rest| (*prefix, *view, rest))
        });
        let (prefix, view, rest) = scoped.unwrap_or(("", View::Plain, text));
        let (entry, rule, name) = registry::make(rest)?;
        if matches!(view, View::Classwise | View::Marginal) && rule.power().is_none() {
            return Err(Error::Neighbour {
                text: text.to_owned(),
                reason: format!(
                    "a mean of {} over classes says nothing; top-{name} does",
                    entry.info.name
                ),
            });
        }
        Ok(Self { view, rule, name: format!("{prefix}{name}"), entry })
    }
}

impl fmt::Display for Neighbour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)
    }
}

impl fmt::Debug for Neighbour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Neighbour({self})")
    }
}
