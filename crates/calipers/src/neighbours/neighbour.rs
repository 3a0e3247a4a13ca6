//! A neighbour by its name, on the problem that the name says.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::line::{Line, Order};
use super::listed::{Entry, NeighbourInfo, Quadratic};
use super::registry;
use super::rule::{Chance, Found, Outcome, Rule, Summed};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::numeric::simplex::argmax;

/// Which problem is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slice {
    /// f₁ against the second class, or the whole vector.
    Plain,
    /// The most probable class.
    Top,
    /// The mean over classes, one against the rest.
    Classwise,
    /// The same, averaged under the measure's power: (mean value^p)^(1/p).
    Marginal,
}

const SLICES: [(&str, Slice); 3] =
    [("top-", Slice::Top), ("classwise-", Slice::Classwise), ("marginal-", Slice::Marginal)];

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
    slice: Slice,
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
    pub(super) fn is_quadratic(&self, classes: usize) -> bool {
        match self.entry.info.quadratic {
            Quadratic::Never => false,
            Quadratic::Vectors => self.slice == Slice::Plain && classes > 2,
            Quadratic::Always => true,
        }
    }

    /// Whether these predictions have what it measures.
    pub(super) fn check(&self, predictions: &Predictions<'_>) -> Result<()> {
        let classes = predictions.classes();
        if self.slice == Slice::Plain && classes > 2 && !self.entry.info.vectors {
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

    pub(super) fn measure(&self, predictions: &Predictions<'_>, chance: &Chance) -> Outcome {
        // Who adds rows up does not mind their order, and sorting them would be most of the cost.
        let order = if self.rule.summed().is_some() { Order::AsGiven } else { self.entry.order };
        let class = |class| self.rule.on_line(&Line::of_class(predictions, class, order), chance);
        match (self.slice, predictions.classes()) {
            (Slice::Plain, 2) => class(1),
            (Slice::Plain, _) => self.rule.on_vectors(predictions, chance),
            (Slice::Top, _) => self.rule.on_line(&Line::of_top(predictions, order), chance),
            (Slice::Classwise | Slice::Marginal, classes) => {
                let found = (0..classes).map(class).collect::<std::result::Result<Vec<_>, _>>()?;
                Ok(self.together(found))
            }
        }
    }

    /// Its rule, if sums over the rows of so many classes are all that it needs.
    pub(super) fn summed(&self, classes: usize) -> Option<&dyn Summed> {
        self.rule.summed().filter(|_| self.slice != Slice::Plain || classes == 2)
    }

    /// How many lines it measures of so many classes.
    pub(super) fn lines(&self, classes: usize) -> usize {
        match self.slice {
            Slice::Plain | Slice::Top => 1,
            Slice::Classwise | Slice::Marginal => classes,
        }
    }

    /// A row as each of the lines has it: f, and whether it happened.
    #[inline]
    pub(super) fn each_line(
        &self,
        f: &[f64],
        label: usize,
        mut visit: impl FnMut(usize, f64, bool),
    ) {
        match self.slice {
            Slice::Plain => visit(0, f[1], label == 1),
            Slice::Top => {
                let best = argmax(f);
                visit(0, f[best], label == best);
            }
            Slice::Classwise | Slice::Marginal => {
                f.iter().enumerate().for_each(|(class, &f)| visit(class, f, label == class));
            }
        }
    }

    /// What was found on each of the lines, as one.
    pub(super) fn together(&self, mut found: Vec<Found>) -> Found {
        match self.slice {
            Slice::Plain | Slice::Top if !found.is_empty() => found.swap_remove(0),
            _ => Found::new(self.average(&found)),
        }
    }

    fn average(&self, found: &[Found]) -> f64 {
        let mean = |value: &dyn Fn(&Found) -> f64| {
            found.iter().map(value).sum::<f64>() / found.len() as f64
        };
        match self.rule.power() {
            Some(p) if self.slice == Slice::Marginal && p.is_infinite() => {
                found.iter().map(|one| one.value).fold(0.0, f64::max)
            }
            Some(p) if self.slice == Slice::Marginal => {
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
        let scoped = SLICES.iter().find_map(|(prefix, slice)| {
            text.strip_prefix(prefix).map(|rest| (*prefix, *slice, rest))
        });
        let (prefix, slice, rest) = scoped.unwrap_or(("", Slice::Plain, text));
        let (entry, rule, name) = registry::make(rest)?;
        if matches!(slice, Slice::Classwise | Slice::Marginal) && rule.power().is_none() {
            return Err(Error::Neighbour {
                text: text.to_owned(),
                reason: format!(
                    "a mean of {} over classes says nothing; top-{name} does",
                    entry.info.name
                ),
            });
        }
        Ok(Self { slice, rule, name: format!("{prefix}{name}"), entry })
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
